package written

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Lock is a file that one process has at a time. The system takes it back when that ends, however it does.
type Lock struct{ file *os.File }

// TakeLock takes the lock, or returns an error that says which process has it. Where the file system knows no locks it
// keeps nobody out.
func TakeLock(path string) (*Lock, error) {
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, err
		}
		err = lockNow(f)
		if errors.Is(err, errLocked) {
			return nil, errors.Join(taken(path), f.Close())
		}
		if err != nil && !errors.Is(err, errors.ErrUnsupported) {
			return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), f.Close())
		}
		if !stillAt(f, path) { // who had it has removed it
			if err := f.Close(); err != nil {
				return nil, err
			}
			continue
		}
		err = f.Truncate(0)
		if err == nil {
			_, err = f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
		}
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		return &Lock{f}, nil
	}
}

func taken(path string) error {
	by := "another run"
	if holder, err := os.ReadFile(path); err == nil { // it may have removed it
		if number, err := strconv.Atoi(strings.TrimSpace(string(holder))); err == nil {
			by += fmt.Sprintf(" (process %d)", number)
		}
	}
	return fmt.Errorf("%s uses it now: wait until that ends, or name another directory", by)
}

// stillAt says whether an open file is the one at its path: the lock of a removed file keeps nobody out.
func stillAt(f *os.File, path string) bool {
	here, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(path)
	return err == nil && os.SameFile(here, there)
}
