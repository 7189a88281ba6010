package memory

import "syscall"

// Peak returns the most memory this process has had resident, in bytes; 0 if the system does not say.
func Peak() int64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return usage.Maxrss // bytes here, kilobytes elsewhere
}

// addresses returns 0: only Linux is asked how many bytes of addresses this process may take.
func addresses() int64 { return 0 }
