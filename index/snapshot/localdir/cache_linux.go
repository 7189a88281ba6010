package localdir

import (
	"os"

	"golang.org/x/sys/unix"
)

// forget asks the system to drop what it caches of a synced file, so that the next read comes from the disk. It is a wish: a
// system that does not grant it only makes reading back prove less.
func forget(f *os.File) {
	_ = unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED)
}
