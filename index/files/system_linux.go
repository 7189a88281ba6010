package files

import (
	"os"

	"golang.org/x/sys/unix"
)

// readRandomly keeps the system from reading ahead, as by default it reads 128 KiB where a page is asked for. If it does
// not comply, reads are only slower.
func readRandomly(f *os.File) { _ = unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_RANDOM) }

func free(dir string) (int64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, &os.PathError{Op: "statfs", Path: dir, Err: err}
	}
	return int64(s.Bavail) * s.Bsize, nil
}
