package index_test

import (
	"testing"

	"github.com/unecho/unecho/index"
)

// Accusations come after a replay: the hash at a checkpoint is remembered when those of other offsets are long overwritten.
func TestHashAtCheckpointIsRemembered(t *testing.T) {
	t.Parallel()
	r := newReplica(t, index.DefaultParams())
	h := index.Header{Fingerprint: index.Fingerprint(settings)}
	at := index.Stamp{}
	apply := func(rec index.Record) *index.Divergence {
		d := r.Apply(at, rec).Disputed
		at.Offset++
		return d
	}
	apply(&index.Settings{Text: settings})
	claimed, hash := r.Next(), r.Hash()
	apply(&index.Checkpoint{Header: h, Offset: claimed, Hash: hash})
	unclaimed, other := r.Next(), r.Hash()
	for range 5000 {
		apply(&index.Forget{Header: h})
	}
	if d := apply(&index.Checkpoint{Header: h, Offset: unclaimed, Hash: other + 1}); d != nil {
		t.Errorf("a checkpoint about an offset out of memory is disputed: %+v", d)
	}
	if d := apply(&index.Accusation{Header: h, Offset: claimed, Hash: hash}); d != nil {
		t.Errorf("a right accusation is disputed: %+v", d)
	}
	if d := apply(&index.Accusation{Header: h, Offset: claimed, Hash: hash + 1}); d == nil || !d.Known || d.Ours != hash {
		t.Errorf("a wrong accusation is not disputed: %+v", d)
	}
	if d := apply(&index.Accusation{Header: h, Offset: unclaimed, Hash: other}); d == nil || d.Known {
		t.Errorf("an offset out of memory is known: %+v", d)
	}
}
