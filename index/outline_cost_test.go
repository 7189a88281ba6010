package index

import (
	"math/rand/v2"
	"testing"

	"github.com/unecho/unecho/index/entry"
)

// TestFarLargerDocumentsAreNotRead: of a document that shares a key, and has far too many hashes, only their number is read.
func TestFarLargerDocumentsAreNotRead(t *testing.T) {
	const documents, hashes, own = 70, 5000, 600
	s := []byte("{}")
	r, err := NewReplica(DefaultParams(), Fingerprint(s))
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	run := Run{Header: Header{Fingerprint: Fingerprint(s)}, Source: entry.Source{Topic: [16]byte{1}}, Epoch: 1}
	var at Stamp
	judge := func(keys []byte, hashes int) {
		all, step := make([]uint64, hashes), 1<<63/uint64(hashes)
		for i := range all {
			all[i] = 2*uint64(i)*step + random.Uint64N(step)
		}
		at.Offset++
		run.Base = at.Offset
		run.Entries = []entry.Entry{{
			Offset: at.Offset, Content: random.Uint64(), Keys: keys, Kind: entry.Shingles, Evidence: entry.AppendShingles(nil, all),
		}}
		r.Apply(at, &run)
	}
	r.Apply(at, &Settings{Text: s})
	at.Offset++
	r.Apply(at, &Reposition{Header: run.Header, Source: run.Source, Name: "news", Epoch: 1})
	for i := range documents {
		keys := make([]byte, r.keys)
		for k := 4; k < len(keys); k++ { // all but the first are of its own
			keys[k] = byte(random.Uint32())
		}
		judge(keys, hashes+i)
	}
	judge(make([]byte, r.keys), own)
	if met := len(r.window.met); met < documents {
		t.Fatalf("%d documents were met: too few for a test", met)
	}
	for at := range ref(documents) {
		if r.outlines.find(at) >= 0 {
			t.Fatalf("document %d of %d hashes has an outline", at, hashes)
		}
	}
	if r.outlines.find(documents) < 0 {
		t.Error("the document itself has no outline: the test proves nothing")
	}
}
