package files

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/unecho/unecho/index/snapshot/durable"
	"github.com/unecho/unecho/index/snapshot/lockfile"
)

// System is what a Directory asks of a file system. Its methods may be called from several goroutines.
type System interface {
	durable.Names
	MakeDir(path string) error // with its missing parents, durable on return
	List(dir string) ([]Entry, error)
	Create(path string) (durable.File, error)              // a new file
	Open(path string) (file Reader, size int64, err error) // for reads at random places
	Lock(path string) (Lock, error)                        // a *lockfile.TakenError: another has it
	Free(dir string) (int64, error)                        // bytes
	MostOpen() int                                         // files that may stay open
}

// Entry is a name in a directory.
type Entry struct {
	Name  string
	Bytes int64 // -1: it is no file
}

// Reader is an open file.
type Reader interface {
	io.ReaderAt
	io.Closer
}

// Lock keeps a directory for one process.
type Lock interface {
	io.Closer
	Lost() bool // the locked file was removed or replaced, with its directory or without
}

// Machine is the file system of this machine.
type Machine struct{ durable.OS }

// List implements System.
func (Machine) List(dir string) ([]Entry, error) {
	found, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	entries := make([]Entry, 0, len(found))
	for _, f := range found {
		info, err := f.Info()
		switch {
		case errors.Is(err, fs.ErrNotExist): // removed since the listing
		case err != nil:
			return nil, err
		case info.Mode().IsRegular():
			entries = append(entries, Entry{f.Name(), info.Size()})
		default:
			entries = append(entries, Entry{f.Name(), -1})
		}
	}
	return entries, nil
}

// Create implements System.
func (Machine) Create(path string) (durable.File, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
}

// Open implements System.
func (Machine) Open(path string) (Reader, int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, 0, errors.Join(err, f.Close())
	}
	readRandomly(f)
	return f, info.Size(), nil
}

// Lock implements System.
func (Machine) Lock(path string) (Lock, error) {
	f, err := lockfile.Take(path)
	if err != nil {
		return nil, err
	}
	return lock{f}, nil
}

// Free implements System.
func (Machine) Free(dir string) (int64, error) { return free(dir) }

// MostOpen implements System: half of what the process may have open, because Kafka needs some.
func (Machine) MostOpen() int { return max(256, min(openFiles()/2, 8192)) }

type lock struct{ *os.File }

// Lost implements Lock.
func (l lock) Lost() bool { return lockfile.Lost(l.File) }
