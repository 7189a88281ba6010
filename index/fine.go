package index

import (
	"encoding/binary"
)

// A fine key is finer than a band key. It takes part only where band keys are popular: then a document is linked
// under the first fineKeys of its fine keys that are not popular themselves. They are made of the evidence, so every
// member makes the same ones, and documents that are alike have most of them in common:
//
//	shingles, text   two neighbours in the order of the shingles' hashes. Sets of a Jaccard similarity J share a pair
//	                 of neighbours with a probability of some J^2.
//	sketch           some codes, which are taken from all over the sketch: 16 bits together
//
// A text with boilerplate has pairs that are common to all of its kind. These soon are popular. Of the others each has
// a shingle of the document's own. Among very long texts they say less: the lowest of n hashes have their first
// fineBits bits in common with those of others, so that pairs of unlike texts are equal: those of 10,000 shingles from
// some 20,000 documents on, those of 100,000 always. Bit sketches have no fine keys, and neither has a document of a
// single shingle. What has none is linked under its band keys, popular or not.
//
// A document all of whose fine keys are popular is linked under all its band keys as well, but for a copy: that is linked
// under those that are not popular. Of its kind there are many, which the next one finds.
const (
	fineKeys = 12
	fineBits = 20 // of a hash: as many as evidence has at least
	fineCode = 16 // bits of codes in a fine key
)

// FineTag makes the tag of a fine key.
func FineTag(scope, a, b uint64) uint32 {
	return hashKey((a<<fineBits|b)^scope*0xff51afd7ed558ccd) & (1<<hashBits - 1)
}

// appendPairs appends the fine keys of hashes of so many bits, which are sorted. Repetitions of a shingle make no pair.
func appendPairs(dst []uint32, scope uint64, sorted []uint64, width int) []uint32 {
	drop := uint(max(width-fineBits, 0)) & 63
	for i := 1; i < min(len(sorted), overlapChunk); i++ {
		if a, b := sorted[i-1]>>drop, sorted[i]>>drop; a != b {
			dst = append(dst, FineTag(scope, a, b))
		}
	}
	return dst
}

// appendGroups appends the fine keys of codes of so many bits.
func appendGroups(dst []uint32, scope uint64, codes []byte, codeBits int) []uint32 {
	together := fineCode / codeBits
	groups := 8 * len(codes) / codeBits / together
	for g := range min(groups, overlapChunk) {
		key := uint64(0)
		for k := range together {
			key = key<<codeBits | code(codes, g+k*groups, codeBits)
		}
		dst = append(dst, FineTag(scope, uint64(g), key))
	}
	return dst
}

// code returns a code of 4, 8 or 16 bits.
func code(codes []byte, i, codeBits int) uint64 {
	switch codeBits {
	case 4:
		return uint64(codes[i/2]>>(i%2*4)) & 0xf
	case 8:
		return uint64(codes[i])
	}
	return uint64(binary.LittleEndian.Uint16(codes[2*i:]))
}

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
