package dedup_test

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/unecho/unecho/index/files"
	"github.com/unecho/unecho/index/files/filestest"
)

// lies returns the names of the files in the directory: blocks, or segments.
func (r *longRun) lies(t *testing.T, blocks bool) (names []string) {
	t.Helper()
	all, err := r.disk.List("/files")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		if files.ValidBlockName(e.Name) == blocks && len(e.Name) > len("owner") {
			names = append(names, "/files/"+e.Name)
		}
	}
	return names
}

// TestGoesOnInDirectory: outputs of a run that is stopped again and again, with old documents in files, are those of one that
// is not, in memory. Blocks that are gone are made anew.
func TestGoesOnInDirectory(t *testing.T) {
	r := newLongRun(t)
	if _, err := r.run(t, -1, -1); err != nil {
		t.Fatal(err)
	}
	want := r.written(t)
	r.disk = filestest.NewMemory()
	removed := 0
	for i := 1; i < len(r.paths); i++ {
		_, err := r.run(t, i, time.Duration(i%2)*time.Hour)
		if err == nil || !strings.Contains(err.Error(), "stopped after") {
			t.Fatalf("stopped at file %d: %v", i, err)
		}
		for k, name := range r.lies(t, true) {
			if k%3 == i%3 {
				removed++
				if err := r.disk.Remove(name); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	state, err := os.Stat(filepath.Join(r.checkpoint, "dedup.checkpoint"))
	if err != nil {
		t.Fatal(err)
	}
	segments := r.lies(t, false)
	if removed < 5 || len(segments) < 20 || state.Size() > 200_000 {
		t.Errorf("%d blocks were removed, %d segments lie in files, and the checkpoint has %d bytes", removed, len(segments), state.Size())
	}
	if _, err := r.run(t, -1, 0); err != nil || !maps.Equal(r.written(t), want) {
		t.Errorf("the outputs are others; %v", err)
	}
}

// TestGoesOnWithItsDirectory: a run whose files are not named, or are damaged, is refused.
func TestGoesOnWithItsDirectory(t *testing.T) {
	r := newLongRun(t)
	r.disk = filestest.NewMemory()
	if _, err := r.run(t, 8, time.Hour); err == nil {
		t.Fatal("it was not stopped")
	}
	disk := r.disk
	r.disk = nil
	if _, err := r.run(t, -1, time.Hour); err == nil || !strings.Contains(err.Error(), "lies in files: name them by --directory") {
		t.Errorf("without the directory: %v", err)
	}
	r.disk = disk
	r.disk.Damage(r.lies(t, false)[0], 1000)
	if _, err := r.run(t, -1, time.Hour); err == nil || !strings.Contains(err.Error(), "remove it to begin anew") {
		t.Errorf("with a damaged segment: %v", err)
	}
}
