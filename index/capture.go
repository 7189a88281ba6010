package index

import (
	"encoding/binary"
	"slices"

	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/window"
	"github.com/unecho/unecho/index/wire"
)

// stateVersion is the format of a state. States, segments and side tables share one sequence of version numbers.
const stateVersion = 10

// Capture is a replica's state at one journal offset, taken for a snapshot. It copies what is small and refers to
// memory that never changes, so that it can be encoded while the replica goes on.
type Capture struct {
	Next        int64 // journal offset to apply next
	Hash        uint64
	Settings    []byte        // that the journal was begun with; not to be changed
	Fingerprint uint64        // of the settings that the replica works by
	Bounds      Bounds        // in force; not to be changed
	Routes      Routes        // in force; not to be changed
	Segments    []window.View // and the parts of the side table, if it stands apart

	state    []byte   // up to the requests
	requests requests // encoded by State, while the replica goes on: a million take some hundred milliseconds
	rest     []byte   // of the state, behind the requests and without the side table
	apart    bool     // the side table is no part of the state
}

// Capture takes the state. It copies the partitions with their held verdicts, and some bytes per segment and request.
func (r *Replica) Capture() Capture {
	c := Capture{
		Next: r.next, Hash: uint64(r.hash), Settings: r.settings, Fingerprint: r.fingerprint, Bounds: r.bounds, Routes: r.routing.routes,
		state: appendState(nil, r), requests: r.requests.capture(), rest: appendRest(nil, &r.find),
	}
	var changed int
	c.Segments, changed = r.find.window.Capture()
	if changed > window.SideInline {
		c.Split()
	}
	return c
}

// Split moves the side table out of the state into parts of its own, as Capture does by itself for a large window. Call
// it before State. A second call changes nothing.
func (c *Capture) Split() {
	if !c.apart {
		c.apart, c.Segments = true, append(c.Segments, window.SideParts(c.Segments)...)
	}
}

// State encodes everything but the segments:
//
//	version · settings · routes · were bounds changed, and then bounds (appendBounds) · next · hash · clocks ·
//	partitions · entries fed, and for each partition through and place · filling (filling.append) · requests ·
//	popular keys (popular.append) ·
//	oldest document · number of segments so far · side table, unless it is stored apart: for each document that changed
//	since it entered, its number and its changes
func (c *Capture) State() []byte {
	dst := slices.Grow(slices.Clone(c.state), len(c.rest)+c.requests.bytes)
	dst = append(c.requests.append(dst), c.rest...)
	if !c.apart {
		dst = window.AppendSide(dst, c.Segments)
	}
	return dst
}

// appendState encodes what stands before the requests.
func appendState(dst []byte, r *Replica) []byte {
	dst = append(dst, stateVersion)
	dst = wire.AppendBytes(dst, r.settings)
	dst = append(dst, wire.Flag(r.settings != nil))
	dst = binary.AppendUvarint(dst, uint64(r.routing.routes.Number))
	dst = wire.AppendBytes(dst, r.routing.routes.Text)
	dst = append(dst, wire.Flag(r.bounds.Number > 0))
	if r.bounds.Number > 0 {
		dst = r.judge.appendBounds(dst, &r.bounds)
	}
	dst = binary.AppendVarint(dst, r.next)
	dst = binary.LittleEndian.AppendUint64(dst, uint64(r.hash))
	dst = binary.AppendVarint(dst, r.clocks.arrival)
	dst = binary.AppendVarint(dst, r.clocks.event)
	dst = binary.AppendUvarint(dst, uint64(len(r.sources.rows)))
	for _, p := range r.sources.rows {
		dst = appendPartition(dst, p)
	}
	dst = binary.AppendUvarint(dst, r.fed)
	for _, p := range r.sources.rows {
		dst = binary.AppendVarint(binary.AppendVarint(dst, p.fed.Through), p.fed.Place)
	}
	return r.filling.append(dst, r.sources.rows)
}

// appendRest encodes what stands behind the requests, but for the side table.
func appendRest(dst []byte, x *finder) []byte {
	dst = x.popular.append(dst)
	return x.window.Append(dst)
}

// appendBounds encodes the bounds that were changed, and what of earlier ones matters still:
//
//	number · text · flags: 1 copies were indexed, 2 representatives may have entered again, 4 the window may be beyond its bounds
func (j *judge) appendBounds(dst []byte, bounds *Bounds) []byte {
	dst = wire.AppendBytes(binary.AppendUvarint(dst, uint64(bounds.Number)), bounds.Text)
	copies, refreshed := j.find.window.History()
	return append(dst, wire.Flag(copies)|wire.Flag(refreshed)<<1|wire.Flag(j.narrowing)<<2)
}

// append encodes the latest fill, and how far fills have come:
//
//	number · plan · entries · kept · too old · empty · time of the newest document that a fill brought ·
//	for each partition through, place and rejected
func (f *filling) append(dst []byte, rows []*partition) []byte {
	dst = wire.AppendBytes(binary.AppendUvarint(dst, uint64(f.Number)), f.Plan)
	for _, n := range [...]uint64{f.Entries, f.Kept, f.TooOld, f.Empty} {
		dst = binary.AppendUvarint(dst, n)
	}
	dst = binary.AppendVarint(dst, f.last)
	for _, p := range rows {
		dst = binary.AppendVarint(binary.AppendVarint(dst, p.filled.Through), p.filled.Place)
		dst = binary.AppendUvarint(dst, p.filled.Rejected)
	}
	return dst
}

func appendPartition(dst []byte, p *partition) []byte {
	dst = entry.AppendSource(dst, p.source)
	dst = wire.AppendString(dst, p.name)
	dst = binary.AppendUvarint(dst, uint64(p.among))
	dst = binary.AppendUvarint(dst, uint64(p.Epoch))
	dst = binary.AppendVarint(dst, p.Start)
	dst = binary.AppendVarint(dst, p.Base)
	dst = binary.AppendUvarint(dst, uint64(len(p.falls)))
	for _, f := range p.falls {
		dst = entry.AppendPosition(dst, f.before)
		dst = binary.AppendVarint(dst, f.from)
	}
	dst = binary.AppendUvarint(dst, uint64(len(p.held)))
	for i := range p.held {
		dst = appendVerdict(dst, &p.held[i])
	}
	return dst
}

func appendVerdict(dst []byte, v *Verdict) []byte {
	dst = binary.AppendVarint(dst, v.Offset)
	dst = entry.AppendPosition(dst, v.Position)
	dst = binary.LittleEndian.AppendUint64(dst, v.Content)
	dst = append(dst, wire.Flag(v.Forgotten)|wire.Flag(v.Reemitted)<<1|wire.Flag(v.Cut)<<2|wire.Flag(v.Late != 0)<<3, byte(v.Match.Method))
	if v.Late != 0 {
		dst = binary.AppendVarint(dst, v.Late)
	}
	if !v.Matched() {
		return dst
	}
	m := &v.Match
	dst = entry.AppendSource(dst, m.Source)
	dst = wire.AppendString(dst, m.Topic)
	dst = binary.AppendVarint(dst, m.Offset)
	dst = entry.AppendPosition(dst, m.Position)
	dst = binary.AppendVarint(dst, m.Time)
	dst = wire.AppendString(dst, m.ID)
	dst = binary.AppendUvarint(dst, uint64(m.Similarity.Num))
	dst = binary.AppendUvarint(dst, uint64(m.Similarity.Den))
	return binary.AppendUvarint(dst, m.Copy)
}
