package window

import (
	"encoding/binary"

	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/memory"
	"github.com/unecho/unecho/index/wire"
)

// Ref is the number of a document. Numbers are given from 0 in the order in which documents enter the index.
type Ref uint64

// RefBits are the bits of a number. It is more than any journal can hold.
const RefBits = 48

// MostDocuments is how many a window can hold.
const MostDocuments = 1 << RefBits

// maxRef is the greatest number in a state that is restored.
const maxRef Ref = MostDocuments - 1

// Possible says whether a state that is restored may have this number.
func (r Ref) Possible() bool { return r <= maxRef }

// shape holds the bounds at which a segment is sealed: when the next document would exceed the number of documents, or
// the bytes. Both are counted in journal order, so all members seal at the same documents.
type shape struct {
	documents, bytes int
}

// Segments are small compared to the window, so that memory is given back promptly. And no store takes more than 16 MiB
// as easily in one piece.
const (
	windowSegments   = 128
	segmentDocuments = 1 << 16
	segmentBytes     = 16 << 20
)

func newShape(p *Params) shape {
	s := shape{documents: segmentDocuments, bytes: segmentBytes}
	if p.Count > 0 {
		s.documents = min(max(int(p.Count)/windowSegments, 1<<8), segmentDocuments)
	}
	if p.Bytes > 0 {
		s.bytes = int(min(max(p.Bytes/windowSegments, 1<<18), segmentBytes))
	}
	return s
}

// segment is a run of documents in one block of memory: records from the front, fixed parts from the back. A byte never
// changes once it is written, unless the document is erased; what else changes about a document after it was indexed is
// kept in changes.
//
//	┌──────────┬──────────┬─────┬─ ─ ─ ─ ─ ─ ─┬─────┬──────────────────────────┬──────────────────────────┐
//	│ record 0 │ record 1 │ ... │    free     │ ... │ at 4 │ keys 1 │ digest 1 │ at 4 │ keys 0 │ digest 0 │
//	└──────────┴──────────┴─────┴─ ─ ─ ─ ─ ─ ─┴─────┴──────────────────────────┴──────────────────────────┘
//	at: where the record begins, and in its highest bit whether the document has links · keys: the band keys
type segment struct {
	number uint64
	first  Ref
	base   base
	block  []byte
	used   int // bytes of records, from the front of block
	n      int // number of documents
	fixed  int // bytes of a fixed part
	sealed bool

	changes changes
	// captured says that a Capture may still read the block, so that the block must not be used again.
	captured bool
	// erased is 1 + the journal offset of the latest record that erased a document of the segment, 0 if none did since
	// the replica was made or restored. What was stored of the segment before that offset is out of date.
	erased int64
	edits  int // erasures since then: one record may erase in a segment more than once, with reads of files in between

	filed *filed        // where it lies; nil: in no file
	away  bool          // the records are not in memory: block has the fixed parts alone
	links map[int]Links // of a segment that is away, until its documents are linked
	ats   []uint32      // of a segment that is away and found by a Block, in place of block

	again []uint32 // sorted hashes of where the documents were judged that entered again; nil: nobody has looked (findAgain)
}

const (
	atBytes   = 4
	linkedBit = 1 << 31
)

// fits says whether one more record of this many bytes stays within limit, whether or not the block has to grow for it.
// An empty segment takes any record.
func (s *segment) fits(record int, limit shape) bool {
	return s.n == 0 || s.n < limit.documents && s.used+record+(s.n+1)*s.fixed <= limit.bytes
}

// grow enlarges the block if the record does not fit into it. The record must fit into the limit.
func (s *segment) grow(record, limit int) {
	need := s.used + record + (s.n+1)*s.fixed
	if need <= len(s.block) {
		return
	}
	s.move(max(need, min(limit, len(s.block)+len(s.block)/8)))
}

// shrink gives back the unused end of a sealed segment's block if it is large, as it is when the next document was too
// large to fit. The old block is not used again: a document that enters again may still be read from it.
func (s *segment) shrink() {
	if unused := len(s.block) - s.size(); unused > len(s.block)/shrinkPart {
		s.move(s.size())
	}
}

// shrinkPart: up to 1/64 of a block may stay unused. That is little compared to the 5 % that duplicates.remember.memory leaves free,
// and enough that only large documents cause copying.
const shrinkPart = 64

