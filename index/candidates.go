package index

import (
	"cmp"
	"math"
	"slices"
	"unsafe"
)

// A lookup finds documents through the references in the buckets of its band keys. The documents it meets are its
// candidates. It reads the rare keys first and completely: few documents share them, and they lead to the original of
// most copies. A popular key comes from text that many documents have in common and says little about any of them.
// Popular keys are therefore read last, one after another, until similarity.max_references references are read:
//
//	first     of each key the newest references, up to rareReferences
//	second    of the keys that have more, in the order of their bands, the older ones
//
// One more table finds the documents that share all keys with the entry, however many documents share each single key:
// see identical.go.
//
// References are compared by hashBits bits of their key's hash. Documents that only share these bits, and no full key,
// are sorted out when they are compared.

// rareReferences is how many references of each key are read before more are read of any key.
const rareReferences = 64

// popularKeys is the number of popular keys from which on all of similarity.max_references is read. With fewer popular
// keys, the share that is read falls with the cube of their number.
const popularKeys = 7

// walk is the unfinished part of a lookup in one band. It continues in line at entry at (counted from 1, newest last),
// and has met this many references of the key.
type walk struct {
	line          *line
	at, band, met int
}

// meetRare meets the newest documents of every key, up to rareReferences of each. Keys that have more are noted in
// w.popular.
//
// All bands advance by one line at a time, so that the memory of all of them is fetched at once.
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

// meetInTurn repeats meetRare and meetPopular, key by key. The order of w.met then follows from the journal alone.
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

// stepOn continues the walks until none has another line.
func (w *window) stepOn(most int, now span) {
	for len(w.walks) > 0 {
		walks := w.walks
		w.walks = w.walks[:0]
		for _, k := range walks {
			w.step(k, most, now)
		}
	}
}

// step reads one line of a walk, and queues the walk again if there is another line.
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

// meet reads the references in a line, from the newest to the oldest. It returns end, and stops, at the first reference
// beyond most, whose place it leaves in k.at, or at an expired one; all references behind that have expired too, and
// k.at is 0.
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

// meetPopular reads the rest of the popular keys, and returns how many keys it did not read to the end. The more keys
// are popular, the more references it reads, because fewer rare keys are left that lead to the original. A copy that by
// chance shares few rare keys has few of them to begin with.
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

// readOn reads up to most more references of a key; more says that the key has others. The next line is fetched while
// one is read.
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

// shares says whether a document has one of the looked-up band keys, compared in full.
func (w *window) shares(s *segment, i int) bool {
	own, theirs := w.probed.keys, s.keys(i)
	for at := 0; at < len(own); at += w.width {
		if loadKey(own[at:], w.width) == loadKey(theirs[at:], w.width) {
			return true
		}
	}
	return false
}

// rank orders candidates, the least first. Its low rankBits bits are the candidate's number, the bits above them what
// it is ranked by.
type rank uint64

const rankBits = 48

func (r rank) ref() ref { return ref(r & (1<<rankBits - 1)) }

// rank orders the documents that were met: those met in the most bands come first, and among equals the one indexed
// first.
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

// tooLong says whether a bucket, which has spilled over because of document r, should be trimmed: it has more lines
// than one key as popular as a lookup can read needs, and three more.
//
// Finding that out reads all lines of the bucket, so it is done for one spill in 16 (asked). Of these, a bucket of more
// than 16 lines is trimmed for one spill in as many as it has lines, because it may be long for other reasons, and
// trimming would then not shorten it. So the cost per document does not grow with the length. The document's number
// decides which spills these are, so that members agree.
func (w *window) tooLong(band int, l *line, r ref) bool {
	lot := uint32(r) * 0x9e3779b1
	if lot >= math.MaxUint32/asked {
		return false
	}
	lines := w.tables[band].length(l)
	return lines > w.kept()/lineSlots+3 && lot <= math.MaxUint32/uint32(max(lines, asked))
}

// asked is the number of spills for each time the length of a bucket is read.
const asked = 16

// kept is how many references of a key a bucket keeps: all that a lookup may read, and one more to show that there are
// more.
func (w *window) kept() int { return w.most + min(rareReferences, w.most) + 1 }

// trim drops the references of a bucket that no lookup can meet any more: for each key, all but the newest kept().
// Older documents expire first, so a dropped reference would never be among the newest again. A bucket so stays short
// however popular a key is.
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
