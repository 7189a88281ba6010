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

	own      int                   // its number, if it enters
	key      contentKey            // of it
	joined   []int                 // the clusters of those in near
	first    map[contentKey]uint64 // the number of the document that stands for all of equal text
	clusters *eval.Clusters        // of the documents by their numbers in the window
}

// newChains has a replica judge by chains. Those that it remembers already are each in a cluster of its own.
func newChains(r *index.Replica, every bool) *chains {
	c := &chains{every: every, first: map[contentKey]uint64{}, clusters: eval.NewClusters(0)}
	r.JudgeBy(c.judge, every)
	return c
}

// knows notes a document that the replica remembers already.
func (c *chains) knows(m *index.Remembered) {
	key := contentKey{m.Entry.Content, m.Entry.Scope}
	if _, known := c.first[key]; !known {
		c.first[key] = m.Number
	}
}

// judge changes nothing that a second call for the same entry would see.
func (c *chains) judge(of *index.Candidates) (enters bool) {
	c.key, c.own = contentKey{of.Entry.Content, of.Entry.Scope}, int(of.Number)
	first, known := c.first[c.key]
	c.near, c.joined, c.cut, c.same = c.near[:0], c.joined[:0], false, known
	switch {
	case c.apart && !known:
	case c.apart, known && !c.every:
		c.near = append(c.near, of.Same(first))
	default:
		c.compare(of)
	}
	return !known
}

// compare compares an entry with its candidates, as far as they are not in its cluster.
func (c *chains) compare(of *index.Candidates) {
	c.clusters.Grow(c.own)
	has := func(number uint64) bool {
		return len(c.joined) > 0 && slices.Contains(c.joined, c.clusters.Root(int(number)))
	}
	for n, ok := of.Next(has); ok; n, ok = of.Next(has) {
		c.near = append(c.near, n)
		if !c.every {
			c.joined = append(c.joined, c.clusters.Root(int(n.Number)))
		}
	}
	slices.SortFunc(c.near, func(a, b index.Near) int { return cmp.Compare(a.Number, b.Number) })
	c.cut = of.Cut()
}

// enter notes what was found about the entry that was judged last, which is not empty.
func (c *chains) enter() {
	if c.same {
		return
	}
	c.first[c.key] = uint64(c.own)
	c.clusters.Grow(c.own + 1)
	for i := range c.near {
		c.clusters.Join(int(c.near[i].Number), c.own)
	}
}

// copies lists the documents of equal text by the first of them, which is compared for all. It takes some 30 bytes for
// each document that is equal to one before, and the length of its name.
type copies map[int64][]namedCopy

type namedCopy struct {
	number int64
	name   []byte
}

// add adds the matches of the document that was judged last: those that were found, and the copies of each. It returns
// true if they are more than most, and the rest is left out.
func (c copies) add(found *matches, e *entry.Entry, near []index.Near, most int) (cut bool) {
	from := len(found.all)
	for i := range near {
		n := &near[i]
		others := c[n.Offset]
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
			c[near[i].Offset] = append(c[near[i].Offset], namedCopy{e.Offset, slices.Clone(e.ID)})
			break
		}
	}
	return cut
}
