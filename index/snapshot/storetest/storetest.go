package storetest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/unecho/unecho/index/snapshot"
)

// Index is the name that the suite opens stores under; a store must take any name.
const Index = "Orders / Rome ../é"

// Backing is one empty place for snapshots, and the things that only its owner can do to it.
type Backing struct {
	// Opener opens stores on the backing. None was opened there before.
	Opener snapshot.Opener
	// CorruptSegment changes the stored bytes of a segment of Index, bypassing the store.
	CorruptSegment func(t testing.TB, name string, change func([]byte) []byte)
	// CorruptManifest does the same to a manifest.
	CorruptManifest func(t testing.TB, at snapshot.Position, change func([]byte) []byte)
	// Bytes returns everything that is stored in the backing.
	Bytes func(t testing.TB) []byte
	// Age makes everything in the backing older by the store's clock.
	Age func(t testing.TB, by time.Duration)
}

// Run runs the suite, each test on a backing of its own. What is about leases is skipped if the store has none.
func Run(t *testing.T, fresh func(t *testing.T) Backing) {
	tests := []struct {
		name string
		run  func(t *testing.T, b Backing)
	}{
		{"existing", existing},
		{"empty", empty},
		{"round trip", roundTrip},
		{"put again", putAgain},
		{"names", names},
		{"indexes apart", indexesApart},
		{"canceled", canceled},
		{"missing segments", missingSegments},
		{"stale", stale},
		{"same position", samePosition},
		{"another journal", anotherJournal},
		{"corrupt segment", corruptSegment},
		{"corrupt manifest", corruptManifest},
		{"newer format", newerFormat},
		{"torn segment is not published", tornNotPublished},
		{"collect", collect},
		{"collect spares the young", collectSparesYoung},
		{"collect beside damage", collectBesideDamage},
		{"collect abandoned journals", collectAbandoned},
		{"race", race},
		{"fetch", fetch},
		{"increments", increments},
		{"erased", erased},
		{"erased and collected", erasedAndCollected},
		{"side table apart", sideApart},
		{"fall back", fallBack},
		{"scrubbed", scrubbed},
		{"half way", halfWay},
		{"collected between", collectedBetween},
		{"read back", readBack},
		{"other versions", otherVersions},
		{"removal", removal},
		{"lease", lease},
		{"leases apart", leasesApart},
		{"lease canceled", leaseCanceled},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { test.run(t, fresh(t)) })
	}
}

func (b *Backing) open(t testing.TB, index string) snapshot.Store {
	t.Helper()
	s, err := b.Opener.Open(t.Context(), index)
	must(t, err)
	return s
}

func open(t testing.TB, b Backing) snapshot.Store {
	t.Helper()
	s := b.open(t, Index)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func want(t testing.TB, err, target error) {
	t.Helper()
	if !errors.Is(err, target) {
		t.Fatalf("got %v, want: %v", err, target)
	}
}

// content returns a segment's content: the same n gives the same bytes.
func content(n int) []byte {
	return fmt.Appendf(nil, "segment %d: %0100d", n, n)
}

func journal(n byte) [16]byte { return [16]byte{0xff, n, 15: 0x7f} }

func at(offset int64) snapshot.Position {
	return snapshot.Position{JournalTopic: journal(1), LeaderEpoch: 3, Offset: offset}
}

// put stores the contents and returns a manifest that names them.
func put(t testing.TB, s snapshot.Store, p snapshot.Position, contents ...int) snapshot.Manifest {
	t.Helper()
	m := snapshot.Manifest{
		Index: Index, Position: p, Taken: 1_700_000_000_000 + p.Offset, Fingerprint: 0xfeedface12345678,
		State: fmt.Appendf(nil, "state at %v", p),
	}
	for _, n := range contents {
		data := content(n)
		segment := snapshot.NewSegment(data, n)
		must(t, s.PutSegment(t.Context(), segment.Name, data))
		m.Segments = append(m.Segments, segment)
	}
	return m
}

func publish(t testing.TB, s snapshot.Store, p snapshot.Position, contents ...int) snapshot.Manifest {
	t.Helper()
	m := put(t, s, p, contents...)
	must(t, s.Publish(t.Context(), m))
	return m
}

func wantListed(t testing.TB, s snapshot.Store, positions ...snapshot.Position) {
	t.Helper()
	infos, err := s.Manifests(t.Context())
	must(t, err)
	var got []snapshot.Position
	for _, info := range infos {
		got = append(got, info.Position)
	}
	if !reflect.DeepEqual(got, positions) {
		t.Fatalf("listed %v, want %v", got, positions)
	}
}

// wantRestorable reads a manifest and everything it names.
func wantRestorable(t testing.TB, s snapshot.Store, m snapshot.Manifest) {
	t.Helper()
	got, err := s.Manifest(t.Context(), m.Position)
	must(t, err)
	if !reflect.DeepEqual(got, m) {
		t.Fatalf("read %+v, want %+v", got, m)
	}
	must(t, snapshot.FetchSegments(t.Context(), s, got.Segments, 2, func(int, []byte) error { return nil }))
}

func wantMissing(t testing.TB, s snapshot.Store, contents ...int) {
	t.Helper()
	for _, n := range contents {
		_, err := s.Segment(t.Context(), snapshot.SegmentName(content(n)))
		want(t, err, snapshot.ErrMissingSegment)
	}
}

func each(ctx context.Context, s snapshot.Store) map[string]func() error {
	data := content(1)
	segment := snapshot.NewSegment(data, 1)
	return map[string]func() error{
		"PutSegment":  func() error { return s.PutSegment(ctx, segment.Name, data) },
		"HasSegments": func() error { _, err := s.HasSegments(ctx, []string{segment.Name}); return err },
		"Publish": func() error {
			return s.Publish(ctx, snapshot.Manifest{Index: Index, Position: at(9)})
		},
		"Manifests": func() error { _, err := s.Manifests(ctx); return err },
		"Manifest":  func() error { _, err := s.Manifest(ctx, at(1)); return err },
		"Segment":   func() error { _, err := s.Segment(ctx, segment.Name); return err },
		"Collect":   func() error { _, err := s.Collect(ctx, 2); return err },
	}
}
