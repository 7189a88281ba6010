package index

import (
	"encoding/binary"
	"math"

	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/sketch"
	"github.com/unecho/unecho/index/wire"
)

// document is what the index remembers of an entry. It never changes. A representative that enters the window again
// becomes another document there, with the same judged and first.
type document struct {
	position Position // journal position of the entry that made it enter; ascends through the window
	// stream time (ms) from which its age counts: that of its verdict, or of the last repeat before it entered again
	applied int64
	source  uint32 // number of its source partition
	entry   entry.Entry

	again  bool
	judged Position // journal position at which it was judged
	first  ref      // its number when it first entered
	root   ref      // first number of its representative; equals first if it is no copy
	links  links
}

// copied says whether the document is a copy of another one.
func (d *document) copied() bool { return d.root != d.first }

// base holds the journal offset and stream time (ms) of a segment's first document. The records of the segment are
// relative to it.
type base struct {
	offset, applied int64
}

// possible says whether the document, restored as number r, refers only to itself and to earlier documents.
func (d *document) possible(r ref) bool {
	return r.possible() && d.first <= r && d.root <= r && d.again == (d.first != r)
}

// older says whether the document counts as the earlier one.
func (d *document) older(than *document) bool { return d.judged.Before(than.judged) }

// Flags of a record, below the source number.
const (
	flagCopied = 1 << iota
	flagAgain
	flagLinked
	flagBits = 3
)

// append encodes the record of a document: journal offset and stream time (zigzag, relative to the base), entry number,
// source number and flags, what the flags announce, and the entry without its band keys and digest. The flags announce,
// for a copy, the number of its representative; for a document that entered again, its first number and where it was
// judged; and the links of a document that has some.
func (d *document) append(dst []byte, b base) []byte {
	dst = binary.AppendVarint(dst, d.position.Offset-b.offset)
	dst = binary.AppendUvarint(dst, uint64(uint32(d.position.Entry)))
	dst = binary.AppendVarint(dst, d.applied-b.applied)
	flags := uint64(flag(d.copied()))*flagCopied | uint64(flag(d.again))*flagAgain |
		uint64(flag(!d.links.none()))*flagLinked
	dst = binary.AppendUvarint(dst, uint64(d.source)<<flagBits|flags)
	if d.copied() {
		dst = binary.AppendUvarint(dst, uint64(d.root))
	}
	if d.again {
		dst = binary.AppendUvarint(dst, uint64(d.first))
		dst = binary.AppendVarint(dst, d.judged.Offset-b.offset)
		dst = binary.AppendUvarint(dst, uint64(uint32(d.judged.Entry)))
	}
	if !d.links.none() {
		dst = wire.AppendBytes(wire.AppendBytes(dst, d.links.absent), d.links.fine)
	}
	e := d.entry
	e.Keys, e.Digest = nil, nil
	return entry.Append(dst, &e, nil)
}

// maxHead bounds the bytes of a record before its entry.
const maxHead = 10*binary.MaxVarintLen64 + sketch.MaxSlots/8 + 1 + fineKeys*fineBytes

// readDocument reads the record of document number r up to its entry, and returns the bytes of the entry as rest. rest
// is empty if the record is cut short.
func readDocument(record []byte, b base, r ref) (d document, rest []byte) {
	rd := wire.NewReader(record)
	d.position.Offset = rd.Varint() + b.offset
	d.position.Entry = int32(rd.Uvarint())
	d.applied = rd.Varint() + b.applied
	flagged := rd.Uvarint()
	d.source = uint32(min(flagged>>flagBits, math.MaxUint32))
	d.judged, d.first, d.root = d.position, r, r
	if flagged&flagCopied != 0 {
		d.root = ref(rd.Uvarint())
	}
	if d.again = flagged&flagAgain != 0; d.again {
		d.first = ref(rd.Uvarint())
		d.judged = Position{Offset: rd.Varint() + b.offset, Entry: int32(rd.Uvarint())}
		d.root = d.first
	}
	if flagged&flagLinked != 0 {
		d.links = links{absent: rd.Bytes(), fine: rd.Bytes()}
	}
	return d, rd.Rest()
}
