package dedup_test

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/unecho/unecho/index/files"
	"github.com/unecho/unecho/index/files/filestest"
)

// lies returns the names of the files in the directory, in order: blocks, or segments.
func (r *longRun) lies(t *testing.T, blocks bool) (names []string) {
	t.Helper()
	all, err := r.disk.List(r.at)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		if files.ValidBlockName(e.Name) == blocks && len(e.Name) > len("owner") {
			names = append(names, filepath.Join(r.at, e.Name))
		}
	}
	slices.Sort(names)
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
	r.disk, r.at = filestest.NewMemory(), "/files"
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
	r, disk := newLongRun(t), filestest.NewMemory()
	r.disk, r.at = disk, "/files"
	if _, err := r.run(t, 8, time.Hour); err == nil {
		t.Fatal("it was not stopped")
	}
	r.disk = nil
	if _, err := r.run(t, -1, time.Hour); err == nil || !strings.Contains(err.Error(), "lies in files: name them by --directory") {
		t.Errorf("without the directory: %v", err)
	}
	r.disk = disk
	disk.Damage(r.lies(t, false)[0], 1000)
	if _, err := r.run(t, -1, time.Hour); err == nil || !strings.Contains(err.Error(), "to begin anew") {
		t.Errorf("with a damaged segment: %v", err)
	}
}

// TestStopsWhileItReadsTheIndex: a run that goes on shows how far it has read its index, can be stopped there, and goes on after
// that as before. What lies in files stays.
func TestStopsWhileItReadsTheIndex(t *testing.T) {
	r := newLongRun(t)
	if _, err := r.run(t, -1, -1); err != nil {
		t.Fatal(err)
	}
	want := r.written(t)
	r.disk, r.at = filestest.NewMemory(), "/files"
	if _, err := r.run(t, len(r.paths)-1, time.Hour); err == nil {
		t.Fatal("it was not stopped")
	}
	segments := r.lies(t, false)
	ctx, cancel := context.WithCancel(t.Context())
	var read, of int64
	r.shown = func(stage string, done, total int64) {
		if stage != "reading the index" || done != read+1 || done > total {
			t.Errorf("%s: %d of %d, after %d", stage, done, total, read)
		}
		if read, of = done, total; done == 5 {
			cancel()
		}
	}
	_, err := r.goOn(ctx, -1, time.Hour, func() { t.Error("a file is read") })
	if err == nil || !strings.Contains(err.Error(), "stopped before all of the index was read; nothing was judged, and the same command goes on") {
		t.Errorf("stopped after %d of %d segments: %v", read, of, err)
	}
	if now := r.lies(t, false); read < 5 || read == of || len(segments) < 10 || !slices.Equal(now, segments) {
		t.Errorf("%d of %d segments were read, %d lay in files, and %d do", read, of, len(segments), len(now))
	}
	read = 0
	r.shown = func(_ string, done, total int64) { read, of = done, total }
	if _, err := r.run(t, -1, time.Hour); err != nil || !maps.Equal(r.written(t), want) || read < of || of < 10 {
		t.Errorf("the outputs are others, or only %d of %d segments were read; %v", read, of, err)
	}
}

// killedVariable has the directory in which a child of the test judges files.
const killedVariable = "UNECHO_TEST_KILLED"

// TestGoesOnWhenKilled: killed anywhere, with no time to do anything, it goes on all the same.
func TestGoesOnWhenKilled(t *testing.T) {
	if dir := os.Getenv(killedVariable); dir != "" {
		r := &longRun{dir: dir, checkpoint: filepath.Join(dir, "checkpoint"), asked: map[string]string{"FILE...": "a b"}}
		r.disk, r.at = files.Machine{}, filepath.Join(dir, "files")
		r.paths = strings.Split(os.Getenv(killedVariable+"_FILES"), "\n")
		if _, err := r.goOn(t.Context(), -1, 0, func() { fmt.Print(".") }); err != nil {
			t.Fatal(err)
		}
		return
	}
	r := newLongRunOf(t, 10_000)
	r.paths = r.paths[:40] // files on a disk are slow
	if _, err := r.run(t, -1, -1); err != nil {
		t.Fatal(err)
	}
	want := r.written(t)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(9, 10))
	kills := 0
	for killed := true; killed; kills++ {
		child := exec.CommandContext(t.Context(), program, "-test.run=^TestGoesOnWhenKilled$")
		child.Env = append(os.Environ(), killedVariable+"="+r.dir, killedVariable+"_FILES="+strings.Join(r.paths, "\n"))
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		_, err = io.ReadFull(out, make([]byte, 1+random.IntN(len(r.paths)/4)+kills*len(r.paths)/6))
		if killed = err == nil; killed {
			if err := child.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
		if err := child.Wait(); err != nil && !killed {
			t.Fatal(err)
		}
	}
	if got := r.written(t); !maps.Equal(got, want) || kills < 4 {
		t.Errorf("killed %d times, the outputs are the same: %v", kills, maps.Equal(got, want))
	}
}
