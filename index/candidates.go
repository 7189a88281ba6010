package index

import (
	"cmp"
	"math"
	"slices"
	"unsafe"
)

// A lookup meets documents, by references in the buckets of its band keys; those met are its candidates. It reads the rare
// keys first and to the end: few documents share them, and most of a copy's original is met there. A popular key comes from
// text that many documents have in common and says little of any of them, so popular ones are read last, one after another,
// until similarity.max_references of them are read:
//
//	first     of each key the newest references, up to rareReferences
//	second    of the keys that have more, in the order of their bands, the older ones
//
// What has all keys of the entry is found by one more table, whatever each of them is shared by: see identical.go.
//
// References are told apart by hashBits of their key's hash. Whose full keys differ in all bands is found out when it is
// compared.

// rareReferences are read of each key before more is read of any.
const rareReferences = 64

// popularKeys: if so many keys are popular, or more, all of similarity.max_references are read, else as much less as the cube of
// their number is.
const popularKeys = 7

// walk is a lookup in one band that goes on: the line it has come to and the place in it, and how many references of its key
// it has met.
type walk struct {
	line          *line
	at, band, met int
}

// meetRare meets the documents of all keys, the rare ones to the end. Keys that have more wait in w.popular.
//
// All bands take a step at a time: the memory they wait for is then fetched for all of them at once.
func (w *window) meetRare(keys []byte) {
	w.probe(keys)
	w.beginMeeting()
	now, most := w.span(), min(rareReferences, w.most)
	for b := range w.probed.probes {
		w.step(walk{line: w.probed.probes[b].line, band: b}, most, now)
	}
	w.stepOn(most, now)
	slices.SortFunc(w.popular, func(a, b walk) int { return cmp.Compare(w.turn(a.band), w.turn(b.band)) })
}

// meetInTurn meets what meetRare and meetPopular have met once more, in an order that follows from the journal alone: key by key.
func (w *window) meetInTurn() {
	w.beginMeeting()
	now, most := w.span(), min(rareReferences, w.most)
	for i := range w.probed.probes {
		b := (w.whole() + i) % len(w.tables)
		w.step(walk{line: w.probed.probes[b].line, band: b}, most, now)
		w.stepOn(most, now)
	}
	w.meetPopular()
}

func (w *window) beginMeeting() {
	w.met, w.same, w.walks, w.popular = w.met[:0], w.same[:0], w.walks[:0], w.popular[:0]
}

// stepOn goes on with the lookups of those bands that have another line.
func (w *window) stepOn(most int, now span) {
	for len(w.walks) > 0 {
		walks := w.walks
		w.walks = w.walks[:0]
		for _, k := range walks {
			w.step(k, most, now)
		}
	}
}

// step looks through a line, and has the walk go on if there is another line.
func (w *window) step(k walk, most int, now span) {
	p := &w.probed.probes[k.band]
	want, number := pack(p.hash, 0, uint(p.level)), ring(uint(p.level))
	k.at = k.line.count()
	if k.line.has(want, ^number) && w.meet(&k, most, now) {
		if k.at > 0 {
			w.popular = append(w.popular, k)
		}
		return
	}
	if k.line.link() > 0 {
		k.line = w.tables[k.band].older(k.line)
		w.walks = append(w.walks, k)
	}
}

// meet goes through the references of a line, from the newest to the oldest. It ends before the first one beyond most, which
// is then at k.at, or at one that has expired, as all older ones have; then k.at is 0.
func (w *window) meet(k *walk, most int, now span) (end bool) {
	p := &w.probed.probes[k.band]
	want, number := pack(p.hash, 0, uint(p.level)), ring(uint(p.level))
	from := len(w.met)
	w.met = slices.Grow(w.met, 1+lineSlots)
	n, end := k.line.ages((*[1 + lineSlots]uint32)(w.met[from:from+1+lineSlots]), k.at, want, number, now)
	left := most - k.met
	switch {
	case n > left:
		n, k.at, end = left, k.line.slot(k.at, left, want, number), true
	case end:
		k.at = 0
	}
	k.met, w.met = k.met+n, w.met[:from+n]
	if k.band == w.whole() {
		for _, age := range w.met[from:] {
			w.same = append(w.same, now.end-1-ref(age))
		}
	}
	return end
}

