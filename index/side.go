package index

import (
	"encoding/binary"
	"fmt"

	"github.com/unecho/unecho/index/wire"
)

// The side table is what changed of documents since they entered. While few have changed it stands in the state; else it
// stands apart, in parts that are kept as segments are, so that no window is too large to be stored:
//
//	version 3 · per document that changed its number and its changes
//
// A program that knows no parts refuses the version, and says so.
const sideVersion = 3

const (
	// sideInline bounds the documents whose changes stand in the state: 66 bytes each at most, and a store takes 256 MiB.
	sideInline = 1 << 21
	// sideSegments is for how many segments a part has the changes: 17 MB at most. The cuts are at multiples of their number,
	// so that a part of which nothing changed keeps its content while the window rolls on.
	sideSegments = 4
)

// sideParts are the parts for the segments of a capture.
func sideParts(segments []SegmentView) (parts []SegmentView) {
	for begin := 0; begin < len(segments); {
		end, changed := begin, 0
		for ; end < len(segments) && segments[end].Number/sideSegments == segments[begin].Number/sideSegments; end++ {
			changed += segments[end].segment.changes.end()
		}
		if changed > 0 {
			parts = append(parts, SegmentView{changed: segments[begin:end:end]})
		}
		begin = end
	}
	return parts
}

// appendSide appends what changed of the documents of segments.
func appendSide(dst []byte, segments []SegmentView) []byte {
	for i := range segments {
		s := &segments[i].segment
		for k := range s.changes.end() {
			if c := s.changes.of(k); c != (change{}) {
				dst = binary.AppendUvarint(dst, uint64(s.first)+uint64(k))
				dst = c.append(dst)
			}
		}
	}
	return dst
}

// sidePart is a part of the side table, decoded.
type sidePart struct {
	first, last ref // whose changes it has; of none, first is the greater
	changes     []changed
}

// changed is what changed of a document.
type changed struct {
	ref    ref
	change change
}

// decodeSide decodes a part behind its version.
func decodeSide(rd wire.Reader) (*Decoded, error) {
	d := &Decoded{segment: &segment{}, side: &sidePart{first: maxRef}}
	for p := d.side; rd.Len() > 0; {
		c := changed{ref: ref(rd.Uvarint()), change: readChange(&rd)}
		if rd.Short() || c.ref > maxRef || len(p.changes) > 0 && c.ref <= p.last || c.change.emission.source >= 1<<31 {
			return nil, fmt.Errorf("%w: side table", ErrCorrupt)
		}
		p.first, p.last = min(p.first, c.ref), c.ref
		p.changes = append(p.changes, c)
		d.sources = max(d.sources, sourcesOf(&c.change))
	}
	return d, nil
}

// sourcesOf is one more than the greatest source number that a change has.
func sourcesOf(c *change) uint32 {
	if !c.emission.set {
		return 0
	}
	return c.emission.source + 1
}

// addSide applies a part, when the segments are there.
func (t *Restore) addSide(d *Decoded) error {
	w := &t.replica.window
	if d.side.first < w.firstRef() || d.side.last >= w.end || int(d.sources) > len(t.replica.partitions) {
		return fmt.Errorf("%w: side table", ErrCorrupt)
	}
	for i := range d.side.changes {
		c := &d.side.changes[i]
		s, i := w.at(c.ref)
		s.changes.set(i, c.change)
	}
	return nil
}
