package dedup

import (
	"cmp"
	"slices"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
)

// copies lists the documents of equal text by the first of them, which is compared for all. It takes some 30 bytes for
// each document that is equal to one before, and the length of its name.
type copies struct {
	of map[int64][]namedCopy
}

type namedCopy struct {
	number int64
	name   []byte
}

// add adds the matches of the document that was judged last: those that were found, and the copies of each. It returns
// true if they are more than most, and the rest is left out.
func (c *copies) add(found *matches, e *entry.Entry, near []index.Near, most int) (cut bool) {
	from := len(found.all)
	for i := range near {
		n := &near[i]
		others := c.of[n.Offset]
		if left := most - (len(found.all) - from); len(others) > 0 && len(others) >= left {
			others, cut = others[:max(left-1, 0)], true
		}
		found.add(n.Offset, n.ID, n.Similarity, n.Method)
		for _, o := range others {
			found.add(o.number, o.name, n.Similarity, n.Method)
		}
	}
	slices.SortFunc(found.all[from:], func(a, b Match) int { return cmp.Compare(a.Number, b.Number) })
	for i := range near {
		if near[i].Method == compare.Identical {
			c.of[near[i].Offset] = append(c.of[near[i].Offset], namedCopy{e.Offset, slices.Clone(e.ID)})
			break
		}
	}
	return cut
}
