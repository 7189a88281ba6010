package index

import (
	"bytes"
	"cmp"
	"math/bits"
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

// lookup holds the buckets of a document's band keys.
type lookup struct {
	keys   []byte // band keys; empty if there is no lookup
	probes []probe
	likely []ref // numbers of documents that it will probably meet
}

// probe is the bucket of a band key.
type probe struct {
	line   *line  // its first line
	want   uint32 // entry of the key, without a number
	tag    uint32 // mask of the tag in an entry
	hash   uint32
	level  uint32
	bucket uint32
	_      uint32 // 32 bytes in all, as the assembly has it
}

func newLookup(bands int) lookup { return lookup{probes: make([]probe, bands)} }

// probe finds the buckets of band keys, unless w.probed already has them.
func (w *window) probe(keys []byte) {
	if bytes.Equal(keys, w.probed.keys) {
		return
	}
	w.locate(&w.probed, keys)
	prefetchProbes(w.probed.probes)
}

// locate finds the buckets of band keys. The result is valid for a table until it grows or shrinks.
func (w *window) locate(l *lookup, keys []byte) {
	l.keys = append(l.keys[:0], keys...)
	for b := range w.tables {
		l.probes[b].locate(&w.tables[b], w.tag(keys, b))
	}
}

// locate finds the bucket of a hash.
func (p *probe) locate(t *table, hash uint32) {
	bucket, level := t.bucket(hash)
	p.line, p.hash, p.bucket, p.level = t.lines.at(bucket), hash, uint32(bucket), uint32(level)
	p.want, p.tag = pack(hash, 0, level), ^ring(level)
}

// add adds the newest document to the bucket, if its first line has room and no line behind it.
func (p *probe) add(r ref) bool {
	n := p.line[0] + 1
	if n > lineSlots {
		return false // it is full, or has a link
	}
	p.line[0], p.line[n&countMask] = n, p.want|uint32(r)&^p.tag
	return true
}

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
	for from := 0; from < len(w.tables); from += matched {
		hits, linked := w.probed.match(from)
		for m := hits | linked; m != 0; m &= m - 1 {
			b := from + bits.TrailingZeros64(m)
			w.step(walk{line: w.probed.probes[b].line, band: b}, most, now)
		}
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
	w.met, w.same, w.walks, w.popular, w.unread = w.met[:0], w.same[:0], w.walks[:0], w.popular[:0], w.unread[:0]
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
	k.at = k.line.count()
	if k.line.has(p.want, p.tag) && w.meet(&k, most, now) {
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
	want, number := p.want, ^p.tag
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
func (w *window) meetPopular() (unread int) {
	if w.settled != nil {
		w.settled()
		defer w.settled()
	}
	n := len(w.popular)
	now, most := w.span(), len(w.met)+min(w.most, n*n*n*(w.most/(popularKeys*popularKeys*popularKeys)+1))
	for _, k := range w.popular {
		if w.readOn(k, most-len(w.met), now) {
			w.unread = append(w.unread, k)
		}
	}
	return len(w.unread)
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
