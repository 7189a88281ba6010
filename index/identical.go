package index

import (
	"cmp"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/unecho/unecho/index/entry"
)

// Identical documents of one scope have the same keys in all bands. One more table, the last, finds documents by all
// their keys together. Many documents may share one key, but few share all of them, so an identical document is always
// met, and is compared first.

// whole is the index of the table for the keys of all bands together. It equals the number of bands.
func (w *window) whole() int { return len(w.tables) - 1 }

// turn returns the order in which popular keys are read on: by band, but the key of all bands together comes first.
func (w *window) turn(table int) int {
	if table == w.whole() {
		return -1
	}
	return table
}

// tag returns the hash under which a table finds band keys.
func (w *window) tag(keys []byte, table int) uint32 {
	if table == w.whole() {
		return KeysTag(keys)
	}
	return hashKey(loadKey(keys[table*w.width:], w.width))
}

// KeysTag is the part of the hash of all band keys together that a bucket stores, as BandTag is for one band key.
func KeysTag(keys []byte) uint32 { return uint32(xxhash.Sum64(keys)) & (1<<hashBits - 1) }

// identicalFirst puts the candidates that are identical with e before all others, the one indexed first in front. Under
// index.keep: all there may be thousands, so it stops when it has found as many as may be compared.
func (r *Replica) identicalFirst(ranks []rank, e *entry.Entry) []rank {
	w := &r.window
	if r.history != nil { // older, so it is behind what was met newest first
		w.same = append(w.same, r.history.same...)
	}
	slices.Reverse(w.same)
	met, most := w.same, r.params.Similarity.MaxCandidates
	w.same = w.same[:0]
	for i := 0; i < len(met) && len(w.same) < most; i++ {
		if f := (found{}); r.eligible(&f, met[i], e) && f.document.entry.Content == e.Content {
			w.same = append(w.same, met[i])
		}
	}
	if len(w.same) == 0 {
		return ranks
	}
	ranks = slices.DeleteFunc(ranks, func(k rank) bool {
		_, ok := slices.BinarySearchFunc(w.same, k.ref(), byAge)
		return ok
	})
	w.ranks = slices.Grow(ranks, len(w.same))[:len(ranks)+len(w.same)]
	copy(w.ranks[len(w.same):], ranks)
	for i, at := range w.same {
		w.ranks[i] = rankOf(0, at)
	}
	return w.ranks
}

// byAge orders the numbers of documents, the older first: history is the oldest.
func byAge(a, b ref) int { return cmp.Compare(a^past, b^past) }
