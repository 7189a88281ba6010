package index_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/window"
)

// TestCheck: the shapes of all segments pass, and any incomplete set fails.
func TestCheck(t *testing.T) {
	p := estimating(2000)
	f := newFeed(t, p, 2000, 0.3)
	f.fill(2500)
	for range 4 {
		f.make()
		f.apply()
	}
	c := f.replica.Capture()
	segments := len(c.Segments)
	c.Split()
	state := c.State()
	restore := func() *index.Restore {
		r, err := index.NewRestore(p, index.Fingerprint(settings), state)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	var shapes []window.Shape
	for i := range c.Segments {
		d, err := restore().Decode(c.Segments[i].Append(nil))
		if err != nil {
			t.Fatal(err)
		}
		shapes = append(shapes, d.Shape())
	}
	last := segments - 1
	if last < 3 || len(shapes) < segments+2 {
		t.Fatalf("only %d segments and %d parts of the side table", segments, len(shapes)-segments)
	}
	if err := restore().Check(shapes); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(s []window.Shape) []window.Shape{
		"none":             func([]window.Shape) []window.Shape { return nil },
		"without first":    func(s []window.Shape) []window.Shape { return s[1:] },
		"without last":     func(s []window.Shape) []window.Shape { return s[:last] },
		"side table first": func(s []window.Shape) []window.Shape { return append(s[segments:], s[:segments]...) },
		"without a middle": func(s []window.Shape) []window.Shape { return slices.Delete(s, 1, 2) },
		"twice":            func(s []window.Shape) []window.Shape { return slices.Insert(s, 1, s[0]) },
		"swapped":          func(s []window.Shape) []window.Shape { s[0], s[1] = s[1], s[0]; return s },
		"open":             func(s []window.Shape) []window.Shape { s[1].Sealed = false; return s },
		"fewer documents":  func(s []window.Shape) []window.Shape { s[1].Documents--; return s },
	} {
		if err := restore().Check(change(slices.Clone(shapes))); !errors.Is(err, index.ErrCorrupt) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestCapturedSettings(t *testing.T) {
	p := estimating(2000)
	f := newFeed(t, p, 0, 0)
	c := f.replica.Capture()
	state := c.State()
	if got, err := index.CapturedSettings(state); err != nil || !bytes.Equal(got, settings) {
		t.Errorf("got %s, %v", got, err)
	}
	for n := range 10 {
		if got, err := index.CapturedSettings(state[:n]); !errors.Is(err, index.ErrCorrupt) {
			t.Errorf("of %d bytes: got %s, %v", n, got, err)
		}
	}
	empty, err := index.NewReplica(p, 1)
	if err != nil {
		t.Fatal(err)
	}
	c = empty.Capture()
	if got, err := index.CapturedSettings(c.State()); err != nil || got != nil {
		t.Errorf("before any settings: %q, %v", got, err)
	}
	restore, err := index.NewRestore(p, index.Fingerprint(settings), state)
	if err != nil {
		t.Fatal(err)
	}
	rows := restore.Partitions()
	if len(rows) != 1 || rows[0].Topic != "news" || rows[0].Epoch != 1 || rows[0].Source.Topic != [16]byte{1} {
		t.Errorf("partitions %+v", rows)
	}
}

// TestNoSegments: a state whose segments are missing is refused, and not taken for an empty window.
func TestNoSegments(t *testing.T) {
	p := estimating(2000)
	f := newFeed(t, p, 0, 0)
	f.fill(runEntries)
	c := f.replica.Capture()
	restore, err := index.NewRestore(p, index.Fingerprint(settings), c.State())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := restore.Replica(nil); !errors.Is(err, index.ErrCorrupt) {
		t.Errorf("got %v", err)
	}
}

// TestOtherVersions: a state and a segment of another format are refused with an error that says what to do, and not
// reported as damaged.
func TestOtherVersions(t *testing.T) {
	p := estimating(2000)
	f := newFeed(t, p, 0, 0)
	f.fill(runEntries)
	c := f.replica.Capture()
	state, segment := c.State(), c.Segments[0].Append(nil)
	restore, err := index.NewRestore(p, index.Fingerprint(settings), state)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		version byte
		remedy  string
	}{{100, "upgrade this program"}, {1, "start the version that wrote it"}} {
		state[0], segment[0] = test.version, test.version
		_, ofState := index.NewRestore(p, index.Fingerprint(settings), state)
		_, ofSettings := index.CapturedSettings(state)
		_, ofSegment := restore.Decode(segment)
		for _, err := range []error{ofState, ofSettings, ofSegment} {
			if !errors.Is(err, index.ErrVersion) || errors.Is(err, index.ErrCorrupt) ||
				!bytes.Contains([]byte(err.Error()), []byte(test.remedy)) {
				t.Errorf("version %d: got %v, want %q", test.version, err, test.remedy)
			}
		}
	}
}
