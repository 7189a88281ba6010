package sketch

import "math/bits"

// A tally counts how often each hash occurs in a document. It is an open hash table, at most half full. The steps between
// probes depend on other bits than the first, so that hardly a document can be written whose hashes all take the same way.
type tally struct {
	hashes []uint64
	counts []uint32 // 0 where there is no hash
}

// begin forgets all, and makes room for n hashes.
func (t *tally) begin(n int) {
	size := 2 << bits.Len(uint(n))
	if cap(t.counts) < size {
		t.hashes, t.counts = make([]uint64, size), make([]uint32, size)
		return
	}
	t.hashes, t.counts = t.hashes[:size], t.counts[:size]
	clear(t.counts)
}

// count returns how often the hash occurred before.
func (t *tally) count(hash uint64) uint32 {
	mask := uint64(len(t.counts) - 1)
	step := hash>>32 | 1
	at := hash & mask
	for t.counts[at] != 0 && t.hashes[at] != hash {
		at = (at + step) & mask
	}
	t.hashes[at] = hash
	t.counts[at]++
	return t.counts[at] - 1
}

// appendDistinct appends each shingle once.
func (t *tally) appendDistinct(dst, shingles []uint64) []uint64 {
	t.begin(len(shingles))
	for _, s := range shingles {
		if t.count(s) == 0 {
			dst = append(dst, s)
		}
	}
	return dst
}

// appendOccurrences turns a list with repetitions into a set that tells how often each shingle occurs: the i-th occurrence of
// a shingle becomes an element of its own, the same in every document. The Jaccard similarity of two such sets is that of the
// multisets.
func (t *tally) appendOccurrences(dst, shingles []uint64) []uint64 {
	t.begin(len(shingles))
	for _, s := range shingles {
		if before := t.count(s); before > 0 {
			s = Mix(s + uint64(before)*occurrenceFactor)
		}
		dst = append(dst, s)
	}
	return dst
}
