package storetest

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/cespare/xxhash/v2"

	"github.com/unecho/unecho/index/snapshot"
)

type damage struct {
	name   string
	change func([]byte) []byte
}

func damages() []damage {
	flip := func(at func(n int) int) func([]byte) []byte {
		return func(data []byte) []byte {
			data[at(len(data))] ^= 0x10
			return data
		}
	}
	cut := func(at func(n int) int) func([]byte) []byte {
		return func(data []byte) []byte { return data[:at(len(data))] }
	}
	first := func(int) int { return 0 }
	middle := func(n int) int { return n / 2 }
	last := func(n int) int { return n - 1 }
	return []damage{
		{"flip in the magic", flip(first)},
		{"flip in the version", flip(func(int) int { return 6 })},
		{"flip in the kind", flip(func(int) int { return 7 })},
		{"flip in the length", flip(func(int) int { return 12 })},
		{"flip in the payload", flip(middle)},
		{"flip in the checksum", flip(last)},
		{"cut to nothing", cut(first)},
		{"cut in half", cut(middle)},
		{"cut by one byte", cut(last)},
		{"one byte too many", func(data []byte) []byte { return append(data, 0) }},
		{"zeros", func(data []byte) []byte { clear(data); return data }},
		{"of another kind", func(data []byte) []byte { return reseal(data, 7, data[7]^3) }},
	}
}

// reseal changes one byte of the envelope and makes the checksum right again.
func reseal(data []byte, at int, value byte) []byte {
	data[at] = value
	body := data[:len(data)-8]
	return binary.LittleEndian.AppendUint64(body, xxhash.Sum64(body))
}

func wantCorrupt(t testing.TB, err error) {
	t.Helper()
	var corrupt *snapshot.CorruptError
	if !errors.As(err, &corrupt) || corrupt.Name == "" || corrupt.Err == nil || errors.Is(err, snapshot.ErrNewerFormat) {
		t.Fatalf("got %v, want a corruption that says where", err)
	}
}

func corruptSegment(t *testing.T, b Backing) {
	s := open(t, b)
	m := publish(t, s, at(1), 1, 2)
	bad := m.Segments[1]
	for _, d := range damages() {
		t.Run(d.name, func(t *testing.T) {
			b.CorruptSegment(t, bad.Name, d.change)
			_, err := s.Segment(t.Context(), bad.Name)
			wantCorrupt(t, err)
			if _, err := s.Segment(t.Context(), m.Segments[0].Name); err != nil {
				t.Fatalf("its neighbour: %v", err)
			}
			must(t, s.PutSegment(t.Context(), bad.Name, content(2)))
			wantRestorable(t, s, m)
		})
	}
	t.Run("swapped", func(t *testing.T) {
		b.CorruptSegment(t, bad.Name, func([]byte) []byte { return snapshot.Seal(snapshot.KindSegment, content(3)) })
		wantCorrupt(t, snapshot.FetchSegments(t.Context(), s, m.Segments, 2, func(int, []byte) error { return nil }))
	})
}

func corruptManifest(t *testing.T, b Backing) {
	s := open(t, b)
	old := publish(t, s, at(1), 1)
	bad := publish(t, s, at(2), 1, 2)
	other := bad
	other.Position = at(3)
	list := append(damages(), damage{"swapped", func([]byte) []byte { return other.Encode() }})
	for _, d := range list {
		t.Run(d.name, func(t *testing.T) {
			b.CorruptManifest(t, at(2), d.change)
			_, err := s.Manifest(t.Context(), at(2))
			wantCorrupt(t, err)
			wantListed(t, s, at(2), at(1))
			wantRestorable(t, s, old)
			must(t, s.Publish(t.Context(), bad))
			wantRestorable(t, s, bad)
		})
	}
}

func newerFormat(t *testing.T, b Backing) {
	s := open(t, b)
	m := publish(t, s, at(1), 1)
	newer := func(data []byte) []byte { return reseal(data, 6, 2) }
	b.CorruptSegment(t, m.Segments[0].Name, newer)
	_, err := s.Segment(t.Context(), m.Segments[0].Name)
	want(t, err, snapshot.ErrNewerFormat)
	b.CorruptManifest(t, at(1), newer)
	_, err = s.Manifest(t.Context(), at(1))
	want(t, err, snapshot.ErrNewerFormat)
	wantListed(t, s, at(1))
}

func tornNotPublished(t *testing.T, b Backing) {
	s := open(t, b)
	m := put(t, s, at(1), 1, 2)
	b.CorruptSegment(t, m.Segments[0].Name, func(data []byte) []byte { return data[:len(data)-1] })
	want(t, s.Publish(t.Context(), m), snapshot.ErrMissingSegment)
	must(t, s.PutSegment(t.Context(), m.Segments[0].Name, content(1)))
	must(t, s.Publish(t.Context(), m))
	wantRestorable(t, s, m)
}
