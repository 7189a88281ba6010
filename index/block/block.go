package block

import (
	"encoding/binary"
	"hash/crc32"
	"sort"
	"unsafe"

	"github.com/FastFilter/xorfilter"

	"github.com/unecho/unecho/index/wire"
)

// PageBytes is the length of a page.
const PageBytes = 4096

// pagePostings is how many postings a page has.
const pagePostings = PageBytes / postingBytes

const (
	postingBytes = 8
	placesAt     = PageBytes / 2 // where the places of a page begin
	numberBytes  = 4             // a key, a place, or a checksum
	// filterPages is how many pages have a filter together: a million postings. Larger filters are no smaller for each key,
	// and take more memory to build.
	filterPages = 1 << 20 / pagePostings
)

//nolint:gochecknoglobals // a table
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Posting says that a document has a key in a list. A document may stand twice under one key.
type Posting struct {
	Key uint32
	At  uint32 // the document's place in the block, from 0
}

// Block is what memory keeps of a block.
type Block struct {
	about []byte
	lists []list
	sums  []byte // CRC-32C of each page
	size  int64
}

// list is what memory keeps of a list. What May reads of it comes first.
type list struct {
	filters []xorfilter.BinaryFuse[uint8] // of each filterPages pages; one without fingerprints lets all keys pass
	keys    []byte                        // the first key of each page
	count   int
	first   int // page
}

// About returns what was said of the block when it was written. The caller must not change it.
func (b *Block) About() []byte { return b.about }

// Lists returns the number of lists.
func (b *Block) Lists() int { return len(b.lists) }

// Size returns the length of the file.
func (b *Block) Size() int64 { return b.size }

// Memory returns how many bytes the block takes in memory.
func (b *Block) Memory() int64 {
	n := int(unsafe.Sizeof(*b)) + len(b.about) + len(b.sums) + len(b.lists)*int(unsafe.Sizeof(list{}))
	for i := range b.lists {
		l := &b.lists[i]
		n += len(l.keys) + len(l.filters)*int(unsafe.Sizeof(xorfilter.BinaryFuse[uint8]{}))
		for k := range l.filters {
			n += len(l.filters[k].Fingerprints)
		}
	}
	return int64(n)
}

// May returns false if no document has the key in the list. If it returns true, one has, but for one of 256 keys that
// none has. The list is below Lists, as everywhere.
func (b *Block) May(list int, key uint32) bool {
	a := b.lists[list].ask(key)
	return a.may()
}

// filterOf returns the filter of the last page that can have a key; nil if the list has no page.
func (l *list) filterOf(key uint32) *xorfilter.BinaryFuse[uint8] {
	n := len(l.filters)
	if n == 0 {
		return nil
	}
	i := int(uint64(key) * uint64(n) >> 32) // keys are hashes, so it is this one or one beside it
	for i+1 < n && number(l.keys, (i+1)*filterPages) <= key {
		i++
	}
	for i > 0 && number(l.keys, i*filterPages) > key {
		i--
	}
	return &l.filters[i]
}

// Answer has May return the same for every key, so that tests can show that answers do not depend on filters. Nobody may
// read the block meanwhile.
func (b *Block) Answer(may bool) {
	for i := range b.lists {
		b.lists[i].filters = make([]xorfilter.BinaryFuse[uint8], wire.Flag(may))
	}
}

// Pages returns the pages that may have postings of the key in the list, from the first one to before the second one.
// If none can, both are equal.
func (b *Block) Pages(list int, key uint32) (from, to int) {
	l := &b.lists[list]
	to = below(l.keys, uint64(key)+1)
	from = max(0, below(l.keys[:to*numberBytes], uint64(key))-1) // the page before may end with the key
	return l.first + from, l.first + to
}

// Find appends the places of the documents that have the key in a page, in ascending order. data is the page, and must be
// sound.
func (b *Block) Find(into []uint32, page int, data []byte, key uint32) []uint32 {
	if len(data) != PageBytes {
		return into
	}
	n := b.held(page)
	for i := below(data[:n*numberBytes], uint64(key)); i < n && number(data, i) == key; i++ {
		into = append(into, number(data[placesAt:], i))
	}
	return into
}

// Sound says whether data is the page that was written.
func (b *Block) Sound(page int, data []byte) bool {
	return page >= 0 && page < len(b.sums)/numberBytes && len(data) == PageBytes &&
		crc32.Checksum(data, castagnoli) == number(b.sums, page)
}

// held returns the number of postings in a page.
func (b *Block) held(page int) int {
	i := sort.Search(len(b.lists), func(i int) bool { return b.lists[i].first > page }) - 1 // the last list that begins by it
	if i < 0 {
		return 0
	}
	l := &b.lists[i]
	return max(0, min(pagePostings, l.count-(page-l.first)*pagePostings))
}

func (l *list) pages() int { return len(l.keys) / numberBytes }

// below returns how many numbers are below another one. They are in ascending order.
func below(numbers []byte, other uint64) int {
	from, to := 0, len(numbers)/numberBytes
	for from < to {
		mid := (from + to) / 2
		if uint64(number(numbers, mid)) < other {
			from = mid + 1
		} else {
			to = mid
		}
	}
	return from
}

func number(numbers []byte, i int) uint32 { return binary.LittleEndian.Uint32(numbers[i*numberBytes:]) }
