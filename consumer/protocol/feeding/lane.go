package feeding

import (
	"bytes"
	"encoding/binary"

	"github.com/unecho/unecho/index/entry"
)

// lane is a range while it is merged. Its entries lie encoded in blocks, in their order, each followed by the time of
// its place and by how many documents were rejected since the entry before.
type lane struct {
	to       int64
	position int64 // all documents below are read
	place    int64 // time of the place of the entry that was queued last, or protocol.NoPlace
	sent     int64 // through which offset sealed records feed it
	part     int   // its number in the record that is being made; -1: that has nothing of it

	blocks [][]byte // what is queued behind next
	bytes  int      // of the blocks and of the one that next points into
	rest   []byte   // of that one
	opened int      // length of that one

	queued bool        // next is an entry
	next   entry.Entry // points into a block
	at     int64       // time of its place

	rejected uint64 // documents before next, or before what comes after the entry that was next last
	refused  uint64 // documents behind the entry that was queued last
}

// blockBytes is how many bytes of entries are released together, roughly. blockCost is what a block takes beside its
// bytes.
const (
	blockBytes = 64 << 10
	blockCost  = 64
)

// through is the offset below which all documents of the lane are rejected, or in sealed records and in the one that
// is being made.
func (l *lane) through() int64 {
	if l.queued {
		return l.next.Offset
	}
	return l.position
}

// rejectedThrough is how many documents of the range below through are rejected.
func (l *lane) rejectedThrough() uint64 {
	if l.queued {
		return l.rejected
	}
	return l.rejected + l.refused
}

// dry says that the lane's next entry is not known yet.
func (l *lane) dry() bool { return !l.queued && l.position < l.to }

// exhausted says that all of the range is read.
func (l *lane) exhausted() bool { return l.position == l.to }

// keep queues a block of entries, which it copies.
func (l *lane) keep(entries []byte, keys int) {
	if len(entries) == 0 {
		return
	}
	l.blocks = append(l.blocks, bytes.Clone(entries))
	l.bytes += len(entries) + blockCost
	if !l.queued {
		l.advance(keys)
	}
}

// advance makes the first queued entry the next one. keys is the length of band keys.
func (l *lane) advance(keys int) {
	if len(l.rest) == 0 {
		if l.opened > 0 {
			l.bytes -= l.opened + blockCost
		}
		l.rest, l.opened, l.next, l.queued = nil, 0, entry.Entry{}, false
		if len(l.blocks) == 0 {
			l.blocks = nil
			return
		}
		l.rest, l.blocks[0] = l.blocks[0], nil
		l.blocks, l.opened = l.blocks[1:], len(l.rest)
	}
	var err error
	if l.next, l.rest, err = entry.Decode(l.rest, keys, nil); err != nil {
		panic("feeding: our own entry does not decode: " + err.Error()) // our bug
	}
	at, n := binary.Varint(l.rest)
	rejected, k := binary.Uvarint(l.rest[n:])
	l.at, l.rest, l.queued = at, l.rest[n+k:], true
	l.rejected += rejected
}
