// Package memory is what the process may take, and has taken: Go's collector is set by the size of the index, a container that is
// too small is told of, and the peak is asked of the system.
package memory
