// Package inforce has what the verbs about a group's settings and about its routing do: they show what is in force by
// the group's journal, compare a configuration with it, and put that of the configuration in force.
//
//	group.go     what both do
//	settings.go  the settings that decide verdicts, of which the bounds can be changed
//	routes.go    what is read and where it goes
package groups
