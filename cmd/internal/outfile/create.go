package outfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrExists is returned for a file that exists but must not.
var ErrExists = errors.New("exists already and is left as it is; name another file")

// Create writes a file that must not exist yet, and that appears only when it is complete, as that of Replace. Only its
// owner may read it, because it may contain passwords or texts.
func Create(path string, write func(io.Writer) error) error {
	switch _, err := os.Lstat(path); {
	case err == nil:
		return ErrExists
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	f, err := beside(anyHalf(), target{place: path}, 0o600)
	if problem := (*fs.PathError)(nil); errors.As(err, &problem) {
		return &fs.PathError{Op: "open", Path: path, Err: problem.Err} // the name beside it means nothing to a person
	}
	if err != nil {
		return err
	}
	if err := complete(f, write); err != nil {
		return err
	}
	if err := link(f.Name(), path); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return syncDir(filepath.Dir(path))
}

// link gives a file its name, unless another has taken it by now. A link never replaces a file. Where the file system
// has no links, a look before the renaming must do.
func link(from, to string) error {
	if os.Link(from, to) == nil {
		return os.Remove(from)
	}
	if _, err := os.Lstat(to); err == nil {
		return ErrExists
	}
	return os.Rename(from, to)
}
