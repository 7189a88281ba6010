// Package memory asks the operating system for large pages where memory is read at random. It changes nothing that a program
// could see but its speed: index is pure with it.
package memory
