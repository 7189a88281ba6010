//go:build !linux && !darwin

package memory

// Peak returns 0: it is not implemented for this system.
func Peak() int64 { return 0 }
