package files_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/unecho/unecho/index/files"
)

// TestRemove: a directory that was made for a run goes with its files, also where the run went on from another one. It stays
// if it was there before, or holds other things.
func TestRemove(t *testing.T) {
	for name, c := range map[string]struct {
		before, within, again, stays bool
	}{
		"made for it":       {},
		"by a run before":   {again: true},
		"there before":      {before: true, stays: true},
		"with other things": {within: true, stays: true},
	} {
		path := filepath.Join(t.TempDir(), "files")
		if c.before {
			noError(t, os.Mkdir(path, 0o700))
		}
		open := func() *files.Directory {
			d, err := files.Open(path, files.Owner{Run: "a test"})
			noError(t, err)
			return d
		}
		d := open()
		if c.within {
			noError(t, os.WriteFile(filepath.Join(path, "notes"), nil, 0o600))
		}
		if c.again {
			noError(t, d.Close())
			d = open()
		}
		noError(t, d.Remove())
		left, err := os.ReadDir(path)
		if stays := !errors.Is(err, fs.ErrNotExist); stays != c.stays || len(left) > 0 != c.within {
			t.Errorf("%s: the directory stays: %v, with %v", name, stays, left)
		}
	}
}
