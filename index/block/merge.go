package block

import (
	"fmt"
	"io"
	"iter"

	"github.com/unecho/unecho/index/wire"
)

// Part is a block that becomes a part of another one.
type Part struct {
	*Block
	Name  string      // for errors
	File  io.ReaderAt // of the block
	Shift uint32      // is added to its places
}

// Merge writes the file of a block that has all postings of other blocks, and returns it, as Write does. All have as many
// lists. Of eight parts it takes MergingBytes of memory at most beside the block, whatever they have.
func Merge(w io.Writer, about []byte, parts []Part) (*Block, error) {
	lists := parts[0].Lists()
	for k := range parts {
		if n := parts[k].Lists(); n != lists {
			return nil, fmt.Errorf("%w: block %s has %d lists, and %s has %d", wire.ErrCorrupt, parts[0].Name, lists, parts[k].Name, n)
		}
	}
	to := newWriter(w)
	return to.write(about, lists, func(i int) error { return to.merge(i, parts) })
}

// merge adds the postings of a list of all parts, in their order.
func (w *writer) merge(list int, parts []Part) error {
	rests := make([]rest, len(parts))
	for k := range parts {
		next, stop := iter.Pull2(parts[k].Postings(parts[k].File, list))
		defer stop()
		rests[k] = rest{part: &parts[k], next: next}
		if err := rests[k].step(); err != nil {
			return err
		}
	}
	for {
		var first *rest
		for k := range rests {
			if r := &rests[k]; !r.ended && (first == nil || r.posting.order() < first.posting.order()) {
				first = r
			}
		}
		if first == nil {
			return nil
		}
		if err := w.add(first.posting); err != nil {
			return err
		}
		if err := first.step(); err != nil {
			return err
		}
	}
}

// rest is what is left of a list of a part.
type rest struct {
	part     *Part
	next     func() ([]Posting, error, bool)
	posting  Posting // with its place in the merged block
	postings []Posting
	ended    bool // there is no posting
}

// step goes to the next posting.
func (r *rest) step() error {
	if len(r.postings) == 0 {
		some, err, more := r.next()
		if err != nil {
			return fmt.Errorf("block %s: %w", r.part.Name, err)
		}
		if r.ended = !more; r.ended {
			return nil
		}
		r.postings = some
	}
	r.posting, r.postings = r.postings[0], r.postings[1:]
	r.posting.At += r.part.Shift
	return nil
}
