package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Look is how a directory stands for a process that does not open it.
type Look struct {
	Segments int
	Bytes    int64 // of the segments and blocks
	Free     int64 // bytes of the file system that this user may still write
}

// Examine says whether a process of an owner could open a directory, and how it stands. It may be made by Open, and is not
// made here. A file is made and deleted in it, or in the nearest directory above that is there. Whether another process has
// the directory open is not asked.
func Examine(path string, of Owner) (Look, error) {
	l, err := examine(path, of)
	if err != nil {
		return l, fmt.Errorf("directory of segments %s: %w", path, err)
	}
	return l, nil
}

func examine(path string, of Owner) (l Look, err error) {
	if path, err = filepath.Abs(path); err != nil {
		return l, err
	}
	d := &Directory{system: Machine{}, path: path, of: of}
	entries, err := d.system.List(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		d.path = nearest(path)
	case err == nil:
		if _, err = d.claimed(); err == nil {
			err = d.refuse()
		}
	}
	if err == nil || d.path != path {
		err = d.try()
	}
	if err == nil {
		l.Free, err = d.Free()
	}
	if err == nil && len(entries) > 0 {
		l.Segments, l.Bytes, err = d.Usage()
	}
	return l, d.explain(err)
}

// nearest returns the nearest directory above one that is missing.
func nearest(path string) string {
	for {
		above := filepath.Dir(path)
		if _, err := os.Stat(above); err == nil || above == path {
			return above
		}
		path = above
	}
}

// try makes a file and deletes it. Were it left behind, Open would remove it.
func (d *Directory) try() error {
	f, err := os.CreateTemp(d.path, ownerName+".*.tmp")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}
