package storetest

import (
	"testing"

	"github.com/unecho/unecho/index/snapshot"
)

// removal: all of that index goes, nothing of another does, and where nothing is, nothing happens.
func removal(t *testing.T, b Backing) {
	removes := func(index string, want bool) {
		t.Helper()
		if found, err := b.Opener.Remove(t.Context(), index); found != want || err != nil {
			t.Fatalf("remove %s: %v, %v; want %v", index, found, err, want)
		}
	}
	listed := func(index string) int {
		s := b.open(t, index)
		infos, err := s.Manifests(t.Context())
		must(t, err)
		missing, err := s.HasSegments(t.Context(), []string{snapshot.SegmentName(content(1))})
		must(t, err)
		must(t, s.Close())
		return 2*len(infos) - len(missing)
	}
	for _, index := range []string{Index, Index + "s"} {
		s := b.open(t, index)
		m := put(t, s, at(1), 1)
		m.Index = index
		must(t, s.Publish(t.Context(), m))
		must(t, s.Close())
	}
	removes(Index, true)
	if left := listed(Index); left != -1 {
		t.Errorf("something is left: %d", left)
	}
	if other := listed(Index + "s"); other != 2 {
		t.Errorf("of another index there is %d", other)
	}
	removes(Index+"s", true)
	removes(Index+"s", false)
}

// existing: a verb that only looks finds no store before one is opened, and makes none.
func existing(t *testing.T, b Backing) {
	for range 2 {
		_, err := b.Opener.OpenExisting(t.Context(), Index)
		want(t, err, snapshot.ErrNoStore)
	}
	if found, err := b.Opener.Remove(t.Context(), Index); found || err != nil {
		t.Fatalf("remove nothing: %v, %v", found, err)
	}
	m := publish(t, open(t, b), at(7), 1)
	s, err := b.Opener.OpenExisting(t.Context(), Index)
	must(t, err)
	wantRestorable(t, s, m)
	must(t, s.Close())
}
