// Package terminal writes what a person sees of the program: messages and progress that share one screen, log lines,
// and texts made safe for one line.
//
//	Screen     standard error on a terminal: a message takes the place of the line that is drawn anew there
//	Progress   how far long work is: in place on a terminal, elsewhere a line now and then
//	NewLogger  the log, for people on a terminal and as JSON elsewhere
//	Printable  a text of somebody else, harmless to a terminal, in so many columns
package terminal
