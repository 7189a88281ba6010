package files_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/unecho/unecho/index/files"
	"github.com/unecho/unecho/index/files/filestest"
	"github.com/unecho/unecho/index/snapshot"
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

// TestOpenRunFull: a full disk is told once, and with what to do.
func TestOpenRunFull(t *testing.T) {
	for _, op := range []string{"makedir", "lock", "create", "write"} {
		full := &filestest.Faulty{System: files.Machine{}, Before: func(c filestest.Call) error {
			if c.Op == op {
				return syscall.ENOSPC
			}
			return nil
		}}
		_, err := files.OpenIn(full, filepath.Join(t.TempDir(), "files"), files.Owner{Run: "a test"})
		err = files.Mend(err, "run it again")
		for _, words := range []string{"the disk is full", "no space left on device", ": make room there, and run it again"} {
			if err == nil || strings.Count(err.Error(), words) != 1 {
				t.Errorf("%s says %v, want once: %s", op, err, words)
			}
		}
	}
}

// TestOpenRun: what a run left that was killed is removed by the next one, unless that goes on from it.
func TestOpenRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "files")
	data := []byte("a segment")
	d, err := files.OpenRun(path, "a test", false)
	noError(t, err)
	noError(t, d.Put(t.Context(), snapshot.SegmentName(data), data))
	noError(t, d.End(true))
	for _, c := range []struct {
		goesOn bool
		want   int
	}{{true, 1}, {false, 0}} {
		d, err := files.OpenRun(path, "a test", c.goesOn)
		noError(t, err)
		if segments, _, err := d.Usage(); segments != c.want || err != nil {
			t.Errorf("it goes on: %t, with %d segments, error %v; want %d", c.goesOn, segments, err, c.want)
		}
		noError(t, d.End(c.goesOn))
	}
	none, err := files.OpenRun("", "a test", false)
	if none != nil || err != nil || none.Beside() != nil || none.End(false) != nil {
		t.Errorf("without a directory it is %v, error %v", none, err)
	}
}
