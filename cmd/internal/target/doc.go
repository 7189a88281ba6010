// Package target is how verbs name what they talk to: a service by its configuration, or by the directory of an embedded
// broker, and a running member by its address. It has the flags, and what they mean.
package target
