//go:build !linux

package memory

// Huge is for systems that can be asked for large pages.
func Huge[T any](_ []T) {}
