package feeding

import (
	"encoding/binary"
	"slices"

	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// Document is a document of a range on its way into a feed.
type Document struct {
	entry.Entry
	Rejected bool // it has no entry, and so no place
}

// Limits are those of a record, and what the journal needs for it.
type Limits struct {
	protocol.RunLimits
	Part  int // bytes of a part, at most
	Place int // bytes of what stands before an entry, at most
}

// Merge puts the entries of a plan's ranges into the order of their places: (time, range, offset). It takes what was
// read of each range, in whatever pieces, and makes feeds of it. What follows from the ranges alone is the sequence
// of entries; where a feed ends follows from the pieces.
type Merge struct {
	plan   *protocol.Plan
	parts  []index.FeedPart // of the lanes, as the next record begins them
	lanes  []lane           // of the plan's ranges, in their order
	first  []int            // heap of the lanes that have a next entry, lowest place first
	dry    int              // lanes whose next entry is not known yet
	bytes  int              // queued in all lanes
	keys   int              // length of an entry's band keys
	bounds Limits           // of a record

	record   index.Feed // that is being made
	rejected []uint64   // for each part of it: documents of the range that are rejected so far
	size     int        // upper bound of its bytes
	scratch  []byte
}

// recordBytes is an upper bound of what a record takes beside its entries and parts.
const recordBytes = 128

// NewMerge begins where the ranges of a plan were fed to.
func NewMerge(plan *protocol.Plan, from State, bounds Limits) *Merge {
	m := &Merge{
		plan: plan, parts: slices.Clone(from.Parts), lanes: make([]lane, len(plan.Ranges)), bounds: bounds,
		size: recordBytes,
	}
	m.record.First = from.Entries
	for i, r := range plan.Ranges {
		m.parts[i].From = m.parts[i].Through
		position, known := from.begins(i, &r)
		m.lanes[i] = lane{to: r.To, position: position, sent: known, place: from.Places[i], part: -1}
		if from.Rejected != nil {
			m.lanes[i].rejected = from.Rejected[i]
		}
		if m.lanes[i].dry() {
			m.dry++
		}
	}
	return m
}

// Add queues what was read of a range: documents ascending by offset, and the offset behind all that was read. What
// lies beyond the range is left out. The documents are copied.
func (m *Merge) Add(number int, documents []Document, position int64) {
	l := &m.lanes[number]
	bytes, queued := l.bytes, l.queued
	m.wet(l)
	m.scratch = m.scratch[:0]
	for i := range documents {
		d := &documents[i]
		if d.Offset < l.position || d.Offset >= l.to {
			continue
		}
		l.position = d.Offset + 1
		if d.Rejected {
			l.refused++
			continue
		}
		m.keys = max(m.keys, len(d.Keys))
		l.place = m.plan.Place(l.place, d.Time)
		m.scratch = binary.AppendVarint(entry.Append(m.scratch, &d.Entry, nil), l.place)
		m.scratch = binary.AppendUvarint(m.scratch, l.refused)
		l.refused = 0
		if len(m.scratch) >= blockBytes {
			l.keep(m.scratch, m.keys)
			m.scratch = m.scratch[:0]
		}
	}
	l.keep(m.scratch, m.keys)
	if cap(m.scratch) > 4*blockBytes {
		m.scratch = nil // for an entry that few are as large as
	}
	l.position = min(max(l.position, position), l.to)
	m.dries(l)
	m.bytes += l.bytes - bytes
	if l.queued && !queued {
		m.push(number)
	}
}

// wet and dries count the lanes that are dry: before and after a lane changes.
func (m *Merge) wet(l *lane) {
	if l.dry() {
		m.dry--
	}
}

func (m *Merge) dries(l *lane) {
	if l.dry() {
		m.dry++
	}
}

// Fill moves entries into the record that is being made. Full says that there are more, for the next record.
func (m *Merge) Fill() (full bool) {
	for m.dry == 0 && len(m.first) > 0 {
		l := &m.lanes[m.first[0]]
		size := m.bounds.Place + entry.Size(&l.next)
		if l.part < 0 {
			size += m.bounds.Part
		}
		n := len(m.record.Entries)
		if n > 0 && (n >= m.bounds.Entries || m.size+size > m.bounds.Bytes) {
			return true
		}
		m.size += size
		m.take(l)
	}
	return false
}

// take moves the next entry of the first lane into the record.
func (m *Merge) take(l *lane) {
	if l.part < 0 {
		m.carry(m.first[0])
	}
	m.record.Entries = append(m.record.Entries, index.FedEntry{Part: l.part, At: l.at, Entry: l.next})
	bytes := l.bytes
	l.advance(m.keys)
	m.bytes += l.bytes - bytes
	m.dries(l)
	if l.queued {
		m.sink(0)
	} else {
		m.pop()
	}
}

// carry makes a range a part of the record.
func (m *Merge) carry(number int) {
	m.lanes[number].part = len(m.record.Parts)
	m.record.Parts, m.rejected = append(m.record.Parts, m.parts[number]), append(m.rejected, 0)
}

// Sealed ends the record and returns it. It is good until Begin, and ok is false if it would say nothing. A range
// that has no entry in it is a part nevertheless if it got further: its documents were rejected, or there were none.
func (m *Merge) Sealed() (record *index.Feed, ok bool) {
	for i := range m.lanes {
		l := &m.lanes[i]
		if l.part < 0 && l.through() > l.sent && m.size+m.bounds.Part <= m.bounds.Bytes {
			m.size += m.bounds.Part
			m.carry(i)
		}
		if l.part >= 0 {
			m.record.Parts[l.part].Through, m.rejected[l.part] = l.through(), l.rejectedThrough()
		}
	}
	return &m.record, len(m.record.Parts) > 0
}

// Begin begins the next record. The sealed one is taken for sent.
func (m *Merge) Begin() {
	for i := range m.lanes {
		if l := &m.lanes[i]; l.part >= 0 {
			l.sent, m.parts[i].From, l.part = m.record.Parts[l.part].Through, m.record.Parts[l.part].Through, -1
		}
	}
	m.record.First += uint64(len(m.record.Entries))
	clear(m.record.Entries)
	m.record.Entries, m.record.Parts, m.rejected, m.size = m.record.Entries[:0], m.record.Parts[:0], m.rejected[:0], recordBytes
}

// Rejected returns for each part of the sealed record how many documents of its range below Through are rejected.
func (m *Merge) Rejected() []uint64 { return m.rejected }

// Complete says that nothing is to be read any more.
func (m *Merge) Complete() bool {
	for i := range m.lanes {
		if !m.lanes[i].exhausted() {
			return false
		}
	}
	return true
}

// Done says that all of all ranges was in sealed records.
func (m *Merge) Done() bool {
	for i := range m.lanes {
		if m.lanes[i].sent < m.lanes[i].to {
			return false
		}
	}
	return true
}

// First is how many entries were fed before the record that is being made.
func (m *Merge) First() uint64 { return m.record.First }

// Size is an upper bound of the bytes of that record.
func (m *Merge) Size() int { return m.size }

// Position is the offset from which a range is to be read.
func (m *Merge) Position(number int) int64 { return m.lanes[number].position }

// Exhausted says that all of a range is read.
func (m *Merge) Exhausted(number int) bool { return m.lanes[number].exhausted() }

// Quota bounds the bytes that wait for entries of other ranges.
type Quota struct {
	Range int // of one range
	All   int
}

// Rests says whether a range is to be left alone for now, because all of it is read or enough is queued. Rested says
// that it was left alone before: it is read again when the merge has used half of its quota. A range whose next entry
// is not known is always read, so the merge goes on.
func (m *Merge) Rests(number int, rested bool, q Quota) bool {
	l := &m.lanes[number]
	return l.exhausted() || l.bytes > q.Range || rested && l.bytes > q.Range/2 || m.bytes > q.All && l.queued
}

// QueuedOf is how many bytes of entries of a range wait for others.
func (m *Merge) QueuedOf(number int) int { return m.lanes[number].bytes }

// Queued is how many bytes of entries wait for others.
func (m *Merge) Queued() int { return m.bytes }
