// Package memory limits and measures the memory of the process: it sets Go's collector by the size of the index, warns
// of a container that is too small, and asks the system for the peak.
//
// GOGC and GOMEMLIMIT outrank it. It does not bound what the window holds, which duplicates.remember.memory does.
package memory
