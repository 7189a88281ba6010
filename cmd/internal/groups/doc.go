// Package groups has the verbs that change a group by a record in its journal, and need no member for that: settings and routing,
// takeover, forget.
//
//	group.go       what settings and routing do: show what is in force, compare a configuration with it, put that in force
//	parts.go       the settings that decide verdicts, of which the bounds can be changed, and what is read and where it goes
//	succession.go  one group takes over from another
//	forget.go      documents are forgotten
package groups
