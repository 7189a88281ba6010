package storetest

import (
	"testing"

	"github.com/unecho/unecho/index/snapshot"
)

// sideApart: a snapshot whose side table is stored apart, as in large windows, is restored, and damage to a part of it
// is found.
func sideApart(t *testing.T, b Backing) {
	s, f := open(t, b), NewStream(t, held, 5)
	f.Judge(5000)
	capture, m := f.Replica.Capture(), f.Manifest()
	segments := len(capture.Segments)
	capture.Split()
	parts := len(capture.Segments) - segments
	if parts < 2 {
		t.Fatalf("the side table of %d segments has %d parts", segments, parts)
	}
	w := f.Writer(s)
	if done, err := w.Write(t.Context(), &capture, m); err != nil || done.Segments != segments+parts {
		t.Fatalf("wrote %d of %d segments and %d parts: %v", done.Segments, segments, parts, err)
	}
	r, err := f.Restore(t, s, m.Position)
	must(t, err)
	f.Same(t, r)

	f.Judge(10)
	r, err = f.Restore(t, s, m.Position)
	must(t, err)
	f.Same(t, r)

	got, err := s.Manifest(t.Context(), m.Position)
	must(t, err)
	b.CorruptSegment(t, got.Segments[segments].Name, func(data []byte) []byte { data[len(data)/2] ^= 1; return data })
	if _, err := f.Restore(t, s, m.Position); !snapshot.Damaged(err) {
		t.Errorf("a damaged part: got %v", err)
	}
}
