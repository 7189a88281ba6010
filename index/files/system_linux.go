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

// openFiles returns how many files this process may have open; 0 if the system does not say.
func openFiles() int {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return 0
	}
	return int(min(limit.Cur, 1<<20))
}