// meetPopular goes on with the popular keys, and returns of how many references were left unread. The more of its keys are
// popular, the less likely a copy is found by the others, and the more is read: copies by chance share with their originals
// few rare keys where there are few.
func (w *window) meetPopular() (cut int) {
	n := len(w.popular)
	now, most := w.span(), len(w.met)+min(w.most, n*n*n*(w.most/(popularKeys*popularKeys*popularKeys)+1))
	for _, k := range w.popular {
		if w.readOn(k, most-len(w.met), now) {
			cut++
		}
	}
	return cut
}

// readOn reads so many more references of a key; more says that there are others. The line behind is fetched while one is read.
func (w *window) readOn(k walk, most int, now span) (more bool) {
	most += k.met
	for t := &w.tables[k.band]; ; k.at = k.line.count() {
		older := t.older(k.line)
		prefetchAt(unsafe.Pointer(older))
		if w.meet(&k, most, now) {
			return k.at > 0
		}
		if k.line = older; older == nil {
			return false
		}
	}
}

// shares says whether a document has one of the band keys that are looked up.
func (w *window) shares(s *segment, i int) bool {
	own, theirs := w.probed.keys, s.keys(i)
	for at := 0; at < len(own); at += w.width {
		if loadKey(own[at:], w.width) == loadKey(theirs[at:], w.width) {
			return true
		}
	}
	return false
}

// rank is a candidate's number, below what it is ranked by: the least comes first.
type rank uint64

const rankBits = 48

func (r rank) ref() ref { return ref(r & (1<<rankBits - 1)) }

// rank ranks what was met by the number of bands in which it was met, the most first; of these the one indexed first.
func (w *window) rank() []rank {
	newest := w.end - 1
	slices.Sort(w.met)
	w.ranks = w.ranks[:0]
	for i := 0; i < len(w.met); {
		j := i + 1
		for ; j < len(w.met) && w.met[j] == w.met[i]; j++ {
		}
		w.ranks = append(w.ranks, rank(len(w.tables)-(j-i))<<rankBits|rank(newest-ref(w.met[i])))
		i = j
	}
	slices.Sort(w.ranks)
	return w.ranks
}

// tooLong says that a bucket, which has spilled over because of document r, has more lines than it needs for a key as popular as
// a lookup may see and some others. To know it all lines are read, so it asks one time in 16; and what was found too long is
// trimmed one time in as many as it has lines, for it may be long for other reasons: so a document's share of reading and
// trimming is the same however long it is. Which times these are is left to the document's number.
func (w *window) tooLong(band int, l *line, r ref) bool {
	lot := uint32(r) * 0x9e3779b1
	if lot >= math.MaxUint32/asked {
		return false
	}
	lines := w.tables[band].length(l)
	return lines > w.kept()/lineSlots+3 && lot <= math.MaxUint32/uint32(max(lines, asked))
}

// asked is how many times a bucket spills over for each time that its length is asked for.
const asked = 16

// kept is how many references of a key are kept: what a lookup may read, and one more that says that there are more.
func (w *window) kept() int { return w.most + min(rareReferences, w.most) + 1 }

// trim drops from a bucket what no lookup can meet any more: of each key all but the newest documents that a lookup reads.
// As older documents expire first, they would never be among those again. So a bucket stays short however popular a key is.
func (w *window) trim(band, bucket int) {
	t := &w.tables[band]
	t.items = t.gather(t.items[:0], bucket, w.span())
	newestFirst := func(a, b item) int { return cmp.Compare(b.ref, a.ref) }
	slices.SortFunc(t.items, func(a, b item) int { return cmp.Or(cmp.Compare(a.hash, b.hash), newestFirst(a, b)) })
	kept, hash, of := t.items[:0], uint32(0), 0
	for _, it := range t.items {
		if it.hash != hash {
			hash, of = it.hash, 0
		}
		if of++; of <= w.kept() {
			kept = append(kept, it)
		}
	}
	slices.SortFunc(kept, newestFirst)
	t.items = kept
	t.rewrite(bucket, t.items)
}
