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

// machine is the file system of this machine.
type machine struct{ durable.OS }

func (machine) List(dir string) ([]Entry, error) {
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

func (machine) Create(path string) (durable.File, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
}

func (machine) Open(path string) (Reader, int64, error) {
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

func (machine) Lock(path string) (Lock, error) {
	f, err := lockfile.Take(path)
	if err != nil {
		return nil, err
	}
	return lock{f}, nil
}

func (machine) Free(dir string) (int64, error) { return free(dir) }

type lock struct{ *os.File }

func (l lock) Lost() bool { return lockfile.Lost(l.File) }
