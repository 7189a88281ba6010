//go:build windows

package lockfile

import (
	"os"

	"golang.org/x/sys/windows"
)

// errLocked says that another has the lock.
const errLocked = windows.ERROR_LOCK_VIOLATION

// lockNow locks one byte far behind the end, so that others can still read who has it.
func lockNow(f *os.File) error {
	at := &windows.Overlapped{OffsetHigh: 1 << 30}
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0,
		1, 0, at)
}

// Release gives the lock back. The file stays: one that is open cannot be removed.
func (l *Lock) Release() error { return l.file.Close() }
