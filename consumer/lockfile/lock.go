// Package lockfile keeps a directory for one process, by a file in it that this process has locked.
package lockfile

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Lock is a file that one process has at a time. The system takes it back when that ends, however it does.
type Lock struct{ file *os.File }

// TakenError says that another has the lock.
type TakenError struct{ Process int } // 0: not known

// Error implements error.
func (e *TakenError) Error() string {
	by := "another run"
	if e.Process != 0 {
		by += fmt.Sprintf(" (process %d)", e.Process)
	}
	return by + " uses it now: wait until that ends, or name another directory"
}

// Take takes the lock, or returns a TakenError. Where the file system knows no locks, the error is ErrUnsupported.
func Take(path string) (*Lock, error) {
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, err
		}
		err = lockNow(f)
		if errors.Is(err, errLocked) {
			return nil, errors.Join(&TakenError{holder(path)}, f.Close())
		}
		if err != nil {
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

// holder is the process that the file names. It may have removed it.
func holder(path string) (process int) {
	if text, err := os.ReadFile(path); err == nil {
		process, _ = strconv.Atoi(strings.TrimSpace(string(text)))
	}
	return process
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
