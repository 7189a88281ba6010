package index

import (
	"encoding/binary"
	"slices"

	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/wire"
)

// Formats. States, segments and side tables share one sequence of version numbers (see sideVersion).
const (
	stateVersion   = 10
	segmentVersion = 4
)

// Capture is a replica's state at one journal offset, taken for a snapshot. It copies what is small and refers to
// memory that never changes, so that it can be encoded while the replica goes on.
type Capture struct {
	Next        int64 // journal offset to apply next
	Hash        uint64
	Settings    []byte        // that the journal was begun with; not to be changed
	Fingerprint uint64        // of the settings that the replica works by
	Bounds      Bounds        // in force; not to be changed
	Routes      Routes        // in force; not to be changed
	Segments    []SegmentView // and the parts of the side table, if it stands apart

	state    []byte   // up to the requests
	requests requests // encoded by State, while the replica goes on: a million take some hundred milliseconds
	rest     []byte   // of the state, behind the requests and without the side table
	apart    bool     // the side table is no part of the state
}

// SegmentView is one segment as it was when it was captured. It may also be a part of the side table: then its number
// is 0 and it has no documents.
type SegmentView struct {
	Number uint64 // ascending, never used again
	Sealed bool   // no document will be added to it
	// Erased is the journal offset behind the latest record that erased a document of the segment; 0 if none did since the
	// replica was made or restored. What was stored of the segment at an earlier offset is out of date.
	Erased  int64
	segment segment
	changed []SegmentView // in a part of the side table: the segments whose changes it holds
}

// Capture takes the state. It copies the partitions with their held verdicts, and some bytes per segment and request.
func (r *Replica) Capture() Capture {
	c := Capture{
		Next: r.next, Hash: uint64(r.hash), Settings: r.settings, Fingerprint: r.fingerprint, Bounds: r.bounds, Routes: r.routes,
		state: r.appendState(nil), requests: r.requests.capture(), rest: r.appendRest(nil),
	}
	c.Segments = make([]SegmentView, len(r.window.segments))
	changed := 0
	for i, s := range r.window.segments {
		s.captured, s.changes.captured = true, true
		changed += s.changes.end()
		c.Segments[i] = SegmentView{Number: s.number, Sealed: s.sealed, Erased: s.erased, segment: *s}
	}
	if changed > sideInline {
		c.Split()
	}
	return c
}

// Split moves the side table out of the state into parts of its own, as Capture does by itself for a large window. Call
// it before State. A second call changes nothing.
func (c *Capture) Split() {
	if !c.apart {
		c.apart, c.Segments = true, append(c.Segments, sideParts(c.Segments)...)
	}
}

// State encodes everything but the segments:
//
//	version · settings · routes · were bounds changed, and then bounds (appendBounds) · next · hash · clocks ·
//	partitions · entries fed, and for each partition through and place · filling (appendFilling) · requests ·
//	popular keys (popular.append) ·
//	oldest document · number of segments so far · side table, unless it is stored apart: for each document that changed
//	since it entered, its number and its changes
func (c *Capture) State() []byte {
	dst := slices.Grow(slices.Clone(c.state), len(c.rest)+c.requests.bytes)
	dst = append(c.requests.append(dst), c.rest...)
	if !c.apart {
		dst = appendSide(dst, c.Segments)
	}
	return dst
}

// Documents is the number of documents in the segment.
func (v *SegmentView) Documents() int { return v.segment.n }

// Append appends the encoded segment:
//
//	version · number · number of its first document · sealed · bytes of band keys and digest · documents ·
//	base: journal offset, stream time · bytes of records · records · band keys and digests
func (v *SegmentView) Append(dst []byte) []byte {
	if v.changed != nil {
		return appendSide(append(dst, sideVersion), v.changed)
	}
	s := &v.segment
	keys := s.fixed - atBytes
	dst = slices.Grow(dst, s.used+s.n*keys+64)
	dst = append(dst, segmentVersion)
	dst = binary.AppendUvarint(dst, s.number)
	dst = binary.AppendUvarint(dst, uint64(s.first))
	dst = append(dst, flag(s.sealed))
	dst = binary.AppendUvarint(dst, uint64(keys))
	dst = binary.AppendUvarint(dst, uint64(s.n))
	dst = binary.AppendVarint(dst, s.base.offset)
	dst = binary.AppendVarint(dst, s.base.applied)
	dst = wire.AppendBytes(dst, s.block[:s.used])
	for i := range s.n {
		dst = append(dst, s.keysAndDigest(i)...)
	}
	return dst
}

