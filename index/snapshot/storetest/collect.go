package storetest

import (
	"testing"

	"github.com/unecho/unecho/index/snapshot"
)

func collectWant(t testing.TB, s snapshot.Store, keep int, manifests, segments int) {
	t.Helper()
	got, err := s.Collect(t.Context(), keep)
	must(t, err)
	bytes := int64(segments * (len(content(1)) + snapshot.Overhead))
	if wanted := (snapshot.Collected{Manifests: manifests, Segments: segments, Bytes: bytes}); got != wanted {
		t.Fatalf("collected %+v, want %+v", got, wanted)
	}
}

func collect(t *testing.T, b Backing) {
	s := open(t, b)
	publish(t, s, at(1), 1, 2)
	publish(t, s, at(2), 2, 3)
	kept := []snapshot.Manifest{publish(t, s, at(3), 3, 4), publish(t, s, at(4), 4, 5)}
	put(t, s, at(5), 6) // its writer died before it published
	b.Age(t, snapshot.Grace+1)
	collectWant(t, s, 2, 2, 3)
	wantMissing(t, s, 1, 2, 6)
	wantListed(t, s, at(4), at(3))
	for _, m := range kept {
		wantRestorable(t, s, m)
	}
	collectWant(t, s, 2, 0, 0)
	_, err := s.Manifest(t.Context(), at(1))
	want(t, err, snapshot.ErrNoManifest)
}

// collectSparesYoung: a segment that was put a moment ago, or put again, is kept, because it is about to be named.
func collectSparesYoung(t *testing.T, b Backing) {
	s, other := open(t, b), open(t, b)
	publish(t, s, at(1), 1)
	put(t, s, at(2), 2, 3)
	b.Age(t, snapshot.Grace+1)
	m := put(t, s, at(2), 3, 4)
	collectWant(t, other, 1, 0, 1)
	wantMissing(t, s, 2)
	must(t, s.Publish(t.Context(), m))
	wantRestorable(t, other, m)
}

func collectBesideDamage(t *testing.T, b Backing) {
	s := open(t, b)
	m := publish(t, s, at(1), 1)
	publish(t, s, at(2), 1)
	b.CorruptManifest(t, at(2), func(data []byte) []byte { return data[:20] })
	b.Age(t, snapshot.Grace+1)
	collectWant(t, s, 2, 0, 0)
	wantRestorable(t, s, m)
}

// collectAbandoned: a journal was deleted and created again. The new one takes its place, and the old snapshots are
// deleted in the end.
func collectAbandoned(t *testing.T, b Backing) {
	s := open(t, b)
	publish(t, s, at(1000), 1)
	publish(t, s, at(2000), 2)
	b.Age(t, snapshot.Grace+1)
	first := publish(t, s, snapshot.Position{JournalTopic: journal(2), Offset: 5}, 3)
	collectWant(t, s, 1, 1, 1)
	wantListed(t, s, first.Position, at(2000))
	b.Age(t, snapshot.ForeignKeep)
	second := publish(t, s, snapshot.Position{JournalTopic: journal(2), Offset: 6}, 3)
	collectWant(t, s, 2, 1, 1)
	wantListed(t, s, second.Position, first.Position)
	wantRestorable(t, s, second)
}
