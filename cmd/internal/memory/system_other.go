//go:build !linux && !darwin

package memory

// Peak returns 0: it is not implemented for this system.
func Peak() int64 { return 0 }

// addresses returns 0: only Linux is asked how many bytes of addresses this process may take.
func addresses() int64 { return 0 }
