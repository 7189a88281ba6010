// Package bounds has what the verbs about a group's settings do: they show those in force, compare a configuration
// with them, and put its bounds in force.
package bounds
