package window

import (
	"encoding/binary"
	"fmt"

	"github.com/unecho/unecho/index/wire"
)

// The side table holds what changed about documents since they entered. While few documents have changed, it is part of
// the state. Otherwise it is stored apart, in parts that are kept like segments, so that a window of any size can be
// stored:
//
//	version 3 · per document that changed its number and its changes
//
// An older program that does not know these parts refuses the version with an error.
const sideVersion = 3

const (
	// SideInline bounds the documents whose changes are part of the state. They take up to 66 bytes each, and a store
	// takes 256 MiB.
	SideInline = 1 << 21
	// sideSegments is how many segments one part covers: 17 MB at most. Parts begin at multiples of it, so that a part
	// without changes keeps its content while the window rolls on.
	sideSegments = 4
)

// SideParts returns the parts for the segments of a capture.
func SideParts(segments []View) (parts []View) {
	for begin := 0; begin < len(segments); {
		end, changed := begin, 0
		for ; end < len(segments) && segments[end].Number/sideSegments == segments[begin].Number/sideSegments; end++ {
			changed += segments[end].segment.changes.end()
		}
		if changed > 0 {
			parts = append(parts, View{changed: segments[begin:end:end]})
		}
		begin = end
	}
	return parts
}

// AppendSide encodes what changed about the documents of segments.
func AppendSide(dst []byte, segments []View) []byte {
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

// sidePart is a decoded part of the side table.
type sidePart struct {
	first, last Ref // first and last document with changes; first > last if there are none
	changes     []changed
}

// changed is a document's number and what changed about it.
type changed struct {
	Ref    Ref
	change change
}

// decodeSide decodes a part after its version byte.
func decodeSide(rd wire.Reader) (*Decoded, error) {
	d := &Decoded{segment: &segment{}, side: &sidePart{first: maxRef}}
	for p := d.side; rd.Len() > 0; {
		c := changed{Ref: Ref(rd.Uvarint()), change: readChange(&rd)}
		if rd.Short() || !c.Ref.Possible() || len(p.changes) > 0 && c.Ref <= p.last || c.change.emission.Source >= 1<<31 {
			return nil, fmt.Errorf("%w: side table", wire.ErrCorrupt)
		}
		p.first, p.last = min(p.first, c.Ref), c.Ref
		p.changes = append(p.changes, c)
		d.sources = max(d.sources, sourcesOf(&c.change))
	}
	return d, nil
}

// sourcesOf returns the greatest source number of a change, plus 1; 0 if it has none.
func sourcesOf(c *change) uint32 {
	if !c.emission.Set {
		return 0
	}
	return c.emission.Source + 1
}
