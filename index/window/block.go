package window

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/unecho/unecho/index/block"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/wire"
)

// The oldest sealed segments that lie in files may be found by a block in place of the tables (index/block): a filter of
// their keys in memory, and postings in a file. Then memory has no keys of them, only where each record begins. Blocks
// cover the queue from its front; behind the last one begins the tail, which the tables find.
//
// A block has a list for each table, and one more for the fine keys that the table would have.

// Block finds the documents of a run of segments. It never changes.
type Block struct {
	postings   *block.Block
	file       string
	run        Run
	first, end Ref
}

// NewBlock returns the block whose postings are in a file.
func NewBlock(file string, postings *block.Block) (*Block, error) {
	rd := wire.NewReader(postings.About())
	b := &Block{postings: postings, file: file, run: Run{From: rd.Uvarint()}, first: Ref(rd.Uvarint())}
	b.end = b.first + Ref(rd.Uvarint())
	for n := rd.Count(1); n > 0; n-- {
		b.run.Names = append(b.run.Names, string(rd.Bytes()))
	}
	b.run.To = b.run.From + uint64(len(b.run.Names))
	if rd.Short() || rd.Len() > 0 || len(b.run.Names) == 0 || b.end <= b.first || !b.end.Possible() || b.run.File() != file {
		return nil, fmt.Errorf("%w: block %s", wire.ErrCorrupt, file)
	}
	return b, nil
}

// File is the name of the file.
func (b *Block) File() string { return b.file }

// Names are those of the files of its segments.
func (b *Block) Names() []string { return b.run.Names }

// Postings are what the file has.
func (b *Block) Postings() *block.Block { return b.postings }

// Cover returns the blocks that find all segments from the first one on, as far as there are some. names are those of the
// segments' files.
func Cover(all []*Block, names []string) (some []*Block) {
	for at := 0; at < len(names); {
		var best *Block
		ends := at
		for _, b := range all {
			k := slices.Index(b.run.Names, names[at])
			if k < 0 || k > 0 && at > 0 {
				continue
			}
			if rest := b.run.Names[k:]; at+len(rest) > ends && at+len(rest) <= len(names) && slices.Equal(rest, names[at:at+len(rest)]) {
				best, ends = b, at+len(rest)
			}
		}
		if best == nil {
			break
		}
		some, at = append(some, best), ends
	}
	return some
}

// Run is a run of segments for which a block is to be made: of the segments, or of the blocks that they have already.
type Run struct {
	From, To uint64   // number of the first segment, and of the one behind the last
	Names    []string // of their files
	Parts    []*Block

	bands      int
	first, end Ref
	views      []View
	links      []map[int]Links // of the documents of each segment that have some
}

// File is the name of the block's file.
func (r *Run) File() string { return fmt.Sprintf("%d-%d.block", r.From, r.To-1) }

// lists is the number of lists: for each table one of own keys, and one of fine keys.
func (r *Run) lists() int { return 2 * (r.bands + 1) }

// about is what the file says of the block:
//
//	number of its first segment · number of its first document · documents · for each segment the name of its file
func (r *Run) about() []byte {
	about := binary.AppendUvarint(binary.AppendUvarint(nil, r.From), uint64(r.first))
	about = binary.AppendUvarint(binary.AppendUvarint(about, uint64(r.end-r.first)), uint64(len(r.Names)))
	for _, name := range r.Names {
		about = wire.AppendString(about, name)
	}
	return about
}

// Room is how many bytes must be free for a merge.
func (r *Run) Room() (bytes int64) {
	for _, part := range r.Parts {
		bytes += mergeRoom * part.postings.Size()
	}
	return bytes
}

// Linked returns the files whose documents may be linked otherwise than under their own keys. They must be read (Read) before
// Write is called.
func (r *Run) Linked() (names []string) {
	for k := range r.views {
		s := &r.views[k].segment
		for i := range s.n {
			if s.away && s.linked(i) && r.links[k] == nil {
				names = append(names, r.Names[k])
				break
			}
		}
	}
	return names
}

// Read takes the links of the documents of a segment from its file.
func (r *Run) Read(name string, data []byte) error {
	k := slices.Index(r.Names, name)
	if k < 0 || len(r.views) == 0 {
		return nil
	}
	s := r.views[k].segment
	if !s.filed.Sound(Whole, data) {
		return ErrDamaged
	}
	s.away, s.block = false, append(slices.Clip(data[s.filed.head:s.filed.head+s.used]), s.block...)
	r.links[k] = s.cloneLinks()
	return nil
}

