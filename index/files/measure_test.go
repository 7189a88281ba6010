package files

import (
	"bytes"
	"compress/flate"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// trial measures with a clock of its own, which goes on at each look at it: by half of the time that there is as many times as
// leaps says, and then by 1 ms. It notes how far it was.
func trial(leaps int, done *[]float64) Trial {
	var mu sync.Mutex
	now, looks := time.Unix(0, 0), 0
	return Trial{
		Readers: 4,
		Now: func() time.Time {
			mu.Lock()
			defer mu.Unlock()
			step := time.Millisecond
			if looks++; looks <= leaps {
				step = trialTime / 2
			}
			now = now.Add(step)
			return now
		},
		Done: func(share float64) { *done = append(*done, share) },
	}
}

// TestMeasure: a disk is measured in the directory, or above one that is not there yet, and nothing is left behind, also while
// another process has the directory open.
func TestMeasure(t *testing.T) {
	for name, make := range map[string]func(t *testing.T, path string){
		"not there": func(*testing.T, string) {},
		"open":      opened(Owner{Group: "g"}, []byte("a segment")),
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			path := filepath.Join(root, "a", "b")
			make(t, path)
			before, done := all(t, root), []float64(nil)
			s, err := Measure(t.Context(), path, trial(4, &done))
			must(t, err)
			want := root
			if name == "open" {
				want = path
			}
			if s.At != want || s.Pages < 100 || s.Bytes < trialPiece {
				t.Errorf("measured %+v, want it in %s", s, want)
			}
			for i, share := range done {
				if share < 0 || share > 1 || i > 0 && share < done[i-1] {
					t.Fatalf("it was said to be done by %v", done)
				}
			}
			if len(done) < 3 {
				t.Errorf("it was said to be done by %v only", done)
			}
			if after := all(t, root); after != before {
				t.Errorf("there was\n%s\nand is\n%s", before, after)
			}
		})
	}
}

// TestMeasureEnds: it ends with its time, however slow the disk is, and with its context; and it says what is wrong.
func TestMeasureEnds(t *testing.T) {
	root, done := t.TempDir(), []float64(nil)
	s, err := Measure(t.Context(), root, trial(100, &done))
	if must(t, err); s.Pages > 40 || s.Bytes > 3*trialPiece {
		t.Errorf("in no time it has measured %+v", s)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Measure(ctx, root, trial(0, &done)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that it is canceled", err)
	}
	must(t, os.WriteFile(filepath.Join(root, "file"), nil, 0o600))
	_, err = Measure(t.Context(), filepath.Join(root, "file"), trial(0, &done))
	if err == nil || !strings.Contains(err.Error(), "a file stands where a directory is needed") {
		t.Errorf("error %v, want that a file is no directory", err)
	}
	if after := all(t, root); after != root+"\n"+filepath.Join(root, "file") {
		t.Errorf("there is\n%s", after)
	}
}

// TestMeasureWritesUnlikeBytes: what is written cannot be compressed, and no page is like another one of this or another
// measurement.
func TestMeasureWritesUnlikeBytes(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "file"))
	must(t, err)
	defer f.Close()
	var done []float64
	for range 2 {
		tr := trial(0, &done)
		_, err = tr.write(t.Context(), f, 2*trialPiece, &Speed{})
		must(t, err)
	}
	data, err := os.ReadFile(f.Name())
	must(t, err)
	pages := map[[16]byte]bool{}
	for at := 0; at < len(data); at += PageBytes {
		pages[[16]byte(data[at:])] = true
	}
	if len(pages) != 4*trialPiece/PageBytes {
		t.Errorf("of %d pages %d are unlike", 4*trialPiece/PageBytes, len(pages))
	}
	var short bytes.Buffer
	w, err := flate.NewWriter(&short, flate.BestSpeed)
	must(t, err)
	_, err = w.Write(data[:1<<20])
	must(t, errors.Join(err, w.Close()))
	if short.Len() < 1<<20 {
		t.Errorf("1 MiB is compressed to %d bytes", short.Len())
	}
}
