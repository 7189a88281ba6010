package localdir

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// A waiter tries again after lockPoll, then each time after twice as long, up to lockPollMost, because flock cannot
// wait and observe a context at once.
const (
	lockPoll     = 200 * time.Microsecond
	lockPollMost = 10 * time.Millisecond
)

// tryLock takes the exclusive lock of an open file, without waiting. It ends with the file's Close or with the process.
func tryLock(f *os.File) (bool, error) {
	err := lockNow(f)
	if errors.Is(err, errLocked) {
		return false, nil
	}
	if err != nil {
		return false, &os.PathError{Op: "flock", Path: f.Name(), Err: err}
	}
	return true, nil
}

// stillAt says whether f is still the file at its path: a lock on a removed file excludes nobody.
func stillAt(f *os.File, path string) bool {
	here, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(path)
	return err == nil && os.SameFile(here, there)
}

// take opens and locks the file at path, without waiting; nil if another holds it.
func take(path string) (*os.File, error) {
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, err
		}
		locked, err := tryLock(f)
		if err == nil && locked && stillAt(f, path) {
			return f, nil
		}
		if err := errors.Join(err, f.Close()); err != nil || !locked {
			return nil, err
		}
	}
}

// exclusively runs fn under the collector's lock, which Publish and Collect share.
func (s *Store) exclusively(ctx context.Context, fn func() error) (err error) {
	wait := lockPoll
	poll := time.NewTimer(wait)
	defer poll.Stop()
	for {
		f, err := take(filepath.Join(s.root, lockFile))
		if err != nil {
			return err
		}
		if f != nil {
			return errors.Join(fn(), f.Close())
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for another member's publish or collect: %w", context.Cause(ctx))
		case <-poll.C:
			wait = min(2*wait, lockPollMost)
			poll.Reset(wait)
		}
	}
}
