package storetest

import (
	"context"
	"testing"

	"github.com/unecho/unecho/index/snapshot"
)

// Removal holds a store to what removing an index means: all of that index goes, nothing of another does, and where
// nothing is, nothing happens.
func Removal[S snapshot.Store](t *testing.T, p snapshot.Params,
	open func(context.Context, snapshot.Params, string) (S, error),
	remove func(context.Context, snapshot.Params, string) (bool, error),
) {
	t.Helper()
	removes := func(index string, want bool) {
		t.Helper()
		if found, err := remove(t.Context(), p, index); found != want || err != nil {
			t.Fatalf("remove %s: %v, %v; want %v", index, found, err, want)
		}
	}
	listed := func(index string) int {
		s, err := open(t.Context(), p, index)
		must(t, err)
		infos, err := s.Manifests(t.Context())
		must(t, err)
		missing, err := s.HasSegments(t.Context(), []string{snapshot.SegmentName(content(1))})
		must(t, err)
		must(t, s.Close())
		return 2*len(infos) - len(missing)
	}
	removes(Index, false)
	for _, index := range []string{Index, Index + "s"} {
		s, err := open(t.Context(), p, index)
		must(t, err)
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
