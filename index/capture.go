package index

import (
	"encoding/binary"

	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/wire"
)

const stateVersion = 1

// Capture is a replica's state at one journal offset, taken for a snapshot. The segments in it are views of memory that
// only grows, so that they can be encoded while the replica goes on; State is a copy.
type Capture struct {
	Next     int64 // journal offset to apply next
	Hash     uint64
	State    []byte
	Segments []SegmentView
}

// SegmentView is one segment as it stood when it was captured.
type SegmentView struct {
	Number uint64 // ascending, never used again
	Sealed bool   // it will never change
	docs   []document
	slab   []byte
	keys   int
}

// Capture copies what changes and refers to what doesn't.
func (r *Replica) Capture() Capture {
	c := Capture{Next: r.next, Hash: uint64(r.hash), State: r.appendState(nil)}
	for _, s := range r.window.segments {
		n := len(s.docs)
		c.Segments = append(c.Segments, SegmentView{
			Number: s.number, Sealed: s.sealed, docs: s.docs[:n:n], slab: s.slab[:len(s.slab):len(s.slab)], keys: r.keys,
		})
	}
	return c
}

// Documents is the number of documents in the segment.
func (v *SegmentView) Documents() int { return len(v.docs) }

// Append appends the encoded segment:
//
//	version 1 · number · sealed · bytes of band keys · documents · per document: journal offset (delta), entry number,
//	applied (delta), source number, entry alone
func (v *SegmentView) Append(dst []byte) []byte {
	dst = append(dst, stateVersion)
	dst = binary.AppendUvarint(dst, v.Number)
	dst = append(dst, flag(v.Sealed))
	dst = binary.AppendUvarint(dst, uint64(v.keys))
	dst = binary.AppendUvarint(dst, uint64(len(v.docs)))
	var before document
	for i := range v.docs {
		d := &v.docs[i]
		dst = binary.AppendVarint(dst, d.position.Offset-before.position.Offset)
		dst = binary.AppendVarint(dst, int64(d.position.Entry))
		dst = binary.AppendVarint(dst, d.applied-before.applied)
		dst = binary.AppendUvarint(dst, uint64(d.source))
		end := len(v.slab)
		if i+1 < len(v.docs) {
			end = int(v.docs[i+1].at)
		}
		dst = append(dst, v.slab[d.at:end]...)
		before = *d
	}
	return dst
}

func flag(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// appendState encodes all but the segments.
func (r *Replica) appendState(dst []byte) []byte {
	dst = append(dst, stateVersion)
	dst = wire.AppendBytes(dst, r.settings)
	dst = append(dst, flag(r.settings != nil))
	dst = binary.AppendVarint(dst, r.next)
	dst = binary.LittleEndian.AppendUint64(dst, uint64(r.hash))
	dst = binary.AppendVarint(dst, r.clocks.arrival)
	dst = binary.AppendVarint(dst, r.clocks.event)
	dst = binary.AppendUvarint(dst, uint64(len(r.partitions)))
	for _, p := range r.partitions {
		dst = appendPartition(dst, p)
	}
	dst = binary.AppendUvarint(dst, uint64(r.window.oldest))
	return r.window.appendSide(dst)
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
	dst = append(dst, flag(v.Forgotten), byte(v.Match.Method))
	if v.Unique() {
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

// appendSide encodes the side table: what changed of documents after they were indexed.
func (w *window) appendSide(dst []byte) []byte {
	for _, s := range w.segments {
		for i := range s.docs {
			if s.copies[i] == 0 && !s.dead[i] {
				continue
			}
			dst = binary.AppendUvarint(dst, uint64(newRef(s.number, i)))
			dst = binary.AppendUvarint(dst, uint64(s.copies[i]))
			dst = append(dst, flag(s.dead[i]))
		}
	}
	return dst
}