// Write writes the file of the block, of segments, or of the files of the run's parts, and returns the block.
func (r *Run) Write(w io.Writer, parts []io.ReaderAt) (*block.Block, error) {
	if len(r.Parts) == 0 {
		return block.Write(w, r.about(), r.lists(), func(i int, into []block.Posting) ([]block.Posting, error) { return r.list(i, into), nil })
	}
	of := make([]block.Part, len(r.Parts))
	for k, part := range r.Parts {
		of[k] = block.Part{Block: part.postings, Name: part.file, File: parts[k], Shift: uint32(part.first - r.first)}
	}
	return block.Merge(w, r.about(), of)
}

// list appends the postings of a list of the segments.
func (r *Run) list(list int, into []block.Posting) []block.Posting {
	for k := range r.views {
		s := &r.views[k].segment
		for i := range s.n {
			var links Links
			switch {
			case !s.linked(i):
			case s.away:
				links = r.links[k][i]
			default:
				links = s.linksOf(i)
			}
			at := uint32(s.first-r.first) + uint32(i)
			if list <= r.bands {
				if links.Own(list) {
					into = append(into, block.Posting{Key: oldKey(s.keys(i), list, r.bands), At: at})
				}
				continue
			}
			links.Tags(func(tag uint32) {
				if list == fineList(tag, r.bands) {
					into = append(into, block.Posting{Key: tag, At: at})
				}
			})
		}
	}
	return into
}

// fineList is the list of a fine key.
func fineList(tag uint32, bands int) int { return bands + 1 + fineTable(tag, bands+1) }

// oldKey is the key of a document in a list of a block.
func oldKey(keys []byte, list, bands int) uint32 {
	if list == bands {
		return uint32(xxhash.Sum64(keys))
	}
	return uint32(loadKey(keys[list*entry.KeyBytes:]))
}

const (
	// runSegments is how many segments the smallest blocks have. mergeBlocks of them become one, and of these again, while
	// a block has no more than one part of blockParts of the window. Blocks begin at multiples of their size.
	runSegments = 16
	mergeBlocks = 2
	blockParts  = 8
	// tailSegments is how many sealed segments the tables find at least.
	tailSegments = 8
	// mergeRoom times as many bytes as the parts have must be free for a merge, so that it never fills the disk.
	mergeRoom = 2
)

// Sizes say when blocks are made, in segments. A test makes them smaller.
type Sizes struct{ Run, Merge, Parts, Tail int }

func usualSizes() Sizes { return Sizes{runSegments, mergeBlocks, blockParts, tailSegments} }

// BlocksOf has blocks be made by other sizes.
func (h *Files) BlocksOf(s Sizes) { h.sizes = s }

// Due returns a run for which a block should be made: of segments that are in none, or else, with merge, of blocks that should
// be one. nil: there is none.
func (h *Files) Due(merge bool) *Run {
	run := h.dueNew()
	if run == nil && merge {
		run = h.dueMerge()
	}
	return run
}

func (h *Files) dueNew() *Run {
	w, size := h.of, uint64(h.sizes.Run)
	if len(w.segments) == 0 {
		return nil // none was restored yet
	}
	n := len(w.segments) - 1 - h.sizes.Tail
	k := h.covered()
	if k >= n {
		return nil
	}
	from := w.segments[k].number
	to := (from/size + 1) * size
	if to-w.segments[0].number > uint64(n) {
		return nil
	}
	return h.runOf(k, k+int(to-from))
}

// covered is the number of segments that blocks cover; while the window is restored, those count that are to come.
func (h *Files) covered() int {
	if len(h.blocks) == 0 {
		return 0
	}
	return int(h.blocks[len(h.blocks)-1].run.To - h.of.segments[0].number)
}

// Uncovered is the number of sealed segments behind those that blocks cover.
func (h *Files) Uncovered() int { return max(0, len(h.of.segments)-1-h.covered()) }

// blockStats returns the counters of blocks, but for Uncovered.
func (h *Files) blockStats() BlockStats {
	s := BlockStats{Count: len(h.blocks)}
	if end := h.tail(); end > h.of.oldest {
		s.Documents = int(end - h.of.oldest)
	}
	for _, b := range h.blocks {
		s.Bytes += b.postings.Size()
		s.Memory += b.postings.Memory()
	}
	return s
}

