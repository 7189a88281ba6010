package durable

import (
	"os"

	"golang.org/x/sys/unix"
)

// forget asks the system to drop its cache of a synced file, so that the next read comes from the disk. If the system
// does not, reading back only proves less.
func forget(f *os.File) {
	_ = unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED)
}
