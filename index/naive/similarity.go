package naive

import (
	"math"

	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/sketch"
)

// verifier returns the function that compares a document with e: first by the hash of their texts, then as the settings
// say. NoMatch as the method means that the evidence of one of them could not be read.
func (t *Twin) verifier(e *entry.Entry) func(d *document) (compare.Similarity, compare.Method) {
	own, readable := t.shingles(e)
	return func(d *document) (compare.Similarity, compare.Method) {
		if d.entry.Content == e.Content {
			return compare.Similarity{Num: 1, Den: 1}, compare.Identical
		}
		switch t.params.Duplicates.Verify {
		case "estimate":
			return t.estimate(&d.entry, e)
		case "levenshtein":
			return t.levenshtein(&d.entry, e)
		}
		theirs, ok := t.shingles(&d.entry)
		if !ok || !readable {
			t.stats.Unreadable++
			return compare.Similarity{}, compare.NoMatch
		}
		return similarity(own, theirs), compare.Jaccard
	}
}

// shingles returns the hashes of an entry's shingles: of its text, or as it keeps them.
func (t *Twin) shingles(e *entry.Entry) (set hashes, ok bool) {
	p := t.params.Duplicates
	switch {
	case e.Kind == entry.Text && t.keepsText():
		normalized, err := entry.DecompressText(nil, e.Evidence)
		return newHashes(t.counting(t.shingling.AppendHashes(nil, normalized)), 64, p.Weighted), err == nil
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

// counting returns the hashes of a text's shingles that are not ignored, or of all where that is none.
func (t *Twin) counting(list []uint64) (some []uint64) {
	for _, hash := range list {
		if !t.params.Duplicates.Ignored.Has(hash) {
			some = append(some, hash)
		}
	}
	if some == nil {
		return list
	}
	return some
}

// keepsText says whether shingles are taken from kept texts.
func (t *Twin) keepsText() bool {
	return t.params.Duplicates.Evidence == "text"
}

func (t *Twin) estimate(a, b *entry.Entry) (compare.Similarity, compare.Method) {
	p := t.params.Duplicates
	if a.Kind != entry.Sketch || b.Kind != entry.Sketch || len(a.Evidence) != len(b.Evidence) {
		t.stats.Unreadable++
		return compare.Similarity{}, compare.NoMatch
	}
	if p.EstimatedBy() == compare.Hamming {
		return compare.Similarity{Num: uint32(p.Bits - sketch.Hamming(a.Evidence, b.Evidence)), Den: uint32(p.Bits)},
			compare.Hamming
	}
	num, den := sketch.Estimate(sketch.Matches(a.Evidence, b.Evidence), p.Slots)
	return compare.Similarity{Num: num, Den: den}, compare.Estimate
}

// near says whether a similarity makes a duplicate. It compares in integers, so that every machine agrees: differing
// bits with the distance, everything else with the threshold in ten thousandths.
func (t *Twin) near(s compare.Similarity, m compare.Method) bool {
	p := t.params.Duplicates
	if m == compare.Hamming {
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
func similarity(a, b hashes) compare.Similarity {
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
	return compare.Similarity{Num: uint32(shared), Den: uint32(all - shared)}
}
