package index

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/unecho/unecho/index/entry"
)

// forger judges documents with this many hashes and freely chosen keys.
type forger struct {
	replica *Replica
	random  *rand.Rand
	run     Run
	at      Stamp
}

func newForger(tb testing.TB, p Params) *forger {
	tb.Helper()
	s := []byte("{}")
	r, err := NewReplica(p, Fingerprint(s))
	if err != nil {
		tb.Fatal(err)
	}
	f := &forger{replica: r, random: rand.New(rand.NewPCG(1, 2))}
	f.run = Run{Header: Header{Fingerprint: Fingerprint(s)}, Source: entry.Source{Topic: [16]byte{1}}, Epoch: 1}
	r.Apply(f.at, &Settings{Text: s})
	f.at.Offset++
	r.Apply(f.at, &Reposition{Header: f.run.Header, Source: f.run.Source, Name: "news", Epoch: 1})
	return f
}

func (f *forger) judge(keys []byte, hashes int) {
	f.forge(keys, hashes)
	f.replica.Apply(f.at, &f.run)
}

// forge makes the next record.
func (f *forger) forge(keys []byte, hashes int) {
	all, step := make([]uint64, hashes), 1<<63/uint64(hashes)
	for i := range all {
		all[i] = 2*uint64(i)*step + f.random.Uint64N(step)
	}
	f.at.Offset++
	f.run.Base = f.at.Offset
	f.run.Entries = []entry.Entry{{
		Offset: f.at.Offset, Content: f.random.Uint64(), Keys: keys, Kind: entry.Shingles,
		Evidence: entry.AppendShingles(nil, all),
	}}
}

// TestFarLargerDocumentsAreNotRead: of a document that shares a key but has far too many hashes, only the number of
// hashes is read.
func TestFarLargerDocumentsAreNotRead(t *testing.T) {
	const documents, hashes, own = 70, 5000, 600
	f := newForger(t, DefaultParams())
	r := f.replica
	for i := range documents {
		keys := make([]byte, r.keys)
		for k := 4; k < len(keys); k++ { // all but the first are of its own
			keys[k] = byte(f.random.Uint32())
		}
		f.judge(keys, hashes+i)
	}
	f.judge(make([]byte, r.keys), own)
	if met := len(r.window.met); met < documents {
		t.Fatalf("%d documents were met: too few for a test", met)
	}
	for at := range ref(documents) {
		if r.window.outlines.find(at) >= 0 {
			t.Fatalf("document %d of %d hashes has an outline", at, hashes)
		}
	}
	if r.window.outlines.find(documents) < 0 {
		t.Error("the document itself has no outline: the test proves nothing")
	}
}

// TestOutlinesAreBounded: no more outlines are made for one document than similarity.max_work allows.
func TestOutlinesAreBounded(t *testing.T) {
	const documents, hashes, most = 500, 1000, 200
	p := DefaultParams()
	p.Similarity.MaxWork = most * hashes / hashesOfStep
	f := newForger(t, p)
	f.fillAlike(documents, hashes)
	f.replica.window.outlines = outlines{}
	f.judge(make([]byte, f.replica.keys), hashes)
	made := 0
	for at := range f.replica.window.end {
		if f.replica.window.outlines.find(at) >= 0 {
			made++
		}
	}
	if made > most+siftBlock+1 || made < most {
		t.Errorf("%d outlines are made, where %d steps allow %d", made, p.Similarity.MaxWork, most)
	}
}

// fillAlike judges documents that have all keys in common, but no hashes.
func (f *forger) fillAlike(documents, hashes int) {
	keys := make([]byte, f.replica.keys)
	for range documents {
		f.judge(keys, hashes)
	}
}

// BenchmarkColdOutlines judges a document that meets as many outlines of the greatest size as possible, none of them
// remembered.
func BenchmarkColdOutlines(b *testing.B) {
	f := newForger(b, DefaultParams())
	f.fillAlike(6000, outlined)
	most := time.Duration(0)
	for b.Loop() {
		b.StopTimer()
		f.replica.window.outlines = outlines{}
		f.replica.window.outlines.make(outlinePlaces)
		f.forge(make([]byte, f.replica.keys), outlined)
		b.StartTimer()
		began := time.Now()
		f.replica.Apply(f.at, &f.run)
		most = max(most, time.Since(began))
	}
	b.ReportMetric(float64(most.Microseconds())/1000, "most-ms")
}
