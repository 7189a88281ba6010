//go:build unix

package broker

import (
	"os"

	"golang.org/x/sys/unix"
)

func lockNow(f *os.File) error {
	return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) // a descriptor is a small number
}
