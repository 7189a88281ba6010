package filestest

import (
	"sync"
	"sync/atomic"

	"github.com/unecho/unecho/index/files"
	"github.com/unecho/unecho/index/snapshot/durable"
)

// Call is a call of a file system.
type Call struct {
	Number int    // from 0
	Op     string // makedir, list, create, open, lock, free, rename, remove, syncdir, write, read, sync, close
	Path   string
}

// Faulty is a file system whose calls can fail, wait, or read something else. The fields may be changed between calls.
type Faulty struct {
	files.System
	// Before is asked before each call; nil: nothing fails. It may wait. If it returns an error the call fails, a write
	// when half of it is written.
	Before func(Call) error
	// Bend changes what a read has read, and returns how much of it there is.
	Bend func(c Call, read []byte) int

	mu     sync.Mutex
	called []Call

	reading atomic.Int64
}

// Called returns the calls so far.
func (f *Faulty) Called() []Call {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]Call(nil), f.called...)
}

// Forget has the numbers of calls begin at 0 again.
func (f *Faulty) Forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.called = nil
}

// Reading returns how many files are open for reads.
func (f *Faulty) Reading() int { return int(f.reading.Load()) }

func (f *Faulty) call(op, path string) (Call, error) {
	f.mu.Lock()
	c := Call{len(f.called), op, path}
	f.called = append(f.called, c)
	f.mu.Unlock()
	if f.Before == nil {
		return c, nil
	}
	if err := f.Before(c); err != nil {
		return c, failed(op, path, err)
	}
	return c, nil
}

// faulted makes a call, unless it fails before.
func faulted[T any](f *Faulty, op, path string, call func(path string) (T, error)) (T, error) {
	if _, err := f.call(op, path); err != nil {
		var none T
		return none, err
	}
	return call(path)
}

func nothing(call func(string) error) func(string) (struct{}, error) {
	return func(path string) (struct{}, error) { return struct{}{}, call(path) }
}

// MakeDir implements files.System.
func (f *Faulty) MakeDir(path string) error {
	_, err := faulted(f, "makedir", path, nothing(f.System.MakeDir))
	return err
}

// List implements files.System.
func (f *Faulty) List(dir string) ([]files.Entry, error) {
	return faulted(f, "list", dir, f.System.List)
}

// Lock implements files.System.
func (f *Faulty) Lock(path string) (files.Lock, error) {
	return faulted(f, "lock", path, f.System.Lock)
}

// Free implements files.System.
func (f *Faulty) Free(dir string) (int64, error) { return faulted(f, "free", dir, f.System.Free) }

// Remove implements durable.Names.
func (f *Faulty) Remove(path string) error {
	_, err := faulted(f, "remove", path, nothing(f.System.Remove))
	return err
}

// SyncDir implements durable.Names.
func (f *Faulty) SyncDir(dir string) error {
	_, err := faulted(f, "syncdir", dir, nothing(f.System.SyncDir))
	return err
}

// Rename implements durable.Names.
func (f *Faulty) Rename(from, to string) error {
	if _, err := f.call("rename", from); err != nil {
		return err
	}
	return f.System.Rename(from, to)
}

// Create implements files.System.
func (f *Faulty) Create(path string) (durable.File, error) {
	file, err := faulted(f, "create", path, f.System.Create)
	if err != nil {
		return nil, err
	}
	return &faultyFile{file, faultyReader{f, file, path, false}}, nil
}

// Open implements files.System.
func (f *Faulty) Open(path string) (files.Reader, int64, error) {
	if _, err := f.call("open", path); err != nil {
		return nil, 0, err
	}
	file, size, err := f.System.Open(path)
	if err != nil {
		return nil, 0, err
	}
	f.reading.Add(1)
	return faultyReader{f, file, path, true}, size, nil
}

type faultyReader struct {
	in     *Faulty
	file   files.Reader
	path   string
	opened bool // by Open
}

// ReadAt implements io.ReaderAt.
func (r faultyReader) ReadAt(p []byte, at int64) (int, error) {
	c, err := r.in.call("read", r.path)
	if err != nil {
		return 0, err
	}
	n, err := r.file.ReadAt(p, at)
	if r.in.Bend != nil {
		n = min(n, r.in.Bend(c, p[:n]))
	}
	return n, err
}

// Close implements io.Closer. It closes the file also where it fails.
func (r faultyReader) Close() error {
	_, err := r.in.call("close", r.path)
	if r.opened {
		r.in.reading.Add(-1)
	}
	if closed := r.file.Close(); closed != nil {
		return closed
	}
	return err
}

type faultyFile struct {
	durable.File
	faultyReader
}

// ReadAt implements io.ReaderAt.
func (f *faultyFile) ReadAt(p []byte, at int64) (int, error) { return f.faultyReader.ReadAt(p, at) }

// Close implements io.Closer.
func (f *faultyFile) Close() error { return f.faultyReader.Close() }

// Write implements io.Writer.
func (f *faultyFile) Write(p []byte) (int, error) {
	if _, err := f.in.call("write", f.path); err != nil {
		n, _ := f.File.Write(p[:len(p)/2]) // the fault is what is told
		return n, err
	}
	return f.File.Write(p)
}

// Sync implements durable.File.
func (f *faultyFile) Sync() error {
	if _, err := f.in.call("sync", f.path); err != nil {
		return err
	}
	return f.File.Sync()
}
