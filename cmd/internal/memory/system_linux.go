package memory

import (
	"bufio"
	"bytes"
	"math"
	"os"
	"strconv"
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

// Peak returns the most memory this process has had resident, in bytes; 0 if the system does not say. It reads the
// kernel's VmHWM, which begins anew with each program. getrusage would include the memory of the process that started
// this one, which is larger under `go run`.
func Peak() int64 {
	status, err := os.Open("/proc/self/status")
	if err != nil {
		return 0
	}
	defer status.Close()
	for lines := bufio.NewScanner(status); lines.Scan(); {
		if value, ok := bytes.CutPrefix(lines.Bytes(), []byte("VmHWM:")); ok {
			value, _ = bytes.CutSuffix(bytes.TrimSpace(value), []byte(" kB"))
			kilobytes, _ := strconv.ParseInt(string(value), 10, 64)
			return kilobytes << 10
		}
	}
	return 0
}
