//go:build unix

package lockfile

import (
	"os"

	"golang.org/x/sys/unix"
)

// errLocked says that another has the lock.
const errLocked = unix.EWOULDBLOCK

func lockNow(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) }
