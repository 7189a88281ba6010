package index

import (
	"slices"

	"github.com/unecho/unecho/index/entry"
)

// A segment is sealed when it holds segmentDocuments or its entries take segmentBytes, whatever comes first: both are
// counted in journal order, so all members cut alike. 16 MiB is a size that every store takes in one piece.
const (
	segmentDocuments = 1 << 16
	segmentBytes     = 16 << 20
)

// ref names a document: the number of its segment and its place there. Later documents have greater refs.
type ref uint64

func newRef(segment uint64, i int) ref { return ref(segment<<16 | uint64(i)) }
func (r ref) segment() uint64          { return uint64(r) >> 16 }
func (r ref) index() int               { return int(r & (segmentDocuments - 1)) }

// link is a ref with a tag above it: some bits of the hash of the band key by which the document stands in that bucket. A
// walk along a bucket so passes documents of other keys without a look at them, each of which would be a cache miss. Zero is
// no link, as segment numbers begin at 1.
//
//	┌────────┬─────────┬───────┐
//	│ tag 20 │ segment │ index │    28 bits number 268 million segments, of 65,536 documents or 16 MiB each
//	│        │ 28      │ 16    │
//	└────────┴─────────┴───────┘
type link uint64

const refBits = 44

func newLink(tag uint64, r ref) link { return link(tag<<refBits | uint64(r)) }
func (l link) ref() ref              { return ref(l & (1<<refBits - 1)) }
func (l link) tag() uint64           { return uint64(l) >> refBits }

// document is what the index keeps of an entry beside its bytes. It never changes.
type document struct {
	position Position // where it was judged
	applied  int64    // stream time then, ms
	offset   int64    // in its source partition
	content  uint64
	scope    uint64
	bytes    int64  // against window.bytes
	source   uint32 // number of its partition
	at       uint32 // where its entry begins in the slab
	keys     uint32 // where its band keys begin in the slab
}

// segment is a run of documents. docs and slab only grow; what changes after indexing stands apart.
type segment struct {
	number uint64
	docs   []document
	slab   []byte // entries, each encoded alone
	sealed bool

	prev   []link   // bands per document: the document before it in that bucket
	copies []uint32 // duplicates judged against the document
	dead   []bool   // forgotten
	mark   []uint64 // the last lookup that met the document
}

func (s *segment) reserve(like *segment) {
	s.docs = make([]document, 0, len(like.docs))
	s.slab = make([]byte, 0, len(like.slab))
	s.prev = make([]link, 0, len(like.prev))
	s.copies = make([]uint32, 0, len(like.docs))
	s.dead = make([]bool, 0, len(like.docs))
	s.mark = make([]uint64, 0, len(like.docs))
}

func (s *segment) add(e *entry.Entry, d document, bands int) int {
	i := len(s.docs)
	d.at = uint32(len(s.slab))
	s.slab = entry.Append(s.slab, e, nil)
	d.keys = uint32(len(s.slab)) - uint32(tail(e))
	s.docs = append(s.docs, d)
	s.prev = slices.Grow(s.prev, bands)[:len(s.prev)+bands] // insert links them at once
	s.copies = append(s.copies, 0)
	s.dead = append(s.dead, false)
	s.mark = append(s.mark, 0)
	s.sealed = len(s.docs) == segmentDocuments || len(s.slab) >= segmentBytes
	return i
}

// tail is the length of an encoded entry from its band keys on.
func tail(e *entry.Entry) int {
	bare := entry.Entry{Offset: e.Offset, Time: e.Time, Scope: e.Scope}
	return entry.Size(e) - entry.Size(&bare) - 8
}

// key is the document's key of a band.
func (s *segment) key(i, band, width int) []byte {
	at := int(s.docs[i].keys) + band*width
	return s.slab[at : at+width]
}

func (s *segment) entry(i, keys int) (entry.Entry, error) {
	e, _, err := entry.Decode(s.slab[s.docs[i].at:], keys, nil)
	return e, err
}
