package memory

import (
	"math"
	"syscall"
)

// addresses returns the bytes of addresses that this process may take; 0: there is no limit.
func addresses() int64 {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &limit); err != nil || limit.Cur > math.MaxInt64 {
		return 0
	}
	return int64(limit.Cur)
}
