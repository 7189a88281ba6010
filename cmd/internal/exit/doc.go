// Package exit ends the program: the exit codes, the error that carries one, the signals that end the program, and how
// the last error is shown to a person or in a JSON log.
//
// The first signal ends a context, so that a verb finishes what it has begun; a second one ends the process at once. A
// verb returns its errors and never exits by itself.
package exit
