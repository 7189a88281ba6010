package index_test

import (
	"testing"

	"github.com/unecho/unecho/index"
)

// TestMarksAndCheckpointsAreNoReasonForASnapshot: only they come with one. All other records count as changes, also those
// of other settings, and what is passed over.
func TestMarksAndCheckpointsAreNoReasonForASnapshot(t *testing.T) {
	s, err := index.NewSeries(index.DefaultFileParams(), 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := s.Replica()
	h := index.Header{Fingerprint: r.Fingerprint()}
	for i, c := range []struct {
		rec     index.Record
		changes bool
	}{
		{&index.Mark{Header: h}, false},
		{&index.Mark{}, false},
		{&index.Checkpoint{Header: h}, false},
		{&index.Accusation{Header: h}, true},
		{&index.Run{Header: h, Source: s.Source(), Epoch: 1}, true},
		{&index.Run{}, true},
		{&index.Settings{}, true},
		{&index.Forget{Header: h}, true},
		{nil, true},
	} {
		before := r.Stats().Changed
		if r.Apply(index.Stamp{Offset: r.Next()}, c.rec); (r.Stats().Changed > before) != c.changes {
			t.Errorf("record %d, %T: changed from %d to %d, want a change: %t", i, c.rec, before, r.Stats().Changed, c.changes)
		}
	}
}
