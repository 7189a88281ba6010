package window

import (
	"bytes"
	"unsafe"

	"github.com/unecho/unecho/index/entry"
)

// A lookup sets the keys that it looks for (Probe), meets the newest documents under some of them (Meet, MeetFine), and
// then reads what it needs to know of those (Met).
//
// References are stored with hashBits bits of their key's hash, its tag. Who has only an equal tag is not met: band keys are
// compared in full. A fine key is no longer than its tag. No document is linked under a fine key whose tag is that of
// its own key in the same table (Own), so who has that is met under its own key alone.

// lookup holds the buckets of a document's band keys.
type lookup struct {
	keys   []byte // band keys; empty if there is no lookup
	probes []probe
	digest entry.Digest // of a lookup ahead
	likely []Ref        // numbers of documents that it will probably meet
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

// Probe begins a lookup of band keys. It finds their buckets, unless the latest lookup had the same keys.
func (x *Buckets) Probe(keys []byte) {
	x.met, x.may = x.met[:0], x.of.files.may(keys)
	x.probe(keys)
}

// probe finds the buckets of band keys, unless x.probed already has them.
func (x *Buckets) probe(keys []byte) {
	if bytes.Equal(keys, x.probed.keys) {
		return
	}
	x.locate(&x.probed, keys)
	prefetchProbes(x.probed.probes)
}

// locate finds the buckets of band keys. The result is valid for a table until it grows or shrinks.
func (x *Buckets) locate(l *lookup, keys []byte) {
	l.keys = append(l.keys[:0], keys...)
	for b := range x.tables {
		l.probes[b].locate(&x.tables[b], x.tag(keys, b))
	}
}

// locate finds the bucket of a hash.
func (p *probe) locate(t *table, hash uint32) {
	bucket, level := t.bucket(hash)
	p.line, p.hash, p.bucket, p.level = t.lines.at(bucket), hash, uint32(bucket), uint32(level)
	p.want, p.tag = pack(hash, 0, level), ^ring(level)
}

// add adds the newest document to the bucket, if its first line has room and no line behind it.
func (p *probe) add(r Ref) bool {
	n := p.line[0] + 1
	if n > lineSlots {
		return false // it is full, or has a link
	}
	p.line[0], p.line[n&countMask] = n, p.want|uint32(r)&^p.tag
	return true
}

// Tag returns the tag of the key that is looked up in a table.
func (x *Buckets) Tag(table int) uint32 { return x.probed.probes[table].hash }

// Own says whether a fine key has the tag of the key that is looked up in its table.
func (x *Buckets) Own(fine uint32) bool { return x.Tag(x.fineTable(fine)) == fine }

// Together is how many tables Likely looks at.
const Together = matched

// Likely looks at up to Together tables, from a number on. Bits are set for those that may have a document under the key
// that is looked up.
func (x *Buckets) Likely(from int) uint64 {
	if len(x.of.files.blocks) > 0 {
		return ^uint64(0)
	}
	hits, linked := x.probed.match(from)
	return hits | linked
}

// Meet meets the newest documents in a table under the key that is looked up, up to most, and returns how many they are.
func (x *Buckets) Meet(table, most int) int {
	return x.read(&x.probed.probes[table], table, most, false)
}

// MeetFine does what Meet does for a fine key.
func (x *Buckets) MeetFine(tag uint32, most int) int {
	var p probe
	table := x.fineTable(tag)
	p.locate(&x.tables[table], tag)
	return x.read(&p, table, most, true)
}

// read appends to x.met the newest documents in a bucket that have its key, up to most, and returns how many they are.
func (x *Buckets) read(p *probe, table, most int, fine bool) int {
	now, from := x.of.span(), len(x.met)
	t := &x.tables[table]
	var ages [1 + lineSlots]uint32
	for l := p.line; l != nil && len(x.met)-from < most; {
		older := t.older(l)
		prefetchAt(unsafe.Pointer(older))
		if l.has(p.want, p.tag) {
			n, expired := l.ages(&ages, l.count(), p.want, ^p.tag, now)
			before := len(x.met)
			for _, age := range ages[:n] {
				x.meet(now.end - 1 - Ref(age))
			}
			x.keep(before, table, p.hash, fine)
			if expired {
				break
			}
		}
		l = older
	}
	x.met = x.met[:min(len(x.met), from+most)]
	if n := len(x.met) - from; n < most && len(x.of.files.blocks) > 0 {
		x.meetOld(table, most-n, p.hash, fine)
	}
	return len(x.met) - from
}

// meet appends a document to x.met, and fetches its keys and its digest.
func (x *Buckets) meet(r Ref) {
	s, i := x.of.at(r)
	fixed := s.fixedPart(i)
	prefetchAt(unsafe.Pointer(&fixed[0]))
	prefetchAt(unsafe.Pointer(&fixed[len(fixed)-1]))
	x.met = append(x.met, Met{number: r, segment: s, i: i})
}

// keep drops those of the documents that were met last that have not the key, but equal bits of a hash.
func (x *Buckets) keep(from, table int, tag uint32, fine bool) {
	kept := x.met[:from]
	for _, m := range x.met[from:] {
		if x.under(m.segment.keys(m.i), table, tag, fine) {
			kept = append(kept, m)
		}
	}
	x.met = kept
}

// under says whether a document of those keys, which a table or a list has under a tag, is met there.
func (x *Buckets) under(own []byte, table int, tag uint32, fine bool) bool {
	if fine {
		return x.tag(own, table) != tag
	}
	return sameKey(own, x.probed.keys, table)
}

// sameKey says whether the keys of two documents have the same key in a table.
func sameKey(own, keys []byte, table int) bool {
	if at := table * entry.KeyBytes; at < len(keys) {
		return [entry.KeyBytes]byte(own[at:]) == [entry.KeyBytes]byte(keys[at:])
	}
	return bytes.Equal(own, keys)
}

// Met is a document that a lookup has met, and where it is.
type Met struct {
	number  Ref
	segment *segment
	i       int
}

// Met returns the documents that were met since Probe, in the order in which they were. They are valid until the window
// changes.
func (x *Buckets) Met() []Met { return x.met }

// Number returns the document's number.
func (m *Met) Number() Ref { return m.number }

// Digest returns the document's digest.
func (m *Met) Digest() []byte { return m.segment.digest(m.i) }
