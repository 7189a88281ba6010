//go:build unix

package lockfile

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// errLocked says that another has the lock.
const errLocked = unix.EWOULDBLOCK

func lockNow(f *os.File) error {
	return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) // a descriptor is a small number
}

// Release removes the file, and gives the lock back.
func (l *Lock) Release() error { return errors.Join(os.Remove(l.file.Name()), l.file.Close()) }
