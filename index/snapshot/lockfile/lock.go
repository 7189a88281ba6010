// Package lockfile keeps something for one process, by a file that this process has locked.
//
// The lock ends with the process, however that ends, so a file that was left behind keeps nobody out. The file says who
// has it. Where the file system knows no locks, an error says so.
package lockfile

import (
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/index/snapshot/durable"
)

// TakenError says that another has the lock.
type TakenError struct{ By string } // as snapshot.Process names it; empty: not known

// Error implements error.
func (e *TakenError) Error() string {
	by := "another run"
	if e.By != "" {
		by += " (" + e.By + ")"
	}
	return by + " uses it now: wait until that ends, or name another directory"
}

// Take takes the lock at a path and writes into the file who has it, if the disk is not full, or returns a TakenError.
// Release or Close gives the lock back, and so does the end of the process, however it comes. Where the file system knows
// no locks, the error is ErrUnsupported.
func Take(path string) (*os.File, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	if f == nil {
		return nil, &TakenError{holder(path)}
	}
	// What the file says is for people: a full disk keeps nobody from the lock. Who has it may make room.
	if err := name(f); err != nil && !durable.Full(err) {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// name writes into the file who has it. It overwrites what another has written: on a full disk there may be no block for
// the text once that is gone.
func name(f *os.File) error {
	who := []byte(snapshot.Process() + "\n")
	if _, err := f.WriteAt(who, 0); err != nil {
		return errors.Join(err, f.Truncate(0)) // it would name another
	}
	return f.Truncate(int64(len(who)))
}

// Release removes the file that Take has locked, and gives the lock back. Windows does not remove what is open.
func Release(f *os.File) error {
	_ = os.Remove(f.Name())
	return f.Close()
}

// holder returns what Take has written, or "" while that is being written.
func holder(path string) string {
	text, err := os.ReadFile(path)
	if err != nil || len(text) > 1000 {
		return ""
	}
	line, _, _ := strings.Cut(string(text), "\n") // behind it may be what is left of an earlier text
	return line
}

// Open opens the file at a path, which may be missing, and locks it without waiting. It returns nil if another has it
// locked.
func Open(path string) (*os.File, error) {
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, err
		}
		locked, err := Lock(f)
		if err == nil && locked && StillAt(f, path) {
			return f, nil
		}
		if err := errors.Join(err, f.Close()); err != nil || !locked {
			return nil, err
		}
	}
}

// Lock locks an open file without waiting, until its Close. It returns false if another has it locked.
func Lock(f *os.File) (bool, error) {
	err := lockNow(f)
	if errors.Is(err, errLocked) {
		return false, nil
	}
	if err != nil {
		return false, &os.PathError{Op: "flock", Path: f.Name(), Err: err}
	}
	return true, nil
}

// StillAt says whether an open file is the one at its path: the lock of a removed file keeps nobody out.
func StillAt(f *os.File, path string) bool {
	here, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(path)
	return err == nil && os.SameFile(here, there)
}

// Lost says whether the file that Take has locked was removed or replaced, for example by someone cleaning up: another
// process can then lock the new file.
func Lost(f *os.File) bool {
	there, err := os.Stat(f.Name())
	if err != nil {
		return errors.Is(err, fs.ErrNotExist) // any other error says nothing about the lock
	}
	here, err := f.Stat()
	return err == nil && !os.SameFile(here, there)
}
