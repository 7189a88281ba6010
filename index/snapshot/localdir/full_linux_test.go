package localdir

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/index/snapshot/objects"
	"github.com/unecho/unecho/index/snapshot/storetest"
)

// small mounts a file system of 1 MiB.
func small(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("a small file system cannot be mounted, which takes root and a container that allows it: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// TestDiskFull: a snapshot that does not fit is not listed, the others are, nothing is left in tmp, and writing
// succeeds again when there is room.
func TestDiskFull(t *testing.T) {
	dir := small(t)
	p := params(dir)
	s, err := p.open(t.Context(), storetest.Index)
	if err != nil {
		t.Fatal(err)
	}
	f := storetest.NewStream(t, 10_000, 5)
	w := f.Writer(s)
	f.Judge(1000)
	first, _ := f.Write(t, w)
	for err == nil {
		f.Judge(500)
		capture := f.Replica.Capture()
		_, err = w.Write(t.Context(), &capture, f.Manifest())
	}
	if !errors.Is(err, unix.ENOSPC) ||
		!strings.Contains(err.Error(), "make room there, or remember fewer documents (duplicates.remember)") {
		t.Fatalf("got %v", err)
	}
	if n := temps(t, s); n != 0 {
		t.Errorf("%d half-written files are left", n)
	}
	infos, err := s.Manifests(t.Context())
	if err != nil || len(infos) < 2 {
		t.Fatalf("%d snapshots, %v", len(infos), err)
	}
	for _, info := range infos {
		r, err := f.Restore(t, s, info.Position)
		if err != nil {
			t.Fatal(err)
		}
		f.Same(t, r)
	}
	makeRoom(t, s, first)
	f.Judge(100)
	position, _ := f.Write(t, w)
	r, err := f.Restore(t, s, position)
	if err != nil {
		t.Fatal(err)
	}
	f.Same(t, r)
}

// makeRoom deletes all snapshots but the newest, and then the segments that it does not name, as a collector does when
// their grace is over.
func makeRoom(t *testing.T, s *Store, first snapshot.Position) {
	t.Helper()
	age(t, filepath.Dir(s.dir.root), snapshot.Grace+1)
	done, err := s.Collect(t.Context(), 1)
	if err != nil || done.Manifests == 0 || done.Segments == 0 {
		t.Fatalf("collected %+v, %v", done, err)
	}
	if _, err := os.Stat(s.dir.path(objects.Manifests + first.FileName())); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the first snapshot is still there: %v", err)
	}
}
