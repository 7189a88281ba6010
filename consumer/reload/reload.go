// Package reload keeps what was read from files that are replaced while the process runs: certificates and tokens
// that somebody else renews.
//
// Whoever needs the value asks for it each time, and it is read again when a file has changed. While a newer value cannot be read, the
// one from before counts, and the reason is told once. Files that hang hold nobody up for long.
package reload

import (
	"errors"
	"os"
	"sync/atomic"
	"time"
)

// Value is what was read from files. Get reads it again when a file has changed. All methods may be called at the
// same time.
type Value[T any] struct {
	read  func() (T, error)
	told  func(error)
	paths []string
	now   atomic.Pointer[T]
	slow  atomic.Bool // it was told that files cannot be read for long, and they were not read in time since

	busy  atomic.Bool   // somebody looks at the files, and may change what follows
	seen  []os.FileInfo // of the files that now was read from
	wrong string        // why a newer value could not be read; empty if it could
}

// patience is how long files may take to be read while somebody waits for the value. A network's file system that is away
// may take for ever.
const patience = time.Second

var errSlow = errors.New("the files cannot be read within " + patience.String())

// Open reads the value for the first time. read reads it from the files at paths. told may be nil. It is called once
// for each reason why a newer value could not be read, and with nil when one was.
func Open[T any](read func() (T, error), told func(error), paths ...string) (*Value[T], error) {
	if told == nil {
		told = func(error) {}
	}
	v := &Value[T]{read: read, told: told, paths: paths}
	v.seen, _ = v.look() // before it is read: what changes meanwhile is seen the next time
	first, err := read()
	v.now.Store(&first)
	return v, err
}

// Get returns the value of now. While a newer one cannot be read, as where only one of two files is renewed yet, or
// somebody else is reading it, it is the one from before.
func (v *Value[T]) Get() T {
	if !v.busy.CompareAndSwap(false, true) {
		return *v.now.Load()
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer v.busy.Store(false)
		v.again()
	}()
	slow := time.NewTimer(patience)
	defer slow.Stop()
	select {
	case <-done:
		v.slow.Store(false)
	case <-slow.C:
		if !v.slow.Swap(true) {
			v.told(errSlow)
		}
	}
	return *v.now.Load()
}

// again reads the value again if a file has changed.
func (v *Value[T]) again() {
	seen, err := v.look()
	if err == nil && same(seen, v.seen) {
		return
	}
	var newer T
	if err == nil {
		newer, err = v.read()
	}
	switch {
	case err == nil:
		v.now.Store(&newer)
		v.seen, v.wrong = seen, ""
		v.told(nil)
	case err.Error() != v.wrong:
		v.wrong = err.Error()
		v.told(err)
	}
}

// look asks for the state of the files. Links are followed, because Kubernetes renews a Secret by another link.
func (v *Value[T]) look() (seen []os.FileInfo, err error) {
	for _, path := range v.paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		seen = append(seen, info)
	}
	return seen, nil
}

// same says whether the files are those from before. A file that is written in place twice within a tick of the
// clock, with the same size, is not told apart; one that is put in the place of another is.
func same(now, before []os.FileInfo) bool {
	if len(now) != len(before) {
		return false
	}
	for i := range now {
		a, b := now[i], before[i]
		if !os.SameFile(a, b) || a.Size() != b.Size() || !a.ModTime().Equal(b.ModTime()) {
			return false
		}
	}
	return true
}