func flag(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// appendState encodes what stands before the requests.
func (r *Replica) appendState(dst []byte) []byte {
	dst = append(dst, stateVersion)
	dst = wire.AppendBytes(dst, r.settings)
	dst = append(dst, flag(r.settings != nil))
	dst = binary.AppendUvarint(dst, uint64(r.routes.Number))
	dst = wire.AppendBytes(dst, r.routes.Text)
	dst = append(dst, flag(r.bounds.Number > 0))
	if r.bounds.Number > 0 {
		dst = r.appendBounds(dst)
	}
	dst = binary.AppendVarint(dst, r.next)
	dst = binary.LittleEndian.AppendUint64(dst, uint64(r.hash))
	dst = binary.AppendVarint(dst, r.clocks.arrival)
	dst = binary.AppendVarint(dst, r.clocks.event)
	dst = binary.AppendUvarint(dst, uint64(len(r.partitions)))
	for _, p := range r.partitions {
		dst = appendPartition(dst, p)
	}
	dst = binary.AppendUvarint(dst, r.fed)
	for _, p := range r.partitions {
		dst = binary.AppendVarint(binary.AppendVarint(dst, p.fed.Through), p.fed.Place)
	}
	return r.appendFilling(dst)
}

// appendRest encodes what stands behind the requests, but for the side table.
func (r *Replica) appendRest(dst []byte) []byte {
	dst = r.popular.append(dst)
	dst = binary.AppendUvarint(dst, uint64(r.window.oldest))
	return binary.AppendUvarint(dst, r.window.number)
}

// appendBounds encodes the bounds that were changed, and what of earlier ones matters still:
//
//	number · text · flags: 1 copies were indexed, 2 representatives may have entered again, 4 the window may be beyond its bounds
func (r *Replica) appendBounds(dst []byte) []byte {
	dst = wire.AppendBytes(binary.AppendUvarint(dst, uint64(r.bounds.Number)), r.bounds.Text)
	return append(dst, flag(r.window.places != nil)|flag(r.window.refreshed)<<1|flag(r.narrowing)<<2)
}

// appendFilling encodes the latest fill, and how far fills have come:
//
//	number · plan · entries · kept · too old · empty · time of the newest document that a fill brought ·
//	for each partition through, place and rejected
func (r *Replica) appendFilling(dst []byte) []byte {
	f := &r.filling
	dst = wire.AppendBytes(binary.AppendUvarint(dst, uint64(f.Number)), f.Plan)
	for _, n := range [...]uint64{f.Entries, f.Kept, f.TooOld, f.Empty} {
		dst = binary.AppendUvarint(dst, n)
	}
	dst = binary.AppendVarint(dst, f.last)
	for _, p := range r.partitions {
		dst = binary.AppendVarint(binary.AppendVarint(dst, p.filled.Through), p.filled.Place)
		dst = binary.AppendUvarint(dst, p.filled.Rejected)
	}
	return dst
}

func appendPartition(dst []byte, p *partition) []byte {
	dst = appendSource(dst, p.source)
	dst = wire.AppendString(dst, p.name)
	dst = binary.AppendUvarint(dst, uint64(p.among))
	dst = binary.AppendUvarint(dst, uint64(p.Epoch))
	dst = binary.AppendVarint(dst, p.Start)
	dst = binary.AppendVarint(dst, p.Base)
	dst = binary.AppendUvarint(dst, uint64(len(p.falls)))
	for _, f := range p.falls {
		dst = appendPosition(dst, f.before)
		dst = binary.AppendVarint(dst, f.from)
	}
	dst = binary.AppendUvarint(dst, uint64(len(p.held)))
	for i := range p.held {
		dst = appendVerdict(dst, &p.held[i])
	}
	return dst
}

func appendSource(dst []byte, s entry.Source) []byte {
	return binary.AppendVarint(append(dst, s.Topic[:]...), int64(s.Partition))
}

func appendPosition(dst []byte, p Position) []byte {
	return binary.AppendVarint(binary.AppendVarint(dst, p.Offset), int64(p.Entry))
}

func appendVerdict(dst []byte, v *Verdict) []byte {
	dst = binary.AppendVarint(dst, v.Offset)
	dst = appendPosition(dst, v.Position)
	dst = binary.LittleEndian.AppendUint64(dst, v.Content)
	dst = append(dst, flag(v.Forgotten)|flag(v.Reemitted)<<1|flag(v.Cut)<<2|flag(v.Late != 0)<<3, byte(v.Match.Method))
	if v.Late != 0 {
		dst = binary.AppendVarint(dst, v.Late)
	}
	if !v.Matched() {
		return dst
	}
	m := &v.Match
	dst = appendSource(dst, m.Source)
	dst = wire.AppendString(dst, m.Topic)
	dst = binary.AppendVarint(dst, m.Offset)
	dst = appendPosition(dst, m.Position)
	dst = binary.AppendVarint(dst, m.Time)
	dst = wire.AppendString(dst, m.ID)
	dst = binary.AppendUvarint(dst, uint64(m.Similarity.Num))
	dst = binary.AppendUvarint(dst, uint64(m.Similarity.Den))
	return binary.AppendUvarint(dst, m.Copy)
}
