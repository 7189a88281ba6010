// Package exit ends the program: the exit codes, the error that carries one, the signals that end the program, and how
// the last error is shown to a person or in a JSON log.
package exit
