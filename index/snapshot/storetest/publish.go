package storetest

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/unecho/unecho/index/snapshot"
)

func missingSegments(t *testing.T, b Backing) {
	s := open(t, b)
	m := put(t, s, at(1), 1, 2)
	absent := []snapshot.Segment{snapshot.NewSegment(content(8), 1), snapshot.NewSegment(content(9), 1)}
	m.Segments = append(m.Segments, absent...)
	err := s.Publish(t.Context(), m)
	want(t, err, snapshot.ErrMissingSegment)
	var missing *snapshot.MissingSegmentsError
	if names := []string{absent[0].Name, absent[1].Name}; !errors.As(err, &missing) ||
		!reflect.DeepEqual(missing.Names, names) {
		t.Fatalf("missing are said to be %v, want %v", err, names)
	}
	wantListed(t, s)

	asked := []string{absent[1].Name, m.Segments[0].Name, absent[0].Name, "no name"}
	got, err := s.HasSegments(t.Context(), asked)
	must(t, err)
	if names := []string{absent[1].Name, absent[0].Name, "no name"}; !reflect.DeepEqual(got, names) {
		t.Fatalf("missing %v, want %v", got, names)
	}
	must(t, s.PutSegment(t.Context(), absent[0].Name, content(8)))
	must(t, s.PutSegment(t.Context(), absent[1].Name, content(9)))
	must(t, s.Publish(t.Context(), m))
	wantRestorable(t, s, m)
}

func stale(t *testing.T, b Backing) {
	s, late := open(t, b), open(t, b)
	newer := publish(t, s, at(100), 1, 2)
	older := put(t, late, at(99), 1)
	want(t, late.Publish(t.Context(), older), snapshot.ErrStale)
	sameOffset := put(t, late, snapshot.Position{JournalTopic: journal(1), LeaderEpoch: 2, Offset: 100}, 1)
	want(t, late.Publish(t.Context(), sameOffset), snapshot.ErrStale)
	wantListed(t, late, at(100))
	wantRestorable(t, late, newer)

	laterEpoch := publish(t, late, snapshot.Position{JournalTopic: journal(1), LeaderEpoch: 4, Offset: 100}, 3)
	farther := publish(t, late, snapshot.Position{JournalTopic: journal(1), LeaderEpoch: 1, Offset: 1000}, 4)
	wantListed(t, s, farther.Position, laterEpoch.Position, at(100))
}

// samePosition: two members take the same snapshot, or one repeats a call whose answer was lost.
func samePosition(t *testing.T, b Backing) {
	s := open(t, b)
	m := publish(t, s, at(100), 1)
	must(t, s.Publish(t.Context(), m))
	b.CorruptManifest(t, at(100), func(data []byte) []byte { return data[:10] })
	m.Taken++
	must(t, s.Publish(t.Context(), m))
	wantListed(t, s, at(100))
	wantRestorable(t, s, m)
}

func anotherJournal(t *testing.T, b Backing) {
	s := open(t, b)
	old := publish(t, s, at(1000), 1)
	b.Age(t, time.Second)
	fresh := snapshot.Position{JournalTopic: journal(2), Offset: 5}
	m := publish(t, s, fresh, 2)
	wantListed(t, s, fresh, at(1000))
	wantRestorable(t, s, old)
	wantRestorable(t, s, m)
	want(t, s.Publish(t.Context(), put(t, s, at(999))), snapshot.ErrStale)
}
