// Package exit is how the program ends: the exit codes, the error that carries one, the signals that end it, and what the last
// error says to a person or to a log of JSON.
package exit
