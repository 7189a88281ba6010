package feed

import (
	"encoding/binary"

	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// merge puts the entries of a plan's ranges into the order of their places: (time, range, offset). It takes what was read of each
// range, in whatever pieces, and makes feeds of it. What follows from the ranges alone is the sequence of entries; where a feed
// ends follows from the pieces.
type merge struct {
	plan   *protocol.Plan
	parts  []index.FeedPart // of the lanes, without Through
	lanes  []lane           // of the plan's ranges, in their order
	first  []int            // heap of the lanes that have a next entry, lowest place first
	dry    int              // lanes whose next entry is not known yet
	bytes  int              // queued in all lanes
	keys   int              // length of an entry's band keys
	bounds protocol.Bounds  // of a record

	record  index.Feed // that is being made
	size    int        // upper bound of its bytes
	scratch []byte
}

// state is how far ranges were fed.
type state struct {
	entries uint64
	parts   []index.FeedPart // of each range of the plan
	places  []int64          // of each range: the time of its last place
}

// recordBytes is an upper bound of what a record takes beside its entries and parts.
const recordBytes = 128

func newMerge(plan *protocol.Plan, from state, bounds protocol.Bounds) *merge {
	m := &merge{plan: plan, parts: from.parts, lanes: make([]lane, len(plan.Ranges)), bounds: bounds, size: recordBytes}
	m.record.First = from.entries
	for i, r := range plan.Ranges {
		position := min(max(r.From, from.parts[i].Through), r.To)
		m.lanes[i] = lane{to: r.To, position: position, sent: position, place: from.places[i], part: -1}
		if m.lanes[i].dry() {
			m.dry++
		}
	}
	return m
}

// add queues what was read of a range: documents ascending by offset, and the offset behind all that was read. What lies beyond the
// range is left out. The documents are copied.
func (m *merge) add(number int, documents []document, position int64) {
	l := &m.lanes[number]
	bytes, queued := l.bytes, l.queued
	m.wet(l)
	m.scratch = m.scratch[:0]
	for i := range documents {
		d := &documents[i]
		if d.rejected || d.Offset < l.position || d.Offset >= l.to {
			continue
		}
		m.keys = max(m.keys, len(d.Keys))
		l.place = m.plan.Place(l.place, d.Time)
		m.scratch = binary.AppendVarint(entry.Append(m.scratch, &d.Entry, nil), l.place)
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
func (m *merge) wet(l *lane) {
	if l.dry() {
		m.dry--
	}
}

func (m *merge) dries(l *lane) {
	if l.dry() {
		m.dry++
	}
}

// fill moves entries into the record that is being made. Full says that there are more, for the next record.
func (m *merge) fill() (full bool) {
	for m.dry == 0 && len(m.first) > 0 {
		l := &m.lanes[m.first[0]]
		size := journal.FeedPlace + entry.Size(&l.next)
		if l.part < 0 {
			size += journal.FeedPartSize
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
func (m *merge) take(l *lane) {
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
func (m *merge) carry(number int) {
	m.lanes[number].part = len(m.record.Parts)
	m.record.Parts = append(m.record.Parts, m.parts[number])
}

// sealed ends the record and returns it. It is good until begin, and ok is false if it would say nothing. A range that has no
// entry in it is a part nevertheless if it got further: its documents were rejected, or there were none.
func (m *merge) sealed() (record *index.Feed, ok bool) {
	for i := range m.lanes {
		l := &m.lanes[i]
		if l.part < 0 && l.through() > l.sent && m.size+journal.FeedPartSize <= m.bounds.Bytes {
			m.size += journal.FeedPartSize
			m.carry(i)
		}
		if l.part >= 0 {
			m.record.Parts[l.part].Through = l.through()
		}
	}
	return &m.record, len(m.record.Parts) > 0
}

// begin begins the next record. The sealed one is taken for sent.
func (m *merge) begin() {
	for i := range m.lanes {
		if l := &m.lanes[i]; l.part >= 0 {
			l.sent, l.part = m.record.Parts[l.part].Through, -1
		}
	}
	m.record.First += uint64(len(m.record.Entries))
	clear(m.record.Entries)
	m.record.Entries, m.record.Parts, m.size = m.record.Entries[:0], m.record.Parts[:0], recordBytes
}

// complete says that nothing is to be read any more.
func (m *merge) complete() bool {
	for i := range m.lanes {
		if !m.lanes[i].exhausted() {
			return false
		}
	}
	return true
}

// done says that all of all ranges was in sealed records.
func (m *merge) done() bool {
	for i := range m.lanes {
		if m.lanes[i].sent < m.lanes[i].to {
			return false
		}
	}
	return true
}
