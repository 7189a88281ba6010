package localdir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/index/snapshot/durable"
	"github.com/unecho/unecho/index/snapshot/objects"
	"github.com/unecho/unecho/index/snapshot/storetest"
)

func TestMain(m *testing.M) {
	if os.Getenv(holdEnv) != "" {
		holdForever()
	}
	goleak.VerifyTestMain(m)
}

func params(dir string) Params { return Params{Path: dir} }

func openAt(t testing.TB, dir, index string) *Store {
	t.Helper()
	s, err := params(dir).open(t.Context(), index)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestConformance(t *testing.T) { storetest.Run(t, backing) }

func backing(t *testing.T) storetest.Backing {
	t.Helper()
	dir := t.TempDir()
	s, err := params(dir).locate(storetest.Index)
	if err != nil {
		t.Fatal(err)
	}
	return storetest.Backing{
		Opener: params(dir),
		CorruptSegment: func(t testing.TB, name string, change func([]byte) []byte) {
			rewrite(t, s.dir.path(objects.Segments+name), change)
		},
		CorruptManifest: func(t testing.TB, at snapshot.Position, change func([]byte) []byte) {
			rewrite(t, s.dir.path(objects.Manifests+at.FileName()), change)
		},
		Bytes: func(t testing.TB) []byte { return allBytes(t, dir) },
		Age:   func(t testing.TB, by time.Duration) { age(t, dir, by) },
	}
}

func rewrite(t testing.TB, path string, change func([]byte) []byte) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, change(data), 0o600); err != nil {
		t.Fatal(err)
	}
}

func allBytes(t testing.TB, dir string) (all []byte) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		all = append(all, data...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// age makes all files older, while files may be created and deleted.
func age(t testing.TB, dir string, by time.Duration) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return durable.IgnoreMissing(err)
		}
		info, err := d.Info()
		if err != nil {
			return durable.IgnoreMissing(err)
		}
		then := info.ModTime().Add(-by)
		return durable.IgnoreMissing(os.Chtimes(path, then, then))
	})
	if err != nil {
		t.Error(err)
	}
}

// A manifest that is damaged in its place keeps no segment: nobody knows which ones it names.
func TestDamagedInPlace(t *testing.T) {
	dir := t.TempDir()
	s := openAt(t, dir, "orders")
	segment := snapshot.NewSegment(nil, 1)
	m := snapshot.Manifest{Index: "orders", Segments: []snapshot.Segment{segment}}
	if err := errors.Join(s.PutSegment(t.Context(), segment.Name, nil), s.Publish(t.Context(), m)); err != nil {
		t.Fatal(err)
	}
	rewrite(t, s.dir.path(objects.Manifests+m.Position.FileName()), func(data []byte) []byte { return data[:len(data)-1] })
	age(t, dir, 2*snapshot.Grace)
	if done, err := s.Collect(t.Context(), 1); err != nil || done.Segments != 1 {
		t.Errorf("collected %+v, error %v; want the segment", done, err)
	}
}
