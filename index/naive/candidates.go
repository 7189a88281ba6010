package naive

import (
	"bytes"
	"cmp"
	"maps"
	"slices"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// shelves returns the documents of the window, or of history, under each key of e, the newest first, dead ones
// included.
func (t *Twin) shelves(q *queue, e *entry.Entry) (bands [][]*document) {
	for _, k := range t.keys(e) {
		var all []*document
		for _, d := range slices.Backward(q.byKey[k]) {
			if len(q.documents) == 0 || d.at < q.documents[0].place {
				break // the older ones have left too
			}
			if d.at == d.place {
				all = append(all, d.document)
			}
		}
		bands = append(bands, all)
	}
	return bands
}

// candidates returns the documents to compare with e, the most promising first. cut says that documents were left out
// that may be similar enough.
//
// First it takes the newest 64 under each key. If there are no more, and these are few, they are ordered by the
// number of bands they share. Otherwise it takes more from the longer shelves. Identical documents then come first.
// The others are ordered by the number of differing bits if outlines distinguish them, and else by the number of
// bands they share. The window and history are read alike, each for itself.
func (t *Twin) candidates(e *entry.Entry) (promising []*document, cut bool) {
	p := t.params.Similarity
	met, popular := t.meet(&t.window, e, false)
	past, popularToo := t.meet(&t.history, e, false)
	shared := count(append(met, past...))
	if !popular && !popularToo && len(shared) <= p.MaxCandidates {
		return byBands(shared), false
	}
	met, cut = t.meet(&t.window, e, true)
	past, cutToo := t.meet(&t.history, e, true)
	met, cut = append(met, past...), cut || cutToo
	shared = count(met)
	own, ok := t.outline(e)
	if !ok || !t.tells(e) {
		return t.identicalFirst(e, shared, byBands(shared)), cut
	}
	nearest, out := t.sift(e, own, met)
	return t.identicalFirst(e, shared, nearest), cut || out
}

// meet returns the first documents of each shelf, key by key, and if all is set more of the longer shelves. rest says
// that it did not take all.
func (t *Twin) meet(q *queue, e *entry.Entry, all bool) (met []*document, rest bool) {
	first := min(64, t.params.Similarity.MaxReferences)
	var longer [][]*document
	for _, shelf := range t.shelves(q, e) {
		if len(shelf) > first {
			longer = append(longer, shelf[first:])
		}
		met = append(met, shelf[:min(first, len(shelf))]...)
	}
	if !all {
		return met, len(longer) > 0
	}
	more, cut := t.readOn(longer)
	return append(met, more...), cut
}

// count returns how many times each document was met.
func count(met []*document) map[*document]int {
	shared := map[*document]int{}
	for _, d := range met {
		shared[d]++
	}
	return shared
}

// readOn takes more from the longer shelves. cut says that it did not take all.
func (t *Twin) readOn(longer [][]*document) (met []*document, cut bool) {
	most := t.params.Similarity.MaxReferences
	more := min(most, len(longer)*len(longer)*len(longer)*(most/343+1))
	for _, all := range longer {
		n := min(more, len(all))
		more -= n
		met = append(met, all[:n]...)
		if n < len(all) {
			t.stats.Cut++
			cut = true
		}
	}
	return met, cut
}

// byBands sorts documents by the number of keys that they share.
func byBands(shared map[*document]int) []*document {
	return slices.SortedFunc(maps.Keys(shared), func(a, b *document) int {
		return cmp.Or(cmp.Compare(shared[b], shared[a]), cmp.Compare(a.place, b.place))
	})
}

// identicalFirst puts the identical ones of those that were met before the others.
func (t *Twin) identicalFirst(e *entry.Entry, met map[*document]int, others []*document) []*document {
	var same []*document
	for d := range met {
		if d.entry.Content == e.Content && d.entry.Scope == e.Scope && t.live(d) && bytes.Equal(d.entry.Keys, e.Keys) {
			same = append(same, d)
		}
	}
	slices.SortFunc(same, func(a, b *document) int { return cmp.Compare(a.place, b.place) })
	others = slices.DeleteFunc(others, func(d *document) bool { return slices.Contains(same, d) })
	return append(same, others...)
}

// sift drops documents that cannot be matched, or cannot be similar enough given the differing bits, and keeps the
// nearest: four times as many as are compared. It stops when the documents whose number of shingles allows them to be
// similar have too many shingles in total.
func (t *Twin) sift(e *entry.Entry, own *[1024]bool, met []*document) (nearest []*document, out bool) {
	differ, sifted, work := map[*document]int{}, map[*document]bool{}, 2*t.params.Similarity.MaxWork
	for _, d := range met {
		theirs, ok := t.outline(&d.entry)
		if sifted[d] || t.size(&d.entry) > 0 && !t.reachable(t.size(e), t.size(&d.entry), 0) {
			continue
		}
		sifted[d] = true
		if ok {
			work -= t.size(&d.entry)
		}
		if work < 0 {
			out = true
			break
		}
		for i := range own {
			if ok && own[i] != theirs[i] {
				differ[d]++
			}
		}
		if t.matchable(d, e) && (!ok || t.reachable(t.size(e), t.size(&d.entry), differ[d])) {
			nearest = append(nearest, d)
		}
	}
	slices.SortFunc(nearest, func(a, b *document) int {
		return cmp.Or(cmp.Compare(differ[a], differ[b]), cmp.Compare(a.place, b.place))
	})
	if most := 4 * t.params.Similarity.MaxCandidates; len(nearest) > most {
		t.stats.Unverified += len(nearest) - most
		return nearest[:most], true
	}
	return nearest, out
}

// size returns the number of an entry's shingles; a sketch counts as one.
func (t *Twin) size(e *entry.Entry) int {
	if e.Kind == entry.Sketch {
		return 1
	}
	return entry.ShinglesLen(e)
}

// reachable says whether two documents with these numbers of shingles can be similar enough if this many are in only
// one of them.
func (t *Twin) reachable(a, b, differ int) bool {
	if t.params.Similarity.Verify == "estimate" {
		return true
	}
	shared := min(a, b, (a+b-differ)/2)
	return shared > 0 && t.near(index.Similarity{Num: uint32(shared), Den: uint32(a + b - shared)}, index.Jaccard)
}

// tells says whether bits distinguish documents from e: always for sketches, for shingles only up to 2048 of them, and
// if no similar document has 4095 or more.
func (t *Twin) tells(e *entry.Entry) bool {
	n := entry.ShinglesLen(e)
	return e.Kind == entry.Sketch || n <= 2048 && !t.near(index.Similarity{Num: uint32(n), Den: 4095}, index.Jaccard)
}

// outline returns the front of a sketch, bit by bit. For shingles, each bit says whether the number of shingles with
// the same highest 10 bits is odd.
func (t *Twin) outline(e *entry.Entry) (outline *[1024]bool, ok bool) {
	outline = &[1024]bool{}
	if e.Kind == entry.Sketch && t.params.Similarity.Verify == "estimate" {
		for i := range min(1024, 8*len(e.Evidence)) {
			outline[i] = e.Evidence[i/8]>>(i%8)&1 == 1
		}
		return outline, true
	}
	if e.Kind != entry.Shingles || t.params.Similarity.Verify != "jaccard" {
		return outline, false
	}
	set, ok := t.shingles(e)
	for hash, n := range set.counts {
		outline[hash>>(set.bits-10)] = outline[hash>>(set.bits-10)] != (n%2 == 1)
	}
	return outline, ok
}

// shareKey says whether two entries have a band key in common. Documents that met may only have equal tags.
func (t *Twin) shareKey(a, b *entry.Entry) bool {
	width := t.params.Similarity.KeyBytes
	for at := 0; at < len(a.Keys); at += width {
		if bytes.Equal(a.Keys[at:at+width], b.Keys[at:at+width]) {
			return true
		}
	}
	return false
}

// matchable says whether e can be a copy of a document.
func (t *Twin) matchable(d *document, e *entry.Entry) bool {
	return t.live(d) && d.entry.Scope == e.Scope && t.shareKey(&d.entry, e)
}

// cost returns the most that comparing two entries may take, in steps of max_work.
func (t *Twin) cost(a, b *entry.Entry) int {
	switch {
	case t.params.Similarity.Verify == "estimate":
		return 1
	case t.params.Similarity.Verify == "levenshtein":
		longer := min(max(entry.TextLen(a), entry.TextLen(b)), index.ComparedText)
		return longer * t.widths(longer, t.edits(longer)) / 160
	case t.keepsText():
		return 6 * (entry.TextLen(a) + entry.TextLen(b))
	}
	return entry.ShinglesLen(a) + entry.ShinglesLen(b)
}

// spent returns the part of the cost that counts: less for near texts.
func (t *Twin) spent(cost int, s index.Similarity) int {
	if t.params.Similarity.Verify != "levenshtein" || !t.near(s, index.Levenshtein) {
		return cost
	}
	longer := int(s.Den)
	return cost * t.widths(longer, int(s.Den-s.Num)) / t.widths(longer, t.edits(longer))
}

// widths returns the sum of the widths of the bands that are tried until one is as wide as the edits: 32, 128, 512 and
// so on, up to the edits allowed.
func (t *Twin) widths(longer, edits int) (sum int) {
	allowed := t.edits(longer)
	for width := 32; width < allowed; width *= 4 {
		if sum += width + 64; width >= edits {
			return sum
		}
	}
	return sum + allowed + 64
}
