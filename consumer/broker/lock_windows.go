//go:build windows

package broker

import (
	"os"

	"golang.org/x/sys/windows"
)

// lockNow locks one byte far behind the end, so that others can still read who holds it.
func lockNow(f *os.File) error {
	at := &windows.Overlapped{Offset: 1 << 30}
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0,
		1, 0, at)
}
