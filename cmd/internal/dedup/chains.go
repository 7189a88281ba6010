package dedup

import (
	"cmp"
	"slices"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/eval"
)

// chains is the rule by which a replica finds clusters rather than the most similar document: two documents are in one
// cluster if a chain of verified matches connects them.
//
// The work for one document is bounded as that of a verdict is. Two rules keep large clusters within that bound, and
// neither changes a cluster:
//
//   - Of documents with equal text in one scope only the first enters the window. The others match it.
//   - A candidate that is in the entry's cluster already is not compared.
//
// A copy is linked under no popular key (compare.FineKey). That may part a cluster.
//
// With every, the second does not apply: each candidate is compared, because its similarity is wanted. No key becomes
// popular then.
type chains struct {
	every bool // the similarity of each candidate is wanted
	apart bool // what is judged now enters without being compared with anything

	// Of the entry that was judged last, valid until the next one is judged:
	near []index.Near // the documents that it was verified against, in the order in which they were judged
	cut  bool         // documents were left out that might be similar enough, and are not known to be in its cluster
	same bool         // it has the text of another document, and does not enter

	first    map[contentKey]uint64 // the number of the document that stands for all of equal text
	clusters *eval.Clusters        // of the documents by their numbers in the window
}

// newChains has a replica judge by chains. Those that it remembers already are each in a cluster of its own.
func newChains(r *index.Replica, every bool) *chains {
	c := &chains{every: every, first: map[contentKey]uint64{}, clusters: eval.NewClusters(0)}
	r.Each(func(m *index.Remembered) {
		key := contentKey{m.Entry.Content, m.Entry.Scope}
		if _, known := c.first[key]; !known {
			c.first[key] = m.Number
		}
	})
	r.JudgeBy(c.judge, every)
	return c
}

func (c *chains) judge(of *index.Candidates) (enters bool) {
	key, own := contentKey{of.Entry.Content, of.Entry.Scope}, int(of.Number)
	first, known := c.first[key]
	c.near, c.cut, c.same = c.near[:0], false, known
	if !known {
		c.first[key] = of.Number
		c.clusters.Grow(own + 1)
	}
	switch {
	case c.apart && !known:
	case c.apart, known && !c.every:
		c.near = append(c.near, of.Same(first))
	default:
		c.compare(of, own)
	}
	return !known
}

// compare compares an entry with its candidates, as far as they are not in its cluster.
func (c *chains) compare(of *index.Candidates, own int) {
	has := func(number uint64) bool {
		return !c.every && len(c.near) > 0 && c.clusters.Root(int(number)) == c.clusters.Root(own)
	}
	for n, ok := of.Next(has); ok; n, ok = of.Next(has) {
		c.near = append(c.near, n)
		if !c.same {
			c.clusters.Join(int(n.Number), own)
		}
	}
	slices.SortFunc(c.near, func(a, b index.Near) int { return cmp.Compare(a.Number, b.Number) })
	c.cut = of.Cut()
}

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