// runOf is the run of some of the segments; nil if one of them lies in no file.
func (h *Files) runOf(from, to int) *Run {
	w := h.of
	some := w.segments[from:to]
	last := some[len(some)-1]
	r := &Run{From: some[0].number, To: last.number + 1, bands: w.buckets.whole(), first: some[0].first, end: last.first + Ref(last.n)}
	for _, s := range some {
		if s.filed == nil || s.ats != nil {
			return nil
		}
		s.captured = true
		r.views, r.Names = append(r.views, s.view()), append(r.Names, s.filed.name)
		r.links = append(r.links, s.links)
	}
	return r
}

func (h *Files) dueMerge() *Run {
	for size := h.sizes.Run * h.sizes.Merge; size*h.sizes.Parts <= len(h.of.segments); size *= h.sizes.Merge {
		for from := 0; from < len(h.blocks); {
			group := h.blocks[from].run.From / uint64(size)
			to := from + 1
			for to < len(h.blocks) && h.blocks[to].run.From/uint64(size) == group {
				to++
			}
			if last := h.blocks[to-1]; to-from > 1 && last.run.To == (group+1)*uint64(size) {
				return h.merged(h.blocks[from:to])
			}
			from = to
		}
	}
	return nil
}

func (h *Files) merged(parts []*Block) *Run {
	last := parts[len(parts)-1]
	r := &Run{
		From: parts[0].run.From, To: last.run.To, Parts: slices.Clone(parts), bands: h.of.buckets.whole(),
		first: parts[0].first, end: last.end,
	}
	for _, b := range parts {
		r.Names = append(r.Names, b.run.Names...)
	}
	return r
}

// Adopt has a block find its documents from now on, in place of the tables, or of the blocks that it was made of. It
// returns false if they have left, are found by a larger block, or are not in the window: then the block is of no use.
func (h *Files) Adopt(b *Block) bool {
	w := h.of
	if len(w.segments) == 0 || b.run.To <= w.segments[0].number {
		return false
	}
	at := slices.IndexFunc(h.blocks, func(old *Block) bool { return old.run.To > b.run.From })
	if at < 0 {
		at = len(h.blocks)
	}
	covers := at
	for covers < len(h.blocks) && h.blocks[covers].run.To <= b.run.To {
		covers++
	}
	if !h.follows(b, at) || covers < len(h.blocks) && h.blocks[covers].run.From < b.run.To || !h.holds(b) {
		return false
	}
	h.blocks, h.old = slices.Concat(h.blocks[:at], []*Block{b}, h.blocks[covers:]), nil
	for _, s := range w.segments[:min(h.covered(), len(w.segments))] {
		h.release(s)
	}
	return true
}

// follows says whether a block may stand at a place among the blocks: nothing is left out before it.
func (h *Files) follows(b *Block, at int) bool {
	if at > 0 {
		return h.blocks[at-1].run.To == b.run.From
	}
	return b.run.From <= h.of.segments[0].number
}

// holds says whether the last document of a block is the last one of a sealed segment, or of a block.
func (h *Files) holds(b *Block) bool {
	if b.end <= h.tail() {
		return true
	}
	s := h.numbered(b.run.To - 1)
	return s != nil && s.first+Ref(s.n) == b.end
}

// release gives up the keys of a segment that is in a block and away.
func (h *Files) release(s *segment) {
	if !s.away || s.ats != nil {
		return
	}
	ats := make([]uint32, s.n)
	for i := range ats {
		ats[i] = s.place(i)
	}
	s.ats, s.block, s.links, h.old = ats, nil, nil, nil
}

// tail is the number of the first document that the tables find.
func (h *Files) tail() Ref {
	if len(h.blocks) == 0 {
		return 0
	}
	return h.blocks[len(h.blocks)-1].end
}

// dropBlocks drops the blocks whose documents have all left.
func (h *Files) dropBlocks() {
	for len(h.blocks) > 0 && (len(h.of.segments) == 0 || h.blocks[0].end <= h.of.segments[0].first) {
		h.blocks, h.old = slices.Clone(h.blocks[1:]), nil
	}
}

// Blocks are the blocks in use, from the oldest documents on.
func (h *Files) Blocks() []*Block { return h.blocks }
