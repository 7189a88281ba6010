package index

import (
	"encoding/binary"

	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/memory"
)

// ref is the number of a document, given in the order in which documents enter the index, from 0.
type ref uint64

// maxRef bounds the numbers in a state that is restored: more than any journal can hold, and some bits are left for a rank.
const maxRef = 1<<(rankBits-1) - 1

// shape says when a segment is sealed: when the next document would be one too many, or would not fit. Both are counted in
// journal order, so all members cut alike.
type shape struct {
	documents, bytes int
}

// Segments are small beside the window, so that memory is given back promptly; and no store takes more than 16 MiB as easily
// in one piece.
const (
	windowSegments   = 128
	segmentDocuments = 1 << 16
	segmentBytes     = 16 << 20
)

func newShape(p WindowParams) shape {
	s := shape{documents: segmentDocuments, bytes: segmentBytes}
	if p.Count > 0 {
		s.documents = min(max(p.Count/windowSegments, 1<<8), segmentDocuments)
	}
	if p.Bytes > 0 {
		s.bytes = int(min(max(int64(p.Bytes)/windowSegments, 1<<18), segmentBytes))
	}
	return s
}

// segment is a run of documents in one block of memory: records from the front, fixed parts from the back. Once written a
// byte never changes; what changes of a document after indexing stands apart.
//
//	┌──────────┬──────────┬─────┬─ ─ ─ ─ ─ ─ ─┬─────┬────────────────┬────────────────┐
//	│ record 0 │ record 1 │ ... │    free     │ ... │ at 4 │ keys  1 │ at 4 │ keys  0 │
//	└──────────┴──────────┴─────┴─ ─ ─ ─ ─ ─ ─┴─────┴────────────────┴────────────────┘
//	at: where the record begins · keys: the band keys
type segment struct {
	number uint64
	first  ref
	base   base
	block  []byte
	used   int // bytes of records
	n      int // documents
	width  int // bytes of a band key
	fixed  int // bytes of a fixed part
	sealed bool

	changes changes
	// captured: a Capture may still read the block, so that it cannot be used again.
	captured bool
}

const atBytes = 4

// fits says whether a record of so many bytes fits into limit, block grown or not.
func (s *segment) fits(record int, limit shape) bool {
	return s.n == 0 || s.n < limit.documents && s.used+record+(s.n+1)*s.fixed <= limit.bytes
}

// grow makes room in the block for a record that fits.
func (s *segment) grow(record, limit int) {
	need := s.used + record + (s.n+1)*s.fixed
	if need <= len(s.block) {
		return
	}
	s.move(max(need, min(limit, len(s.block)+len(s.block)/8)))
}

// shrink gives back what a sealed segment does not use, where that is much: the next document was too large for it. The block
// is not used again, for a document that enters again may still be read from it.
func (s *segment) shrink() {
	if unused := len(s.block) - s.size(); unused > len(s.block)/shrinkPart {
		s.move(s.size())
	}
}

// shrinkPart of a block may be unused: little beside the 5 % that window.bytes leaves, and so much that only large documents
// cause the copying.
const shrinkPart = 64

// size is how much of the block is used.
func (s *segment) size() int { return s.used + s.n*s.fixed }

// move puts the documents into a block of another size.
func (s *segment) move(size int) {
	block := makeBlock(size)
	copy(block, s.block[:s.used])
	copy(block[len(block)-s.n*s.fixed:], s.block[len(s.block)-s.n*s.fixed:])
	s.block, s.captured = block, false
}

// makeBlock makes a block. A large one comes in large pages, for documents are read anywhere in it.
func makeBlock(size int) []byte {
	block := make([]byte, size)
	if size >= largeBlock {
		memory.Huge(block)
	}
	return block
}

const largeBlock = 1 << 20

// add appends a document, for which grow made room.
func (s *segment) add(d *document) {
	if s.n == 0 {
		s.base = base{offset: d.position.Offset, applied: d.applied}
	}
	fixed := s.fixedPart(s.n)
	binary.LittleEndian.PutUint32(fixed, uint32(s.used))
	copy(fixed[atBytes:], d.entry.Keys)
	s.used += len(d.append(s.block[s.used:s.used], s.base))
	s.n++
}

func (s *segment) fixedPart(i int) []byte {
	end := len(s.block) - i*s.fixed
	return s.block[end-s.fixed : end]
}

// keys are the band keys of a document.
func (s *segment) keys(i int) []byte { return s.fixedPart(i)[atBytes:] }

// record is a document's record.
func (s *segment) record(i int) []byte {
	end := s.used
	if i+1 < s.n {
		end = s.at(i + 1)
	}
	return s.block[s.at(i):end]
}

func (s *segment) at(i int) int { return int(binary.LittleEndian.Uint32(s.fixedPart(i))) }

// document unpacks a document. Its entry points into the block.
func (s *segment) document(i int) document {
	d, rest := readDocument(s.record(i), s.base, s.first+ref(i))
	d.entry, _, _ = entry.Decode(rest, 0, nil) // our own encoding, checked when it was restored
	d.entry.Keys = s.keys(i)
	return d
}

// loadKey reads a band key of 1 to 8 bytes.
func loadKey(b []byte, width int) (key uint64) {
	if width == 4 {
		return uint64(binary.LittleEndian.Uint32(b))
	}
	for i, c := range b[:width] {
		key |= uint64(c) << (8 * i)
	}
	return key
}