// size returns the used bytes of the block.
func (s *segment) size() int { return s.used + s.n*s.fixed }

// move copies the documents into a block of another size.
func (s *segment) move(size int) {
	block := makeBlock(size)
	copy(block, s.block[:s.used])
	copy(block[len(block)-s.n*s.fixed:], s.block[len(s.block)-s.n*s.fixed:])
	s.block, s.captured = block, false
}

// makeBlock allocates a block. A large block asks for large memory pages, because documents anywhere in it are read.
func makeBlock(size int) []byte {
	block := make([]byte, size)
	if size >= largeBlock {
		memory.Huge(block)
	}
	return block
}

const largeBlock = 1 << 20

// add appends a document. grow must have made room for it.
func (s *segment) add(d *Document) {
	if s.n == 0 {
		s.base = base{offset: d.Position.Offset, applied: d.Applied}
	}
	s.putFixed(s.used, d.Entry.Keys, d.Entry.Digest, !d.Links.None())
	s.used += len(d.append(s.block[s.used:s.used], s.base))
	s.n++
}

// putFixed writes the fixed part of the next document.
func (s *segment) putFixed(at int, keys, digest []byte, linked bool) {
	fixed := s.fixedPart(s.n)
	binary.LittleEndian.PutUint32(fixed, uint32(at)|uint32(wire.Flag(linked))*linkedBit)
	copy(fixed[atBytes:s.fixed-entry.DigestBytes], keys)
	clear(fixed[s.fixed-entry.DigestBytes+copy(fixed[s.fixed-entry.DigestBytes:], digest):])
}

func (s *segment) fixedPart(i int) []byte {
	end := len(s.block) - i*s.fixed
	return s.block[end-s.fixed : end]
}

// keys returns the band keys of a document; they are empty if they are wanted.
func (s *segment) keys(i int) []byte {
	if s.ats == nil {
		return s.fixedPart(i)[atBytes : s.fixed-entry.DigestBytes]
	}
	return s.bytes(s.keysAt(i), s.keysAt(i+1))
}

// digest returns the digest of a document; it is empty if it is wanted.
func (s *segment) digest(i int) []byte {
	if s.ats == nil {
		return s.fixedPart(i)[s.fixed-entry.DigestBytes:]
	}
	return s.bytes(s.digestAt(i), s.digestAt(i+1))
}

// keysAt and digestAt are where they begin in the file of a segment, behind its head. All digests lie together, because
// lookups read those of many documents, and little else of most.
func (s *segment) keysAt(i int) int { return s.used + i*s.keyBytes() }

func (s *segment) digestAt(i int) int { return s.keysAt(s.n) + i*entry.DigestBytes }

func (s *segment) keyBytes() int { return s.fixed - atBytes - entry.DigestBytes }

// record returns a document's record; nil if it is wanted.
func (s *segment) record(i int) []byte {
	end := s.used
	if i+1 < s.n {
		end = s.at(i + 1)
	}
	if s.away {
		return s.bytes(s.at(i), end)
	}
	return s.block[s.at(i):end]
}

func (s *segment) at(i int) int { return int(s.place(i) &^ linkedBit) }

// place returns where a document's record begins, and its linkedBit.
func (s *segment) place(i int) uint32 {
	if s.ats != nil {
		return s.ats[i]
	}
	return binary.LittleEndian.Uint32(s.fixedPart(i))
}

// linked says whether a document's record has links.
func (s *segment) linked(i int) bool {
	return s.place(i)&linkedBit != 0
}

// linksOf returns the links of a document.
func (s *segment) linksOf(i int) (l Links) {
	if s.away {
		return s.links[i]
	}
	if s.linked(i) {
		d, _ := s.head(i)
		l = d.Links
	}
	return l
}

// head decodes a document without its entry, and returns the bytes of the entry. It is for a segment whose records can be
// read.
func (s *segment) head(i int) (d Document, rest []byte) {
	return readDocument(s.record(i), s.base, s.first+Ref(i))
}

// document decodes a document, without its keys and its digest; ok is false if it is wanted. Its entry points into the block,
// or into what was given.
func (s *segment) document(i int) (d Document, ok bool) {
	record := s.record(i)
	d, rest := readDocument(record, s.base, s.first+Ref(i))
	d.Entry, _, _ = entry.Decode(rest, 0, nil) // our own encoding, checked when it was restored
	return d, record != nil
}
