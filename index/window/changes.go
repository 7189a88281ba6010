package window

import (
	"encoding/binary"
	"slices"
	"unsafe"

	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/wire"
)

// changes holds what changes about a segment's documents after they were indexed. Each column is indexed by the place
// in the segment, and ends where all later values are zero. A capture shares the columns instead of copying them; the
// first change after a capture copies those of one segment.
type changes struct {
	copies []uint32 // number of duplicates judged against the document
	dead   []bool   // true if the document was forgotten
	// ms: 1 + stream time of the last repeat since the document entered; 0 is none; with duplicates.remember.refresh: last
	repeats   []int64
	emissions []Emission // the last copy that came through as unique
	captured  bool
}

const copiesBytes = 4 // of a number of copies

func (c *changes) own() {
	if c.captured {
		c.copies, c.dead = slices.Clone(c.copies), slices.Clone(c.dead)
		c.repeats, c.emissions, c.captured = slices.Clone(c.repeats), slices.Clone(c.emissions), false
	}
}

func (c *changes) copied(i int) uint32     { return column(c.copies, i) }
func (c *changes) isDead(i int) bool       { return column(c.dead, i) }
func (c *changes) emission(i int) Emission { return column(c.emissions, i) }

// repeated returns the stream time (ms) of a document's last repeat since it entered; ok is false if there was none.
func (c *changes) repeated(i int) (at int64, ok bool) {
	at = column(c.repeats, i)
	return at - 1, at > 0
}

func (c *changes) setCopied(i int, copies uint32) {
	c.own()
	c.copies = reach(c.copies, i)
	c.copies[i] = copies
}

func (c *changes) kill(i int) {
	c.own()
	c.dead = reach(c.dead, i)
	c.dead[i] = true
}

func (c *changes) repeat(i int, now int64) {
	c.own()
	c.repeats = reach(c.repeats, i)
	c.repeats[i] = now + 1
}

func (c *changes) emit(i int, m Emission) {
	c.own()
	c.emissions = reach(c.emissions, i)
	c.emissions[i] = m
}

func column[T any](of []T, i int) (v T) {
	if i < len(of) {
		v = of[i]
	}
	return v
}

// reach extends a column so that it has place i.
func reach[T any](of []T, i int) []T {
	if i < len(of) {
		return of
	}
	return slices.Grow(of, i+1-len(of))[:i+1]
}

// memory returns the bytes that the columns take.
func (c *changes) memory() int64 {
	return int64(copiesBytes*cap(c.copies) + cap(c.dead) + 8*cap(c.repeats) + int(unsafe.Sizeof(Emission{}))*cap(c.emissions))
}

// end returns the place after the last document that may have changed.
func (c *changes) end() int {
	return max(len(c.copies), len(c.dead), len(c.repeats), len(c.emissions))
}

// Emission is the last copy of a representative that came through as unique. Until a copy does, it is the
// representative itself.
type Emission struct {
	At       int64          // ms of stream time
	Position entry.Position // journal position at which the copy was judged
	Offset   int64          // in its source partition
	Source   uint32         // number of that partition
	Set      bool
	// its output refused it, or it fell before its representative entered again; the next copy then comes through
	Void bool
}

// change holds what changed about one document.
type change struct {
	copies   uint32
	dead     bool
	repeat   int64 // as in changes.repeats
	emission Emission
}

func (c *changes) of(i int) change {
	return change{copies: c.copied(i), dead: c.isDead(i), repeat: column(c.repeats, i), emission: c.emission(i)}
}

// set stores the changes of a document that has none yet.
func (c *changes) set(i int, to change) {
	c.setCopied(i, to.copies)
	if to.dead {
		c.kill(i)
	}
	if to.repeat > 0 {
		c.repeat(i, to.repeat-1)
	}
	if to.emission.Set {
		c.emit(i, to.emission)
	}
}

// Flags of a change.
const (
	changedDead = 1 << iota
	changedRepeat
	changedEmission
	changedVoid
)

// append encodes copies, flags, and what the flags announce: 1 + the time of the last repeat; then time, position,
// source number and offset of the last emission.
func (c *change) append(dst []byte) []byte {
	m := &c.emission
	dst = binary.AppendUvarint(dst, uint64(c.copies))
	dst = append(dst, wire.Flag(c.dead)*changedDead|wire.Flag(c.repeat > 0)*changedRepeat|wire.Flag(m.Set)*changedEmission|wire.Flag(
		m.Void)*changedVoid)
	if c.repeat > 0 {
		dst = binary.AppendUvarint(dst, uint64(c.repeat))
	}
	if !m.Set {
		return dst
	}
	dst = binary.AppendVarint(dst, m.At)
	dst = entry.AppendPosition(dst, m.Position)
	dst = binary.AppendUvarint(dst, uint64(m.Source))
	return binary.AppendVarint(dst, m.Offset)
}

func readChange(rd *wire.Reader) (c change) {
	c.copies = uint32(rd.Uvarint())
	flags := rd.Byte()
	c.dead = flags&changedDead != 0
	if flags&changedRepeat != 0 {
		c.repeat = int64(rd.Uvarint())
	}
	if flags&changedEmission == 0 {
		return c
	}
	c.emission = Emission{Set: true, Void: flags&changedVoid != 0, At: rd.Varint(), Position: entry.ReadPosition(rd)}
	c.emission.Source, c.emission.Offset = uint32(rd.Uvarint()), rd.Varint()
	return c
}
