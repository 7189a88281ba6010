package index

import (
	"encoding/binary"
	"math"

	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/wire"
)

// document is what the index remembers of an entry. It never changes: a representative that enters the window again is
// another document there, with the same judged and first.
type document struct {
	position Position // of the entry because of which it entered: ascending
	applied  int64    // stream time from which its age counts, ms: of its verdict, or of the last repeat when it entered again
	source   uint32   // number of its partition
	entry    entry.Entry

	again  bool
	judged Position // where it was judged
	first  ref      // the number it had first
	root   ref      // the number that its representative had first; its own, if it is none's copy
}

// copied says that the document stands for another one.
func (d *document) copied() bool { return d.root != d.first }

// base is what the numbers in the records of a segment are relative to: those of its first document.
type base struct {
	offset, applied int64
}

// possible says that the document, restored as number r, refers to none that came later.
func (d *document) possible(r ref) bool {
	return d.first <= r && d.root <= r && d.again == (d.first < r)
}

// Flags of a record, below the source number.
const (
	flagCopied = 1 << iota
	flagAgain
	flagBits = 2
)

// append appends the record of a document: journal offset and stream time (zigzag, from the base), entry number, source
// number and flags, what the flags say, and the entry alone, without its band keys. A copy has the number of its
// representative; a document that entered again its first number, and where it was judged.
func (d *document) append(dst []byte, b base) []byte {
	dst = binary.AppendVarint(dst, d.position.Offset-b.offset)
	dst = binary.AppendUvarint(dst, uint64(uint32(d.position.Entry)))
	dst = binary.AppendVarint(dst, d.applied-b.applied)
	flags := uint64(flag(d.copied()))*flagCopied | uint64(flag(d.again))*flagAgain
	dst = binary.AppendUvarint(dst, uint64(d.source)<<flagBits|flags)
	if d.copied() {
		dst = binary.AppendUvarint(dst, uint64(d.root))
	}
	if d.again {
		dst = binary.AppendUvarint(dst, uint64(d.first))
		dst = binary.AppendVarint(dst, d.judged.Offset-b.offset)
		dst = binary.AppendUvarint(dst, uint64(uint32(d.judged.Entry)))
	}
	e := d.entry
	e.Keys = nil
	return entry.Append(dst, &e, nil)
}

// maxHead bounds the bytes of a record before its entry.
const maxHead = 8 * binary.MaxVarintLen64

// readDocument reads the record of document number r up to its entry, which begins at rest. A record that ends early gives no
// rest.
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
	return d, rd.Rest()
}
