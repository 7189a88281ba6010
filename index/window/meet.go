package window

import (
	"bytes"
	"unsafe"

	"github.com/unecho/unecho/index/entry"
)

// A lookup sets the keys that it looks for (Probe), meets the newest documents under some of them (Meet, MeetFine), and
// then reads what it needs to know of those (Met).
//
// References are stored with hashBits bits of their key's hash, its tag. Whether a document that was met has a band key
// is seen by comparing it in full (Has). A fine key is no longer than its tag.

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
	x.met = x.met[:0]
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

// Together is how many tables Likely looks at.
const Together = matched

// Likely looks at up to Together tables, from a number on. Bits are set for those that may have a document under the key
// that is looked up.
func (x *Buckets) Likely(from int) uint64 {
	hits, linked := x.probed.match(from)
	return hits | linked
}

// Meet meets the newest documents in a table under the key that is looked up, up to most, and returns how many they are.
func (x *Buckets) Meet(table, most int) int {
	return x.read(&x.probed.probes[table], &x.tables[table], most)
}

// MeetFine does what Meet does for a fine key.
func (x *Buckets) MeetFine(tag uint32, most int) int {
	var p probe
	t := &x.tables[x.fineTable(tag)]
	p.locate(t, tag)
	return x.read(&p, t, most)
}

// read appends to x.met the newest documents in a bucket that have its key, up to most, and returns how many they are.
func (x *Buckets) read(p *probe, t *table, most int) int {
	now, from := x.of.span(), len(x.met)
	var ages [1 + lineSlots]uint32
	for l := p.line; l != nil && most > 0; {
		older := t.older(l)
		prefetchAt(unsafe.Pointer(older))
		if l.has(p.want, p.tag) {
			n, expired := l.ages(&ages, l.count(), p.want, ^p.tag, now)
			for _, age := range ages[:min(n, most)] {
				x.met = append(x.met, Met{number: now.end - 1 - Ref(age)})
			}
			if most -= min(n, most); expired {
				break
			}
		}
		l = older
	}
	return len(x.met) - from
}

// Met is a document that a lookup has met, and where it is.
type Met struct {
	number  Ref
	segment *segment
	i       int
}

// Met returns the documents that were met since Probe, in the order in which they were. They are valid until the window
// changes. It finds where the documents are, and fetches their digests.
func (x *Buckets) Met() []Met {
	if len(x.met) == 0 {
		return nil
	}
	s := x.of.segments[0]
	for k := range x.met {
		m := &x.met[k]
		if m.number < s.first || m.number >= s.first+Ref(s.n) {
			s, _ = x.of.at(m.number)
		}
		m.segment, m.i = s, int(m.number-s.first)
		prefetchAt(unsafe.Pointer(&s.fixedPart(m.i)[s.fixed-1]))
	}
	return x.met
}

// Number returns the document's number.
func (m *Met) Number() Ref { return m.number }

// Digest returns the document's digest.
func (m *Met) Digest() []byte { return m.segment.digest(m.i) }

// Has says whether a document that was met has the key that is looked up in a table, compared in full.
func (x *Buckets) Has(m *Met, table int) bool {
	at, own := table*entry.KeyBytes, m.segment.keys(m.i)
	if keys := x.probed.keys; at < len(keys) {
		return bytes.Equal(own[at:at+entry.KeyBytes], keys[at:at+entry.KeyBytes])
	}
	return bytes.Equal(own, x.probed.keys)
}
