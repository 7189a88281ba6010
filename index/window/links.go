package window

import (
	"bytes"
	"encoding/binary"
)

// fineKeys is the most fine keys under which a document is linked.
const fineKeys = 12

// Links say where a document is linked. The zero value links it in all tables under its own keys.
type Links struct {
	Absent []byte // a bit for each table: it is not linked there under its own key; nil if it is linked in all
	Fine   []byte // Tags of the fine keys under which it is linked, of fineBytes each
}

const fineBytes = 4

// Own says whether the document is linked in a table under its own key.
func (l *Links) Own(table int) bool { return len(l.Absent) == 0 || l.Absent[table/8]>>(table%8)&1 == 0 }

// None says that the document is linked in all tables under its own keys, and nowhere else.
func (l *Links) None() bool { return len(l.Absent) == 0 && len(l.Fine) == 0 }

// Leave says that the document is not linked in one of so many tables.
func (l *Links) Leave(table, tables int) {
	if len(l.Absent) == 0 {
		l.Absent = append(l.Absent[:0], make([]byte, (tables+7)/8)...)
	}
	l.Absent[table/8] |= 1 << (table % 8)
}

// Add links the document under a fine key.
func (l *Links) Add(tag uint32) { l.Fine = binary.LittleEndian.AppendUint32(l.Fine, tag) }

// Everywhere links a document that has no fine key of its own under its band keys, popular or not.
func (l *Links) Everywhere() {
	if len(l.Fine) == 0 {
		l.Absent = l.Absent[:0]
	}
}

// LeaveAll says that the document is linked nowhere, as one that is identical to its representative: what would find
// it finds that.
func (l *Links) LeaveAll(tables int) {
	for b := range tables {
		l.Leave(b, tables)
	}
	l.Fine = l.Fine[:0]
}

// possible says whether links that are restored may be those of a document, given the number of tables.
func (l *Links) possible(tables int) bool {
	return (len(l.Absent) == 0 || len(l.Absent) == (tables+7)/8) && len(l.Fine)%fineBytes == 0 &&
		len(l.Fine) <= fineKeys*fineBytes
}

// Tags visits the tags of fine keys.
func (l *Links) Tags(visit func(tag uint32)) {
	for at := 0; at < len(l.Fine); at += fineBytes {
		visit(binary.LittleEndian.Uint32(l.Fine[at:]))
	}
}

// fineTable returns the table that has the references of a fine key. The highest bits of the tag choose it, as the
// lowest ones choose the bucket.
func (x *Buckets) fineTable(tag uint32) int { return fineTable(tag, len(x.tables)) }

func fineTable(tag uint32, tables int) int { return int(uint64(tag) * uint64(tables) >> hashBits) }

// Full says that the document is linked under as many fine keys as it may be.
func (l *Links) Full() bool { return len(l.Fine) == fineKeys*fineBytes }

// Reset forgets all, and keeps the memory.
func (l *Links) Reset() { l.Absent, l.Fine = l.Absent[:0], l.Fine[:0] }

// Bytes returns the bytes that a document's fine keys count against duplicates.remember.memory.
func (l *Links) Bytes() int64 { return FineBytes(len(l.Fine) / fineBytes) }

// BucketBytes counts for a reference to a document, with the slack of a table that grows or shrinks: 64 bytes for 11
// documents, and their spill lines, come to 7.0 bytes per document at most.
const BucketBytes = 8

// FineBytes returns what a document counts against duplicates.remember.memory for so many fine keys under which it is linked.
func FineBytes(keys int) int64 { return int64(keys) * (fineBytes + BucketBytes) }

// cloneLinks keeps the links of the documents of a segment while its records are not in memory.
func (s *segment) cloneLinks() (all map[int]Links) {
	for i := range s.n {
		if !s.linked(i) {
			continue
		}
		if all == nil {
			all = map[int]Links{}
		}
		l := s.linksOf(i)
		all[i] = Links{Absent: bytes.Clone(l.Absent), Fine: bytes.Clone(l.Fine)}
	}
	return all
}
