package localdir

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/index/snapshot/objects"
)

func TestExplain(t *testing.T) {
	cases := map[error]string{
		unix.ENOSPC:  "make room",
		unix.EDQUOT:  "make room",
		unix.EROFS:   "mount it writable",
		unix.EACCES:  fmt.Sprintf("user with id %d", os.Geteuid()),
		unix.EPERM:   "give the directory to the user",
		unix.ENOTDIR: "a file stands where a directory is needed",
		unix.ENOENT:  "removed or unmounted",
		unix.ENOLCK:  "NFSv4",
		unix.EIO:     "system's log",
	}
	for cause, remedy := range cases {
		err := explain(&os.PathError{Op: "write", Path: "/data/x", Err: cause})
		if !errors.Is(err, cause) || !strings.Contains(err.Error(), remedy) || !strings.Contains(err.Error(), "/data/x") {
			t.Errorf("%v is explained as %q, want the path and %q", cause, err, remedy)
		}
	}
	if err := explain(snapshot.ErrStale); err != snapshot.ErrStale { //nolint:errorlint // it must be the very same
		t.Errorf("became %v", err)
	}
}

func TestFileInTheWay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := params(path).Open(t.Context(), "orders")
	if !errors.Is(err, unix.ENOTDIR) || !strings.Contains(err.Error(), "name another directory") {
		t.Fatalf("got %v", err)
	}
	if _, err := params("").Open(t.Context(), "orders"); err == nil {
		t.Error("opened no directory")
	}
	if _, err := params(t.TempDir()).Open(t.Context(), ""); err == nil {
		t.Error("opened for an index without a name")
	}
}

// TestDirectoryTakenAway: the volume is unmounted while the process runs.
func TestDirectoryTakenAway(t *testing.T) {
	dir := t.TempDir()
	s := openAt(t, dir, "orders")
	if err := os.RemoveAll(s.dir.root); err != nil {
		t.Fatal(err)
	}
	m := snapshot.Manifest{Index: "orders"}
	for name, err := range map[string]error{
		"publish": s.Publish(t.Context(), m),
		"list":    func() error { _, err := s.Manifests(t.Context()); return err }(),
		"collect": func() error { _, err := s.Collect(t.Context(), 2); return err }(),
	} {
		if err == nil || !strings.Contains(err.Error(), "removed or unmounted") {
			t.Errorf("%s where the directory is taken away says %v; want that it was removed or unmounted", name, err)
		}
	}
}

func TestModes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deep", "snapshots")
	s := openAt(t, dir, "orders")
	name := snapshot.SegmentName(nil)
	if err := s.PutSegment(t.Context(), name, nil); err != nil {
		t.Fatal(err)
	}
	for path, mode := range map[string]os.FileMode{
		dir: 0o700 | os.ModeDir, s.dir.root: 0o700 | os.ModeDir, filepath.Dir(s.dir.path(objects.Segments + name)): 0o700 | os.ModeDir,
		s.dir.path(objects.Segments + name): 0o600,
	} {
		info, err := os.Stat(path)
		if err != nil || info.Mode() != mode {
			t.Errorf("%s has mode %v, want %v (%v)", path, info.Mode(), mode, err)
		}
	}
}

// TestLinkedSegments: somebody has moved the segments to a larger disk and left a link.
func TestLinkedSegments(t *testing.T) {
	s, disk := openAt(t, t.TempDir(), "orders"), filepath.Join(t.TempDir(), "segments")
	segments := filepath.Join(s.dir.root, objects.Segments)
	if err := errors.Join(os.Rename(segments, disk), os.Symlink(disk, segments)); err != nil {
		t.Fatal(err)
	}
	segment := snapshot.NewSegment(nil, 1)
	m := snapshot.Manifest{Index: "orders", Segments: []snapshot.Segment{segment}}
	if err := errors.Join(s.PutSegment(t.Context(), segment.Name, nil), s.Publish(t.Context(), m)); err != nil {
		t.Error(err)
	}
}

// TestFilesElsewhere: somebody has put files aside, in directories beside those where the store looks for them.
func TestFilesElsewhere(t *testing.T) {
	dir := t.TempDir()
	s := openAt(t, dir, "orders")
	segment, aside := snapshot.NewSegment(nil, 1), snapshot.NewSegment([]byte("aside"), 1)
	for at, name := range map[string]string{
		"manifests/old":     snapshot.Position{Offset: 9}.FileName(),
		"segments/old/more": aside.Name,
		"segments":          "x",
	} {
		at = filepath.Join(s.dir.root, at)
		if err := errors.Join(os.MkdirAll(at, 0o700), os.WriteFile(filepath.Join(at, name), []byte("aside"), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.PutSegment(t.Context(), segment.Name, nil); err != nil {
		t.Fatal(err)
	}
	if missing, err := s.HasSegments(t.Context(), []string{segment.Name, aside.Name}); err != nil || !slices.Equal(missing, []string{aside.Name}) {
		t.Errorf("missing are %v, error %v; want the one that lies elsewhere", missing, err)
	}
	linked, manifest := filepath.Join(dir, "larger disk"), s.dir.path(objects.Manifests+snapshot.Position{Offset: 8}.FileName())
	lies := s.dir.path(objects.Segments + segment.Name)
	if err := errors.Join(os.Rename(lies, linked), os.Symlink(linked, lies), os.Symlink("nowhere", manifest)); err != nil {
		t.Fatal(err)
	}
	m := snapshot.Manifest{Index: "orders", Segments: []snapshot.Segment{segment}}
	if err := s.Publish(t.Context(), m); err != nil {
		t.Errorf("publish is refused: %v", err)
	}
	age(t, dir, 2*snapshot.Grace)
	if done, err := s.Collect(t.Context(), 1); err != nil || done.Manifests+done.Segments != 0 {
		t.Errorf("collected %+v, error %v; want nothing", done, err)
	}
}

func BenchmarkPut(b *testing.B) {
	s, data := openAt(b, b.TempDir(), "orders"), make([]byte, 16<<20)
	b.SetBytes(int64(len(data)))
	for i := 0; b.Loop(); i++ {
		data[0], data[1], data[2] = byte(i), byte(i>>8), byte(i>>16)
		if err := s.PutSegment(b.Context(), snapshot.SegmentName(data), data); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkGet(b *testing.B) {
	s, data := openAt(b, b.TempDir(), "orders"), make([]byte, 16<<20)
	name := snapshot.SegmentName(data)
	if err := s.PutSegment(b.Context(), name, data); err != nil {
		b.Fatal(err)
	}
	b.Run("segment", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			if _, err := s.Segment(b.Context(), name); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("bare", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			if _, err := os.ReadFile(s.dir.path(objects.Segments + name)); err != nil {
				b.Fatal(err)
			}
		}
	})
}
