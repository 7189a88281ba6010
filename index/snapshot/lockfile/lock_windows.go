//go:build windows

package lockfile

import (
	"os"

	"golang.org/x/sys/windows"
)

// errLocked says that another has the lock.
const errLocked = windows.ERROR_LOCK_VIOLATION

// lockNow locks one byte far behind the end: a locked byte can be read and written by its holder only.
func lockNow(f *os.File) error {
	at := &windows.Overlapped{OffsetHigh: 1 << 30}
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0,
		1, 0, at)
}
