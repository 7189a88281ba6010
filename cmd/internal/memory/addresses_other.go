//go:build !linux

package memory

// addresses returns 0: only Linux is asked how many bytes of addresses this process may take.
func addresses() int64 { return 0 }
