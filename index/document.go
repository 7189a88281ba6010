package index

import (
	"encoding/binary"

	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/wire"
)

// document is what the index remembers of an entry. It never changes.
type document struct {
	position Position // where it was judged
	applied  int64    // stream time then, ms
	source   uint32   // number of its partition
	entry    entry.Entry
}

// base is what the numbers in the records of a segment are relative to: those of its first document.
type base struct {
	offset, applied int64
}

// append appends the record of a document: journal offset and stream time (zigzag, from the base), entry number, source
// number, and the entry alone, without its band keys.
func (d *document) append(dst []byte, b base) []byte {
	dst = binary.AppendVarint(dst, d.position.Offset-b.offset)
	dst = binary.AppendUvarint(dst, uint64(uint32(d.position.Entry)))
	dst = binary.AppendVarint(dst, d.applied-b.applied)
	dst = binary.AppendUvarint(dst, uint64(d.source))
	e := d.entry
	e.Keys = nil
	return entry.Append(dst, &e, nil)
}

// maxHead bounds the bytes of a record before its entry.
const maxHead = 4 * binary.MaxVarintLen64

// readDocument reads a record up to its entry, which begins at rest. A record that ends early gives no rest.
func readDocument(record []byte, b base) (d document, rest []byte) {
	rd := wire.NewReader(record)
	d.position.Offset = rd.Varint() + b.offset
	d.position.Entry = int32(rd.Uvarint())
	d.applied = rd.Varint() + b.applied
	d.source = uint32(rd.Uvarint())
	return d, rd.Rest()
}
