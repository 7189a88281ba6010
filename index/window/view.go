package window

import (
	"encoding/binary"
	"slices"

	"github.com/unecho/unecho/index/wire"
)

// segmentVersion is the format of a segment. States, segments and side tables share one sequence of version numbers (see
// sideVersion).
const segmentVersion = 11

// View is one segment as it was when it was captured. It may also be a part of the side table: then its number
// is 0 and it has no documents.
type View struct {
	Number uint64 // ascending, never used again
	Sealed bool   // no document will be added to it
	// Erased is the journal offset behind the latest record that erased a document of the segment; 0 if none did since the
	// replica was made or restored. What was stored of the segment at an earlier offset is out of date.
	Erased  int64
	segment segment
	changed []View // in a part of the side table: the segments whose changes it holds
}

// Capture returns the segments as they are now, and how many documents may have changed since they entered. It copies
// some bytes per segment and refers to memory that never changes.
func (w *Window) Capture() (views []View, changed int) {
	views = make([]View, len(w.segments))
	for i, s := range w.segments {
		s.captured, s.changes.captured = true, true
		changed += s.changes.end()
		views[i] = s.view()
	}
	return views, changed
}

func (s *segment) view() View {
	return View{Number: s.number, Sealed: s.sealed, Erased: s.erased, segment: *s}
}

// File returns the name of the file in which the segment lies; it is empty if it lies in none.
func (v *View) File() string {
	if v.segment.filed == nil {
		return ""
	}
	return v.segment.filed.name
}

// Away says that the records are not in memory, so that Append cannot encode them: the file has the same bytes.
func (v *View) Away() bool { return v.segment.away }

// Documents is the number of documents in the segment.
func (v *View) Documents() int { return v.segment.n }

// Append appends the encoded segment:
//
//	version · number · number of its first document · sealed · bytes of band keys and digest · documents ·
//	base: journal offset, stream time · bytes of records · records · band keys of each · digest of each
func (v *View) Append(dst []byte) []byte {
	if v.changed != nil {
		return AppendSide(append(dst, sideVersion), v.changed)
	}
	s := &v.segment
	keys := s.fixed - atBytes
	dst = slices.Grow(dst, s.used+s.n*keys+64)
	dst = append(dst, segmentVersion)
	dst = binary.AppendUvarint(dst, s.number)
	dst = binary.AppendUvarint(dst, uint64(s.first))
	dst = append(dst, wire.Flag(s.sealed))
	dst = binary.AppendUvarint(dst, uint64(keys))
	dst = binary.AppendUvarint(dst, uint64(s.n))
	dst = binary.AppendVarint(dst, s.base.offset)
	dst = binary.AppendVarint(dst, s.base.applied)
	dst = wire.AppendBytes(dst, s.block[:s.used])
	for i := range s.n {
		dst = append(dst, s.keys(i)...)
	}
	for i := range s.n {
		dst = append(dst, s.digest(i)...)
	}
	return dst
}

// Append encodes the number of the oldest document and the number of segments so far.
func (w *Window) Append(dst []byte) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(dst, uint64(w.oldest)), w.number)
}
