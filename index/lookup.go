package index

import (
	"bytes"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/unecho/unecho/index/entry"
)

// A lookup finds documents through the references under its keys: the key of each band, the one of all bands together
// (see identical.go), and fine keys where band keys are popular. Of each key the newest similarity.max_references are
// met, and of all keys lookupKeys times as many: first of the key of all bands, then of the fine keys, then of the
// bands. A document that is met is told apart by its digest, which reads no record. The others are its candidates: those
// whose digests differ in the fewest bits come first, and among equals the one indexed first.
//
// References are stored with hashBits bits of their key's hash, its tag. Band keys are compared in full before a
// document becomes a candidate. A fine key is no longer than its tag.

// lookup holds the buckets of a document's band keys.
type lookup struct {
	keys   []byte // band keys; empty if there is no lookup
	probes []probe
	digest entry.Digest // of a lookup ahead
	likely []ref        // numbers of documents that it will probably meet
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

// lookupKeys is for how many keys with similarity.max_references documents each a lookup has time.
const lookupKeys = 16

// fewOwn is how many band keys that are not popular are too few to find a copy by them.
const fewOwn = 3

// look is what a lookup asks for, and what it has found.
type look struct {
	digest  entry.Digest
	most    int      // greatest number of bits in which the digest of a candidate may differ; -1: not yet known
	fine    []uint32 // tags of the fine keys that are looked up
	counts  []int    // references met under each key: of the bands, of all together, fine keys
	left    int      // references that may still be met
	renewed []uint32 // tags of keys that are popular, or become so if the document enters
	links   links    // of the document if it enters
	ranks   []rank   // candidates
	full    int      // keys that may have more documents than were met
	dropped int      // documents that their digests ruled out

	scratch []uint64 // fine keys
}

// look finds the candidates of an entry, the most promising first, and where it is to be linked.
func (r *Replica) look(e *entry.Entry) {
	l, w := &r.looked, &r.window
	r.verify.Begin(e)
	*l = look{
		digest: entry.ReadDigest(e.Digest), most: -1, fine: l.fine[:0], counts: l.counts[:0],
		left: lookupKeys * r.params.Similarity.MaxReferences, renewed: l.renewed[:0], ranks: l.ranks[:0],
		links: links{absent: l.links.absent[:0], fine: l.links.fine[:0]}, scratch: l.scratch,
	}
	w.probe(e.Keys)
	r.chooseKeys(l)
	l.counts = append(l.counts, make([]int, len(w.tables)+len(l.fine))...)
	r.meet()
	r.judgeKeys()
	slices.Sort(l.ranks)
	l.ranks = slices.Compact(l.ranks)
}

// chooseKeys decides by what is popular whether fine keys are looked up, which, and where the entry is linked. An entry
// with few band keys of its own is looked for under popular fine keys too: the first of its kind are linked there.
// The entry's keys are probed, and the comparer has begun with it. It says whether fine keys were made of the evidence.
func (r *Replica) chooseKeys(l *look) (made bool) {
	w, common := &r.window, 0
	for b := range w.probed.probes {
		if tag := w.probed.probes[b].hash; r.popular.has(tag) {
			l.renewed = append(l.renewed, tag)
			l.links.leave(b, len(w.tables))
			common += int(flag(b < w.whole()))
		}
	}
	if len(l.renewed) == 0 {
		return false
	}
	l.scratch, r.candidate = l.scratch[:0], entry.Entry{}
	if r.verify.Cost(&r.candidate) <= r.params.Similarity.MaxWork { // else it is compared with none
		l.scratch = r.verify.Fine(l.scratch)
	}
	if len(l.scratch) == 0 {
		l.links.everywhere()
		return false
	}
	for _, key := range l.scratch {
		tag := tagOf(key)
		popular := r.popular.has(tag)
		if !popular || w.whole()-common <= fewOwn {
			l.fine = append(l.fine, tag)
		}
		if popular {
			l.renewed = append(l.renewed, tag)
		} else if l.links.add(tag); len(l.links.fine) == fineKeys*fineBytes {
			break
		}
	}
	return true
}

// judgeKeys decides by what was met what becomes popular.
func (r *Replica) judgeKeys() {
	l, most := &r.looked, r.params.Similarity.MaxReferences
	for i, met := range l.counts {
		if met >= min(popularFrom, most) {
			l.renewed = append(l.renewed, r.lookedTag(i))
		}
		l.full += int(flag(met >= most))
	}
	l.full += int(flag(l.left == 0))
}

// lookedTag returns the tag of a key that is looked up: of a table, or behind these a fine key.
func (r *Replica) lookedTag(i int) uint32 {
	if of := r.window.probed.probes; i < len(of) {
		return of[i].hash
	}
	return r.looked.fine[i-len(r.window.tables)]
}

// meet finds candidates.
func (r *Replica) meet() {
	l, w := &r.looked, &r.window
	w.met, w.ends = w.met[:0], w.ends[:0]
	r.readKey(&w.probed.probes[w.whole()], w.whole(), w.whole())
	for i, tag := range l.fine {
		var p probe
		table := w.fineTable(tag)
		p.locate(&w.tables[table], tag)
		r.readKey(&p, table, len(w.tables)+i)
	}
	for from := 0; from < w.whole(); from += matched {
		hits, linked := w.probed.match(from)
		for m := hits | linked; m != 0; m &= m - 1 {
			if b := from + bits.TrailingZeros64(m); b < w.whole() {
				r.readKey(&w.probed.probes[b], b, b)
			}
		}
	}
	if len(w.met) == 0 {
		return
	}
	if l.most < 0 {
		l.most = r.verify.Limit()
	}
	w.findMet()
	from := 0
	for _, end := range w.ends {
		r.tellApart(w.met[from:end.met], end.key)
		from = end.met
	}
}

// readKey meets the documents of a key in a table, so that no more than max_references of it are met in all.
func (r *Replica) readKey(p *probe, table, key int) {
	l, w := &r.looked, &r.window
	most := min(r.params.Similarity.MaxReferences-l.counts[key], l.left)
	if n := w.read(p, &w.tables[table], most); n > 0 {
		l.counts[key] += n
		l.left -= n
		w.ends = append(w.ends, metEnd{met: len(w.met), key: key})
	}
}

// read appends to w.met the newest documents in a bucket that have its key, up to most, and returns how many they are.
func (w *window) read(p *probe, t *table, most int) int {
	now, from := w.span(), len(w.met)
	var ages [1 + lineSlots]uint32
	for l := p.line; l != nil && most > 0; {
		older := t.older(l)
		prefetchAt(unsafe.Pointer(older))
		if l.has(p.want, p.tag) {
			n, expired := l.ages(&ages, l.count(), p.want, ^p.tag, now)
			for _, age := range ages[:min(n, most)] {
				w.met = append(w.met, met{number: now.end - 1 - ref(age)})
			}
			if most -= min(n, most); expired {
				break
			}
		}
		l = older
	}
	return len(w.met) - from
}

// met is a document that a lookup meets, and where it is.
type met struct {
	number  ref
	segment *segment
	i       int
}

// metEnd says that what was met under a key ends there.
type metEnd struct{ met, key int }

// findMet finds where the documents are that were met, and fetches their digests.
func (w *window) findMet() {
	s := w.segments[0]
	for k := range w.met {
		m := &w.met[k]
		if m.number < s.first || m.number >= s.first+ref(s.n) {
			s, _ = w.at(m.number)
		}
		m.segment, m.i = s, int(m.number-s.first)
		prefetchAt(unsafe.Pointer(&s.fixedPart(m.i)[s.fixed-1]))
	}
}

// tellApart adds the documents that were met under a key to the candidates, unless their digests rule them out.
func (r *Replica) tellApart(all []met, key int) {
	l, w := &r.looked, &r.window
	for i := range all {
		m := &all[i]
		distance := l.digest.Distance(m.segment.digest(m.i))
		if distance > l.most {
			l.dropped++
			continue
		}
		if key >= len(w.tables) || m.segment.has(m.i, key, w.probed.keys) {
			l.ranks = append(l.ranks, rankOf(distance, m.number))
		}
	}
}

// has says whether a document has the band key that keys have in a table, compared in full.
func (s *segment) has(i, table int, keys []byte) bool {
	at := table * s.width
	if at == len(keys) {
		return bytes.Equal(s.keys(i), keys)
	}
	return bytes.Equal(s.keys(i)[at:at+s.width], keys[at:at+s.width])
}

// entered notes what is popular of the keys of the entry that was looked up last.
func (r *Replica) entered() {
	for _, tag := range r.looked.renewed {
		r.popular.use(tag)
	}
	r.popular.enter(r.window.span())
}
