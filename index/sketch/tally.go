package sketch

import (
	"math/bits"
	"slices"
)

// A tally counts how often each hash occurs in a document. It is an open hash table, at most half full. The steps
// between probes depend on other bits than the first probe, so that it is hard to write a document whose hashes all
// follow the same path.
//
// It grows with the number of different hashes, not with the document: one character millions of times is one hash.
type tally struct {
	hashes []uint64
	counts []uint32 // per place: occurrences of its hash; 0 if the place is free
	taken  int      // number of places with a hash, when a part has been counted
}

// firstRoom is enough for most documents, and quick to clear.
const firstRoom = 1 << 12

// begin clears the tally, and makes room for n hashes, or for as many of them as were ever needed.
func (t *tally) begin(n int) {
	n = min(n, max(firstRoom, cap(t.counts)/2))
	size := 2 << bits.Len(uint(max(n, 1)-1))
	t.taken = 0
	if cap(t.counts) < size {
		t.hashes, t.counts = make([]uint64, size), make([]uint32, size)
		return
	}
	t.hashes, t.counts = t.hashes[:size], t.counts[:size]
	clear(t.counts)
}

// fitting returns as many of the first shingles as there is surely room for. It returns at least one.
func (t *tally) fitting(shingles []uint64) []uint64 {
	if t.taken >= len(t.counts)/2 {
		t.grow()
	}
	return shingles[:min(len(shingles), len(t.counts)/2-t.taken)]
}

// grow moves all hashes into a table of twice the size.
func (t *tally) grow() {
	old := *t
	t.hashes, t.counts = make([]uint64, 2*len(old.counts)), make([]uint32, 2*len(old.counts))
	for i, n := range old.counts {
		if n > 0 {
			at := t.slotOf(old.hashes[i])
			t.hashes[at], t.counts[at] = old.hashes[i], n
		}
	}
}

// slotOf returns the place of the hash, or the free place where it belongs.
func (t *tally) slotOf(hash uint64) uint64 {
	mask := uint64(len(t.counts) - 1)
	step := hash>>32 | 1
	at := hash & mask
	for t.counts[at] != 0 && t.hashes[at] != hash {
		at = (at + step) & mask
	}
	return at
}

// count counts a hash, and returns how often it occurred before.
func (t *tally) count(hash uint64) uint32 {
	at := t.slotOf(hash)
	t.hashes[at] = hash
	t.counts[at]++
	return t.counts[at] - 1
}

// appendDistinct appends each shingle once.
func (t *tally) appendDistinct(dst, shingles []uint64) []uint64 {
	for t.begin(len(shingles)); len(shingles) > 0; {
		part, from := t.fitting(shingles), len(dst)
		for _, s := range part {
			if t.count(s) == 0 {
				dst = append(dst, s)
			}
		}
		t.taken += len(dst) - from
		shingles = shingles[len(part):]
	}
	return dst
}

// appendOccurrences turns a list with repetitions into a set that shows how often each shingle occurs: the i-th
// occurrence of a shingle becomes an element of its own, the same in every document. The Jaccard similarity of two such
// sets is that of the multisets.
func (t *tally) appendOccurrences(dst, shingles []uint64) []uint64 {
	dst = slices.Grow(dst, len(shingles))
	for t.begin(len(shingles)); len(shingles) > 0; {
		part := t.fitting(shingles)
		for _, s := range part {
			if before := t.count(s); before > 0 {
				s = Mix(s + uint64(before)*occurrenceFactor)
			} else {
				t.taken++
			}
			dst = append(dst, s)
		}
		shingles = shingles[len(part):]
	}
	return dst
}
