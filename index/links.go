package index

import (
	"encoding/binary"

	"github.com/unecho/unecho/index/compare"
)

// FineTag makes the tag of a fine key.
func FineTag(scope, a, b uint64) uint32 { return tagOf(compare.FineKey(scope, a, b)) }

// fineKeys is the most fine keys under which a document is linked.
const fineKeys = 12

// links says where a document is linked.
type links struct {
	absent []byte // a bit for each table: it is not linked there under its own key; nil if it is linked in all
	fine   []byte // tags of the fine keys under which it is linked, of fineBytes each
}

const fineBytes = 4

// own says whether the document is linked in a table under its own key.
func (l *links) own(table int) bool { return len(l.absent) == 0 || l.absent[table/8]>>(table%8)&1 == 0 }

func (l *links) none() bool { return len(l.absent) == 0 && len(l.fine) == 0 }

// leave says that the document is not linked in one of so many tables.
func (l *links) leave(table, tables int) {
	if len(l.absent) == 0 {
		l.absent = append(l.absent[:0], make([]byte, (tables+7)/8)...)
	}
	l.absent[table/8] |= 1 << (table % 8)
}

// add links the document under a fine key.
func (l *links) add(tag uint32) { l.fine = binary.LittleEndian.AppendUint32(l.fine, tag) }

// everywhere links a document that has no fine key of its own under its band keys, popular or not.
func (l *links) everywhere() {
	if len(l.fine) == 0 {
		l.absent = l.absent[:0]
	}
}

// leaveAll says that the document is linked nowhere, as one that is identical to its representative: what would find
// it finds that.
func (l *links) leaveAll(tables int) {
	for b := range tables {
		l.leave(b, tables)
	}
	l.fine = l.fine[:0]
}

// possible says whether links that are restored may be those of a document, given the number of tables.
func (l *links) possible(tables int) bool {
	return (len(l.absent) == 0 || len(l.absent) == (tables+7)/8) && len(l.fine)%fineBytes == 0 &&
		len(l.fine) <= fineKeys*fineBytes
}

// tags visits the tags of fine keys.
func (l *links) tags(visit func(tag uint32)) {
	for at := 0; at < len(l.fine); at += fineBytes {
		visit(binary.LittleEndian.Uint32(l.fine[at:]))
	}
}

// fineTable returns the table that has the references of a fine key. The highest bits of the tag choose it, as the
// lowest ones choose the bucket.
func (w *window) fineTable(tag uint32) int {
	return int(uint64(tag) * uint64(len(w.tables)) >> hashBits)
}

// bytes returns the bytes that a document's fine keys count against window.bytes.
func (l *links) bytes() int64 { return FineBytes(len(l.fine) / fineBytes) }
