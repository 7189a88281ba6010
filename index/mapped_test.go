package index_test

import (
	"bytes"
	"cmp"
	"slices"
	"testing"

	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/sketch"
)

// mapped is the textbook index that ours is measured against: per band a Go map from a key to the numbers of documents.
// It gathers the documents that share a key with a new one, compares sketches in the order of the number of shared
// bands, and stores keys, sketch and id of a document without a match. It has no scopes, clocks, partitions, copies,
// verdicts, snapshots or bound on candidates.
type mapped struct {
	bands     []map[uint64][]uint32 // numbers ascend
	documents []mappedDocument      // ring buffer: a document is at its number modulo the length
	forgets   bool                  // each new document replaces the oldest; otherwise the index grows
	next      uint32                // number
	met       []uint32
	ranks     []mappedRank
}

type mappedDocument struct{ keys, codes, id []byte }

// mappedRank is a document that was met, and in how many bands.
type mappedRank struct {
	number uint32
	bands  int
}

// newMapped keeps the last this many documents of a feed; 0 keeps all.
func newMapped(of *feed, held int) *mapped {
	m := &mapped{
		bands:     make([]map[uint64][]uint32, keysOf(of.params)/entry.KeyBytes),
		documents: make([]mappedDocument, held), forgets: held > 0,
	}
	for b := range m.bands {
		m.bands[b] = map[uint64][]uint32{}
	}
	return m
}

// apply returns how many entries of the feed's run are copies.
func (m *mapped) apply(f *feed) (copies int) {
	for i := range f.record.Entries {
		e := &f.record.Entries[i]
		if _, ok := m.best(e.Keys, e.Evidence); ok {
			copies++
			continue
		}
		if m.forgets && int(m.next) >= len(m.documents) {
			m.forget(m.next - uint32(len(m.documents)))
		}
		m.insert(mappedDocument{bytes.Clone(e.Keys), bytes.Clone(e.Evidence), bytes.Clone(e.ID)})
	}
	return copies
}

// best is the most similar of the documents that share a key, if it is similar enough.
func (m *mapped) best(keys, codes []byte) (number uint32, ok bool) {
	most := 0
	for _, r := range m.candidates(keys) {
		matches := sketch.Matches(m.document(r.number).codes, codes)
		if num, den := sketch.Estimate(matches, 2*len(codes)); matches > most && sketch.AtLeast(num, den, 8000) {
			number, most, ok = r.number, matches, true
		}
	}
	return number, ok
}

func (m *mapped) candidates(keys []byte) []mappedRank {
	m.met, m.ranks = m.met[:0], m.ranks[:0]
	for b := range m.bands {
		m.met = append(m.met, m.bands[b][key(keys, b)]...)
	}
	slices.Sort(m.met)
	for i, number := range m.met {
		if i == 0 || number != m.met[i-1] {
			m.ranks = append(m.ranks, mappedRank{number: number})
		}
		m.ranks[len(m.ranks)-1].bands++
	}
	slices.SortFunc(m.ranks, func(a, b mappedRank) int {
		return cmp.Or(cmp.Compare(b.bands, a.bands), cmp.Compare(a.number, b.number))
	})
	return m.ranks
}

func (m *mapped) document(number uint32) *mappedDocument {
	return &m.documents[int(number)%len(m.documents)]
}

func (m *mapped) insert(d mappedDocument) {
	for b := range m.bands {
		k := key(d.keys, b)
		m.bands[b][k] = append(m.bands[b][k], m.next)
	}
	if m.forgets {
		*m.document(m.next) = d
	} else {
		m.documents = append(m.documents, d)
	}
	m.next++
}

// forget takes out the oldest document: it is the first of each of its keys.
func (m *mapped) forget(number uint32) {
	d := m.document(number)
	for b := range m.bands {
		k := key(d.keys, b)
		if rest := m.bands[b][k][1:]; len(rest) > 0 {
			m.bands[b][k] = rest
		} else {
			delete(m.bands[b], k)
		}
	}
}

func key(keys []byte, band int) (k uint64) {
	for i, c := range keys[4*band : 4*band+4] {
		k |= uint64(c) << (8 * i)
	}
	return k
}

// TestMappedJudgesAlike: the textbook index of the benchmarks finds the same copies as ours in the same window.
func TestMappedJudgesAlike(t *testing.T) {
	const held = 2000
	f := newFeed(t, estimating(held), held, 0.3)
	m := newMapped(f, held)
	copies := 0
	for f.made < 4*held {
		f.make()
		copies += m.apply(f)
		f.apply()
		if s := f.replica.Stats(); s.Duplicate != uint64(copies) {
			t.Fatalf("%d copies by the map, %d by ours", copies, s.Duplicate)
		}
	}
	if keys := len(m.bands[0]); copies == 0 || keys > held || keys < held-10 {
		t.Errorf("%d copies, %d keys for %d documents", copies, keys, held)
	}
}
