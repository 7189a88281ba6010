package ignore

import (
	"bytes"
	"cmp"
	"errors"
	"math/bits"
	"slices"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/text"
)

// Least is in how many documents a shingle of a list stands, at least: in a small sample a share says little.
const Least = 10

// A Finder finds what stands in more than a share of documents. They are given three times, in one order: to Guess, to Count and to
// Collect. It counts identical documents once, so that a text that was sent often is no template. It is not safe for concurrent
// use.
//
//	Guess    counts documents in cells that many shingles share    up to two bytes for each of the sample (see Expect)
//	Count    counts the shingles of cells that have enough         exact: what is common, and a few in a hundred of the others
//	Collect  takes the runs of those that stand in enough          passages
type Finder struct {
	share   float64
	reading         // of documents
	again   reading // of passages
	sorter  text.Sorter
	seen    map[uint64]bool // hashes of normal forms; false: it was counted
	cells   []uint32        // documents, by some bits of their shingles
	counts  map[uint64]uint32
	covered map[uint64]bool // whether a passage has a common shingle; false: it was in a run, and no line can have it
	found   []passage
	left    Left
}

type passage struct {
	text      string
	documents uint32
}

// Left says what a list leaves of the documents that were collected.
type Left struct {
	Documents, Whole  int   // Whole have nothing else, and so nothing of them is left out
	Shingles, Ignored int64 // in all documents
}

// NewFinder builds a finder for valid Params.
func NewFinder(p index.Params, share float64) (*Finder, error) {
	again, err := newReading(p)
	if err != nil {
		return nil, err
	}
	if p.Duplicates.Verify == "levenshtein" {
		return nil, errors.New("verify: levenshtein compares texts rune by rune, and has no shingles to leave out")
	}
	of := again
	of.normalizer = text.NewNormalizer(p.Normalize)
	return &Finder{
		share: share, reading: of, again: again, seen: map[uint64]bool{}, cells: make([]uint32, 1),
		counts: map[uint64]uint32{}, covered: map[uint64]bool{},
	}, nil
}

// Expect makes room for a sample of so many bytes, before Guess: a cell for four bytes at least. So even where each byte begins a
// shingle of its own, a cell has four on average, and few have Least.
func (f *Finder) Expect(sample int) {
	f.cells = make([]uint32, 1<<bits.Len(uint(sample/4)))
}

// cell is that of a shingle.
func (f *Finder) cell(hash uint64) *uint32 { return &f.cells[hash>>32&uint64(len(f.cells)-1)] }

// Guess takes a document for the first time.
func (f *Finder) Guess(document []byte) {
	hashes := f.shingles(document)
	if len(hashes) > 0 {
		f.seen[xxhash.Sum64(f.normalized)] = true
	}
	for _, hash := range f.sorter.Set(hashes) {
		*f.cell(hash)++
	}
}

// Count takes it for the second time.
func (f *Finder) Count(document []byte) {
	hashes := f.shingles(document)
	content := xxhash.Sum64(f.normalized)
	if !f.seen[content] {
		return
	}
	f.seen[content] = false
	least := f.least()
	for _, hash := range f.sorter.Set(hashes) {
		if *f.cell(hash) >= least {
			f.counts[hash]++
		}
	}
}

// least is in how many documents a shingle of the list stands at least.
func (f *Finder) least() uint32 { return max(Least, uint32(f.share*float64(len(f.seen)))+1) }

// Collect takes it for the third time, and finds passages.
func (f *Finder) Collect(document []byte) {
	hashes := f.shingles(document)
	least, at, ignored := f.least(), 0, 0
	var run run
	f.shingling.Each(f.normalized, func(start, end int) {
		hash := hashes[at]
		at++
		documents := f.counts[hash]
		if documents < least {
			f.end(&run)
			return
		}
		ignored++
		_, known := f.covered[hash]
		if known && len(run.hashes) == 0 {
			return
		}
		run.add(start, end, hash, documents, !known)
	})
	f.end(&run)
	if len(hashes) == 0 {
		return
	}
	f.left.Documents++
	f.left.Shingles += int64(len(hashes))
	if ignored == len(hashes) {
		f.left.Whole++
		return
	}
	f.left.Ignored += int64(ignored)
}

// run is what may become a passage: shingles that stand side by side.
type run struct {
	starts, ends []int
	hashes       []uint64
	documents    uint32 // of its rarest new shingle
	last         int    // how many there are up to the last new one
}

func (r *run) add(start, end int, hash uint64, documents uint32, fresh bool) {
	r.starts, r.ends, r.hashes = append(r.starts, start), append(r.ends, end), append(r.hashes, hash)
	if fresh {
		r.last, r.documents = len(r.hashes), min(cmp.Or(r.documents, documents), documents)
	}
}

// end makes a passage of a run, or of each of its shingles where the passage by itself would have others.
func (f *Finder) end(r *run) {
	if r.last > 0 && !f.take(f.normalized[r.starts[0]:r.ends[r.last-1]], r.documents) {
		for i := range r.last {
			if !f.covered[r.hashes[i]] {
				f.take(f.normalized[r.starts[i]:r.ends[i]], r.documents)
			}
		}
	}
	for _, hash := range r.hashes[:r.last] {
		if !f.covered[hash] {
			f.covered[hash] = false // known from now on
		}
	}
	*r = run{starts: r.starts[:0], ends: r.ends[:0], hashes: r.hashes[:0]}
}

// take takes a passage if it can be a line, and all of its shingles are common.
func (f *Finder) take(line []byte, documents uint32) bool {
	if bytes.ContainsAny(line, "\r\n") || !utf8.Valid(line) {
		return false
	}
	least := f.least()
	hashes := f.again.shingles(line)
	if len(hashes) == 0 || slices.ContainsFunc(hashes, func(hash uint64) bool { return f.counts[hash] < least }) {
		return false
	}
	for _, hash := range hashes {
		f.covered[hash] = true
	}
	f.found = append(f.found, passage{string(line), documents})
	return true
}

// List returns what was found, what it leaves of the documents, and how many shingles can be no line of a list.
func (f *Finder) List() (l List, left Left, lost int) {
	slices.SortStableFunc(f.found, func(a, b passage) int { return cmp.Compare(b.documents, a.documents) })
	l = List{Documents: len(f.seen), Share: f.share}
	for _, p := range f.found {
		l.Passages = append(l.Passages, p.text)
	}
	for _, has := range f.covered {
		if !has {
			lost++
		}
	}
	return l, f.left, lost
}
