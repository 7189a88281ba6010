package index

import (
	"testing"

	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
)

// TestIdenticalCopiesAreFewToCompare: of hundreds of kept identical copies none is met, for none is linked.
func TestIdenticalCopiesAreFewToCompare(t *testing.T) {
	s, p := []byte("{}"), DefaultParams()
	p.Duplicates.CompareCopies = true
	r, err := NewReplica(p, Fingerprint(s))
	if err != nil {
		t.Fatal(err)
	}
	run := Run{Header: Header{Fingerprint: Fingerprint(s)}, Source: entry.Source{Topic: [16]byte{1}}, Epoch: 1}
	r.Apply(Stamp{}, &Settings{Text: s})
	r.Apply(Stamp{Offset: 1}, &Reposition{Header: run.Header, Source: run.Source, Name: "news", Epoch: 1})
	for at := int64(2); at < 500; at++ {
		run.Base = at
		run.Entries = []entry.Entry{{
			Offset: at, Content: 1, Keys: make([]byte, r.keys), Digest: make([]byte, entry.DigestBytes), Kind: entry.Shingles,
			Evidence: entry.AppendShingles(nil, []uint64{1, 2, 3}),
		}}
		v := r.Apply(Stamp{Offset: at}, &run).Judged[0]
		if at > 2 && (v.Match.Offset != 2 || v.Match.Method != compare.Identical) {
			t.Fatalf("copy %d: %+v", at, v.Match)
		}
	}
	if n := len(r.find.looked.ranks); n != 1 {
		t.Errorf("%d documents are met, want 1", n)
	}
}
