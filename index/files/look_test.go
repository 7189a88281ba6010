package files

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/index/snapshot/durable"
)

// TestExamine: who looks is told what Open would say, and changes nothing.
func TestExamine(t *testing.T) {
	owner := Owner{Group: "g", Journal: [16]byte{1}, Fingerprint: 7}
	data := []byte("a segment")
	for name, c := range map[string]struct {
		make func(t *testing.T, path string)
		of   Owner
		want string // part of the error; empty: none
	}{
		"not there":     {func(*testing.T, string) {}, owner, ""},
		"a part of it":  {func(t *testing.T, path string) { must(t, os.MkdirAll(filepath.Dir(path), 0o700)) }, owner, ""},
		"empty":         {func(t *testing.T, path string) { must(t, os.MkdirAll(path, 0o700)) }, owner, ""},
		"ours":          {opened(owner, data), owner, ""},
		"of the group":  {opened(owner, data), Owner{Group: "g"}, ""},
		"other journal": {opened(owner, data), Owner{Group: "g", Journal: [16]byte{2}}, "it is of the journal with topic id 01"},
		"other group":   {opened(owner, data), Owner{Group: "h"}, `it is of group "g", this member of group "h"`},
		"other things": {func(t *testing.T, path string) {
			must(t, os.MkdirAll(path, 0o700))
			must(t, os.WriteFile(filepath.Join(path, "photo.jpeg"), data, 0o600))
		}, owner, `other things, such as "photo.jpeg"`},
		"a file": {func(t *testing.T, path string) {
			must(t, os.MkdirAll(filepath.Dir(path), 0o700))
			must(t, os.WriteFile(path, data, 0o600))
		}, owner, "not a directory"},
		"above it a file": {func(t *testing.T, path string) { must(t, os.WriteFile(filepath.Dir(path), data, 0o600)) }, owner, "not a directory"},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			path := filepath.Join(root, "a", "b")
			c.make(t, path)
			before := all(t, root)
			l, err := Examine(path, c.of)
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
			if err == nil && l.Free < 1<<20 {
				t.Errorf("%d bytes are free", l.Free)
			}
			if n := strings.Count(before, snapshot.SegmentName(data)); err == nil && (l.Segments != n || l.Bytes != int64(n*2*len(data))) {
				t.Errorf("%d segments, %d bytes, want %d", l.Segments, l.Bytes, n)
			}
			if after := all(t, root); after != before {
				t.Errorf("there was\n%s\nand is\n%s", before, after)
			}
		})
	}
}

// opened makes a directory of an owner with a segment and a block of the same bytes, which another process has open.
func opened(of Owner, data []byte) func(t *testing.T, path string) {
	return func(t *testing.T, path string) {
		t.Helper()
		d, err := Open(path, of)
		must(t, err)
		t.Cleanup(func() { must(t, d.Close()) })
		must(t, d.Put(t.Context(), snapshot.SegmentName(data), data))
		must(t, d.Write(t.Context(), "1-2.block", durable.Data(data)))
	}
}

// all lists what is below a directory.
func all(t *testing.T, root string) string {
	t.Helper()
	var names []string
	must(t, filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
		names = append(names, path)
		return err
	}))
	return strings.Join(names, "\n")
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
