package naive

import (
	"math"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/sketch"
)

// verifier returns the function that compares a document with e: first by the hash of their texts, then as the settings
// say. NoMatch as the method means that the evidence of one of them could not be read.
func (t *Twin) verifier(e *entry.Entry) func(d *document) (index.Similarity, index.Method) {
	own, readable := t.shingles(e)
	return func(d *document) (index.Similarity, index.Method) {
		if d.entry.Content == e.Content {
			return index.Similarity{Num: 1, Den: 1}, index.Identical
		}
		switch t.params.Similarity.Verify {
		case "estimate":
			return t.estimate(&d.entry, e)
		case "levenshtein":
			return t.levenshtein(&d.entry, e)
		}
		theirs, ok := t.shingles(&d.entry)
		if !ok || !readable {
			t.stats.Unreadable++
			return index.Similarity{}, index.NoMatch
		}
		return similarity(own, theirs), index.Jaccard
	}
}

// shingles returns the hashes of an entry's shingles: of its text, or as it keeps them.
func (t *Twin) shingles(e *entry.Entry) (set hashes, ok bool) {
	p := t.params.Similarity
	switch {
	case e.Kind == entry.Text && t.keepsText():
		normalized, err := entry.DecompressText(nil, e.Evidence)
		return newHashes(t.shingling.AppendHashes(nil, normalized), 64, p.Weighted), err == nil
	case e.Kind == entry.Shingles && !t.keepsText():
		r, err := entry.ReadShingles(e.Evidence)
		if err != nil {
			return hashes{}, false
		}
		list := make([]uint64, r.Len())
		return newHashes(list[:r.Next(list)], r.Width(), true), true
	}
	return hashes{}, false
}

// keepsText says whether shingles are taken from kept texts.
func (t *Twin) keepsText() bool {
	return t.params.Similarity.Evidence == "text"
}

func (t *Twin) estimate(a, b *entry.Entry) (index.Similarity, index.Method) {
	p := t.params.Similarity
	if a.Kind != entry.Sketch || b.Kind != entry.Sketch || len(a.Evidence) != len(b.Evidence) {
		t.stats.Unreadable++
		return index.Similarity{}, index.NoMatch
	}
	if p.EstimatedBy() == index.Hamming {
		return index.Similarity{Num: uint32(p.Bits - sketch.Hamming(a.Evidence, b.Evidence)), Den: uint32(p.Bits)},
			index.Hamming
	}
	num, den := sketch.Estimate(sketch.Matches(a.Evidence, b.Evidence, p.CodeBits), p.Slots, p.CodeBits)
	return index.Similarity{Num: num, Den: den}, index.Estimate
}

// near says whether a similarity makes a duplicate. It compares in integers, so that every machine agrees: differing
// bits with the distance, everything else with the threshold in ten thousandths.
func (t *Twin) near(s index.Similarity, m index.Method) bool {
	p := t.params.Similarity
	if m == index.Hamming {
		return int(s.Den-s.Num) <= p.Distance
	}
	threshold := uint64(math.Round(p.Threshold * 10000))
	return s.Den > 0 && uint64(s.Num)*10000 >= threshold*uint64(s.Den)
}

// hashes returns how often each hash of this many bits occurs.
type hashes struct {
	bits   int
	counts map[uint64]int
}

func newHashes(list []uint64, bits int, repeated bool) hashes {
	h := hashes{bits: bits, counts: map[uint64]int{}}
	for _, v := range list {
		if repeated || h.counts[v] == 0 {
			h.counts[v]++
		}
	}
	return h
}

// shortened drops the lowest bits of each hash.
func (h hashes) shortened(bits int) hashes {
	s := hashes{bits: bits, counts: map[uint64]int{}}
	for v, n := range h.counts {
		s.counts[v>>(h.bits-bits)] += n
	}
	return s
}

// similarity is the Jaccard similarity of multisets, in the number of bits that both have.
func similarity(a, b hashes) index.Similarity {
	bits := min(a.bits, b.bits)
	a, b = a.shortened(bits), b.shortened(bits)
	shared, all := 0, 0
	for v, n := range a.counts {
		shared += min(n, b.counts[v])
		all += n
	}
	for _, n := range b.counts {
		all += n
	}
	return index.Similarity{Num: uint32(shared), Den: uint32(all - shared)}
}
