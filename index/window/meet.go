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
func (w *Window) Probe(keys []byte) {
	w.met = w.met[:0]
	w.probe(keys)
}

// probe finds the buckets of band keys, unless w.probed already has them.
func (w *Window) probe(keys []byte) {
	if bytes.Equal(keys, w.probed.keys) {
		return
	}
	w.locate(&w.probed, keys)
	prefetchProbes(w.probed.probes)
}

// locate finds the buckets of band keys. The result is valid for a table until it grows or shrinks.
func (w *Window) locate(l *lookup, keys []byte) {
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
func (p *probe) add(r Ref) bool {
	n := p.line[0] + 1
	if n > lineSlots {
		return false // it is full, or has a link
	}
	p.line[0], p.line[n&countMask] = n, p.want|uint32(r)&^p.tag
	return true
}

// Tag returns the tag of the key that is looked up in a table.
func (w *Window) Tag(table int) uint32 { return w.probed.probes[table].hash }

// Together is how many tables Likely looks at.
const Together = matched

// Likely looks at up to Together tables, from a number on. Bits are set for those that may have a document under the key
// that is looked up.
func (w *Window) Likely(from int) uint64 {
	hits, linked := w.probed.match(from)
	return hits | linked
}

// Meet meets the newest documents in a table under the key that is looked up, up to most, and returns how many they are.
func (w *Window) Meet(table, most int) int {
	return w.read(&w.probed.probes[table], &w.tables[table], most)
}

// MeetFine does what Meet does for a fine key.
func (w *Window) MeetFine(tag uint32, most int) int {
	var p probe
	t := &w.tables[w.fineTable(tag)]
	p.locate(t, tag)
	return w.read(&p, t, most)
}

// read appends to w.met the newest documents in a bucket that have its key, up to most, and returns how many they are.
func (w *Window) read(p *probe, t *table, most int) int {
	now, from := w.span(), len(w.met)
	var ages [1 + lineSlots]uint32
	for l := p.line; l != nil && most > 0; {
		older := t.older(l)
		prefetchAt(unsafe.Pointer(older))
		if l.has(p.want, p.tag) {
			n, expired := l.ages(&ages, l.count(), p.want, ^p.tag, now)
			for _, age := range ages[:min(n, most)] {
				w.met = append(w.met, Met{number: now.end - 1 - Ref(age)})
			}
			if most -= min(n, most); expired {
				break
			}
		}
		l = older
	}
	return len(w.met) - from
}

// Met is a document that a lookup has met, and where it is.
type Met struct {
	number  Ref
	segment *segment
	i       int
}

// Met returns the documents that were met since Probe, in the order in which they were. They are valid until the window
// changes. It finds where the documents are, and fetches their digests.
func (w *Window) Met() []Met {
	if len(w.met) == 0 {
		return nil
	}
	s := w.segments[0]
	for k := range w.met {
		m := &w.met[k]
		if m.number < s.first || m.number >= s.first+Ref(s.n) {
			s, _ = w.at(m.number)
		}
		m.segment, m.i = s, int(m.number-s.first)
		prefetchAt(unsafe.Pointer(&s.fixedPart(m.i)[s.fixed-1]))
	}
	return w.met
}

// Number returns the document's number.
func (m *Met) Number() Ref { return m.number }

// Digest returns the document's digest.
func (m *Met) Digest() []byte { return m.segment.digest(m.i) }

// Has says whether a document that was met has the key that is looked up in a table, compared in full.
func (w *Window) Has(m *Met, table int) bool {
	at, own := table*w.width, m.segment.keys(m.i)
	if keys := w.probed.keys; at < len(keys) {
		return bytes.Equal(own[at:at+w.width], keys[at:at+w.width])
	}
	return bytes.Equal(own, w.probed.keys)
}
