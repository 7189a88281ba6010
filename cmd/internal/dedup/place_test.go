package dedup_test

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/unecho/unecho/index/setting"
)

// state is the file of the checkpoint.
func (r *longRun) state() string { return filepath.Join(r.checkpoint, "dedup.checkpoint") }

const inParts = 400 * setting.KiB // memory for a fifth of the documents

// TestPassesGoOn: a run in passes that is stopped again and again, anywhere in each of them, has the outputs and counts of
// one that has room for all.
func TestPassesGoOn(t *testing.T) {
	r := newLongRunOf(t, 6000)
	whole, err := r.run(t, -1, -1)
	if err != nil {
		t.Fatal(err)
	}
	want := r.written(t)
	random := rand.New(rand.NewPCG(7, 8))
	stops, crashes, passes := 0, 0, map[string]int{}
	for earlier, in := []byte(nil), "0"; ; {
		if now, err := os.ReadFile(r.state()); err == nil {
			pass := passOf(t, r)
			if passes[pass]++; pass[0] == in[0] && random.IntN(2) == 0 { // as if it had crashed behind the checkpoint before
				now, crashes = earlier, crashes+1
				if err := os.WriteFile(r.state(), earlier, 0o600); err != nil {
					t.Fatal(err)
				}
				halfWritten(t, filepath.Join(r.checkpoint, "dedup.matches-"+pass[:1]))
			}
			earlier, in = now, passOf(t, r)
		}
		got, err := r.goOn(t.Context(), len(r.paths)/4+random.IntN(len(r.paths)), time.Duration(stops%2)*time.Hour, inParts, func() {})
		if err == nil {
			if got.Documents != whole.Documents || got.Duplicate != whole.Duplicate || got.Unique != whole.Unique || got.Rejected != whole.Rejected {
				t.Errorf("%+v, want %+v", got, whole)
			}
			break
		}
		if !strings.Contains(err.Error(), "stopped after") {
			t.Fatal(err)
		}
		stops++
	}
	if got := r.written(t); !maps.Equal(got, want) {
		t.Error("the outputs are others")
	}
	t.Logf("%d stops, %d crashes, in passes %v", stops, crashes, passes)
	if stops < 5 || len(passes) < 3 {
		t.Errorf("it went on in passes %v only", passes)
	}
	if left, err := os.ReadDir(r.checkpoint); err != nil || len(left) > 0 {
		t.Errorf("left are %v, %v", left, err)
	}
}

// halfWritten adds what a crash may leave behind a checkpoint.
func halfWritten(t *testing.T, path string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(bytes.Repeat([]byte{0xfe}, 7)); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// passOf returns in which pass a checkpoint was taken, and whether its share was full.
func passOf(t *testing.T, r *longRun) string {
	t.Helper()
	data, err := os.ReadFile(r.state())
	if err != nil {
		t.Fatal(err)
	}
	line, _, _ := bytes.Cut(data, []byte{'\n'})
	found := regexp.MustCompile(`"pass":(\d+).*"full":(true|false)`).FindSubmatch(line)
	if found == nil {
		t.Fatalf("no pass in %s", line)
	}
	return fmt.Sprintf("%s full %s", found[1], found[2])
}

// killedVariable has the directory in which a child of the test judges files in passes.
const killedVariable = "UNECHO_TEST_PASSES"

// TestPassesKilled: killed anywhere, with no time to do anything, it goes on all the same.
func TestPassesKilled(t *testing.T) {
	if dir := os.Getenv(killedVariable); dir != "" {
		r := &longRun{dir: dir, checkpoint: filepath.Join(dir, "checkpoint"), asked: map[string]string{"FILE...": "a b"}}
		r.paths = strings.Split(os.Getenv(killedVariable+"_FILES"), "\n")
		if _, err := r.goOn(t.Context(), -1, 0, inParts, func() { fmt.Print(".") }); err != nil {
			t.Fatal(err)
		}
		return
	}
	r := newLongRunOf(t, 20_000)
	r.paths = slices.Concat(r.paths, r.paths, r.paths) // many matches wait for the next pass
	if _, err := r.run(t, -1, -1); err != nil {
		t.Fatal(err)
	}
	want := r.written(t)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(9, 10))
	passes := map[string]int{}
	for killed := true; killed; {
		child := exec.CommandContext(t.Context(), program, "-test.run=^TestPassesKilled$")
		child.Env = append(os.Environ(), killedVariable+"="+r.dir, killedVariable+"_FILES="+strings.Join(r.paths, "\n"))
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		_, err = io.ReadFull(out, make([]byte, 1+random.IntN(len(r.paths)*3/2)))
		if killed = err == nil; killed {
			if err := child.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
		if err := child.Wait(); err != nil && !killed {
			t.Fatal(err)
		}
		if _, err := os.Stat(r.state()); err == nil {
			passes[passOf(t, r)]++
		} else if killed && len(passes) > 0 {
			break // it was done
		}
	}
	if got := r.written(t); !maps.Equal(got, want) {
		t.Error("the outputs are others")
	}
	t.Logf("killed in passes %v", passes)
	if len(passes) < 2 {
		t.Errorf("it was killed in passes %v only", passes)
	}
}

// TestPassesAreAdded: a run whose memory did not suffice goes on in passes, and one in passes with other memory.
func TestPassesAreAdded(t *testing.T) {
	r := newLongRun(t)
	if _, err := r.run(t, -1, -1); err != nil {
		t.Fatal(err)
	}
	want := r.written(t)
	if _, err := r.run(t, 5, 0); err == nil {
		t.Fatal("it was not stopped")
	}
	r.asked["--passes"] = "true"
	if _, err := r.goOn(t.Context(), 7, 0, 10*setting.KiB, func() {}); err == nil ||
		!strings.Contains(err.Error(), "give it as much as it had") {
		t.Errorf("with less memory than its index has: %v", err)
	}
	if _, err := r.goOn(t.Context(), 2*len(r.paths), 0, inParts, func() {}); err == nil || !strings.Contains(err.Error(), "stopped after") {
		t.Fatal(err)
	}
	delete(r.asked, "--passes")
	if _, err := r.run(t, -1, 0); err == nil || !strings.Contains(err.Error(), "--passes was true, and is left out now") {
		t.Errorf("without passes: %v", err)
	}
	r.asked["--passes"] = "true"
	if _, err := r.goOn(t.Context(), -1, 0, setting.GiB, func() {}); err != nil {
		t.Fatal(err)
	}
	if got := r.written(t); !maps.Equal(got, want) {
		t.Error("the outputs are others")
	}
}
