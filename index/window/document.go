package window

import (
	"encoding/binary"
	"math"

	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/sketch"
	"github.com/unecho/unecho/index/wire"
)

// Document is what the window remembers of an entry. It never changes. A representative that enters the window again
// becomes another document there, with the same Judged and First.
type Document struct {
	Position entry.Position // journal position of the entry that made it enter; ascends through the window
	// stream time (ms) from which its age counts: that of its verdict, or of the last repeat before it entered again
	Applied int64
	Source  uint32 // number of its source partition
	Entry   entry.Entry

	Again  bool
	Judged entry.Position // journal position at which it was judged
	First  Ref            // its number when it first entered
	Root   Ref            // first number of its representative; equals First if it is no copy
	Links  Links
}

// Copied says whether the document is a copy of another one.
func (d *Document) Copied() bool { return d.Root != d.First }

// base holds the journal offset and stream time (ms) of a segment's first document. The records of the segment are
// relative to it.
type base struct {
	offset, applied int64
}

// possible says whether the document, restored as number r, refers only to itself and to earlier documents.
func (d *Document) possible(r Ref) bool {
	return r.Possible() && d.First <= r && d.Root <= r && d.Again == (d.First != r)
}

// Older says whether the document counts as the earlier one.
func (d *Document) Older(than *Document) bool { return d.Judged.Before(than.Judged) }

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
func (d *Document) append(dst []byte, b base) []byte {
	dst = binary.AppendVarint(dst, d.Position.Offset-b.offset)
	dst = binary.AppendUvarint(dst, uint64(uint32(d.Position.Entry)))
	dst = binary.AppendVarint(dst, d.Applied-b.applied)
	flags := uint64(wire.Flag(d.Copied()))*flagCopied | uint64(wire.Flag(d.Again))*flagAgain |
		uint64(wire.Flag(!d.Links.None()))*flagLinked
	dst = binary.AppendUvarint(dst, uint64(d.Source)<<flagBits|flags)
	if d.Copied() {
		dst = binary.AppendUvarint(dst, uint64(d.Root))
	}
	if d.Again {
		dst = binary.AppendUvarint(dst, uint64(d.First))
		dst = binary.AppendVarint(dst, d.Judged.Offset-b.offset)
		dst = binary.AppendUvarint(dst, uint64(uint32(d.Judged.Entry)))
	}
	if !d.Links.None() {
		dst = wire.AppendBytes(wire.AppendBytes(dst, d.Links.Absent), d.Links.Fine)
	}
	e := d.Entry
	e.Keys, e.Digest = nil, nil
	return entry.Append(dst, &e, nil)
}

// maxHead bounds the bytes of a record before its entry.
const maxHead = 10*binary.MaxVarintLen64 + sketch.MaxSlots/8 + 1 + fineKeys*fineBytes

// readDocument reads the record of document number r up to its entry, and returns the bytes of the entry as rest. rest
// is empty if the record is cut short.
func readDocument(record []byte, b base, r Ref) (d Document, rest []byte) {
	rd := wire.NewReader(record)
	d.Position.Offset = rd.Varint() + b.offset
	d.Position.Entry = int32(rd.Uvarint())
	d.Applied = rd.Varint() + b.applied
	flagged := rd.Uvarint()
	d.Source = uint32(min(flagged>>flagBits, math.MaxUint32))
	d.Judged, d.First, d.Root = d.Position, r, r
	if flagged&flagCopied != 0 {
		d.Root = Ref(rd.Uvarint())
	}
	if d.Again = flagged&flagAgain != 0; d.Again {
		d.First = Ref(rd.Uvarint())
		d.Judged = entry.Position{Offset: rd.Varint() + b.offset, Entry: int32(rd.Uvarint())}
		d.Root = d.First
	}
	if flagged&flagLinked != 0 {
		d.Links = Links{Absent: rd.Bytes(), Fine: rd.Bytes()}
	}
	return d, rd.Rest()
}
