package files

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// Look is how a directory stands for a process that does not open it.
type Look struct {
	Segments int
	Bytes    int64 // of the segments and blocks
	Free     int64 // bytes of the file system that this user may still write
}

// Examine says whether a process of an owner could open a directory, and how it stands. It may be made by Open, and is not
// made here. A file is made and deleted in it, or in the nearest directory above that is there. A journal or fingerprint
// that is 0 is not known, and any is right. Whether another process has the directory open is not asked.
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
		if err = d.isOf(of); err == nil {
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

// isOf returns why the directory is not an owner's, if it is somebody's.
func (d *Directory) isOf(of Owner) error {
	data, err := d.readAll(ownerName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = of.known(data).check(data)
	return err
}

// known returns an owner with what is not known of it taken from an owner file.
func (o Owner) known(data []byte) Owner {
	var there ownership
	if json.Unmarshal(data, &there) != nil {
		return o // check says what is wrong with the file
	}
	if id, err := hex.DecodeString(there.Journal); err == nil && o.Journal == [16]byte{} {
		copy(o.Journal[:], id)
	}
	if n, err := strconv.ParseUint(there.Fingerprint, 16, 64); err == nil && o.Fingerprint == 0 {
		o.Fingerprint = n
	}
	return o
}

// try makes a file and deletes it. Were it left behind, Open would remove it.
func (d *Directory) try() error {
	f, err := os.CreateTemp(d.path, ownerName+".*.tmp")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}
