// Package routings has what the verbs about a group's routing do: they show the one in force, compare a configuration
// with it, and put that of a configuration in force.
package routings
