package index

import (
	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/eval"
	"github.com/unecho/unecho/index/window"
)

// Chains has a replica find clusters rather than the most similar document: two documents are in one cluster if a chain
// of verified matches connects them. It is for documents that are judged once and never leave, with index.keep: all.
//
// The work for one document is bounded as that of a verdict is. Two rules keep large clusters within that bound, and
// neither changes a cluster:
//
//   - Of documents with equal text in one scope only the first enters the window. The others match it.
//   - A candidate that is in the entry's cluster already is not compared.
//
// A copy is linked under no popular key (compare.FineKey). That may part a cluster.
//
// With Every, the second does not apply: each candidate is compared, because its similarity is wanted. No key becomes
// popular then.
type Chains struct {
	Every bool // the similarity of each candidate is wanted
	Apart bool // what is judged now enters without being compared with anything

	// Of the entry that was judged last, valid until the next record is applied:
	Near []Near // the documents that it was verified against, in the order in which they were judged
	Cut  bool   // documents were left out that might be similar enough, and are not known to be in its cluster

	first    map[contentKey]window.Ref // the document that stands for all of equal text
	clusters *eval.Clusters            // of the documents by their numbers in the window
	own      int                       // the number that the entry at hand will have
	joined   bool                      // it is in a cluster with another document
	same     bool                      // it has the text of another document, and does not enter
	found    []found                   // verified against
}

type contentKey struct{ content, scope uint64 }

// NewChains makes a Chains without documents.
func NewChains() *Chains {
	return &Chains{first: map[contentKey]window.Ref{}, clusters: eval.NewClusters(0)}
}

// Chain has the replica judge by chains from now on. Those that it remembers already are each in a cluster of its own.
func (r *Replica) Chain(c *Chains) {
	r.judge.chains = c
	r.Each(func(m *Remembered) {
		key := contentKey{m.Entry.Content, m.Entry.Scope}
		if _, known := c.first[key]; !known {
			c.first[key] = window.Ref(m.Number)
		}
	})
	c.clusters.Grow(int(r.find.window.End()))
}

// Equal says whether the entry judged last stays outside the window, because a document of equal text is in it.
func (c *Chains) Equal() bool { return c != nil && c.same }

// has says whether a document is in the cluster of the entry at hand.
func (c *Chains) has(at window.Ref) bool {
	return c.joined && !c.Every && c.clusters.Root(int(at)) == c.clusters.Root(c.own)
}

func (c *Chains) join(at window.Ref) {
	c.clusters.Join(int(at), c.own)
	c.joined = true
}

// chain judges an entry by chains: it returns what best returns.
func (j *judge) chain(e *entry.Entry) (best found, ok, cut bool) {
	c := j.chains
	c.Near, c.found, c.Cut, c.joined = c.Near[:0], c.found[:0], false, false
	key := contentKey{e.Content, e.Scope}
	first, known := c.first[key]
	c.same, c.own = known, int(j.find.window.End())
	if !known {
		c.first[key] = j.find.window.End()
		c.clusters.Grow(c.own + 1)
	}
	switch {
	case c.Apart && !known:
		j.find.look(e) // for where it is linked
		return found{}, false, false
	case c.Apart, known && !c.Every:
		best = j.find.found(first)
		best.similarity, best.method = compare.Same(), Identical
		c.found = append(c.found, best)
		c.Near = j.find.nearOf(c.Near, c.found)
		return best, true, false
	}
	return j.compareAll(e)
}

// compareAll compares an entry with its candidates, as far as they are not in its cluster.
func (j *judge) compareAll(e *entry.Entry) (best found, ok, cut bool) {
	c := j.chains
	s := j.find.survey(e)
	for _, k := range s.ranks {
		j.tryCandidate(&s, k)
	}
	j.count(&s)
	for i := range c.found {
		if f := &c.found[i]; !ok || f.better(&best) {
			best, ok = *f, true
		}
	}
	c.Near, c.Cut = j.find.nearOf(c.Near, c.found), s.cut()
	j.stats.Cuts.count(&s)
	return best, ok, !ok && c.Cut
}

// tryCandidate compares the entry with a candidate, unless that is needless or beyond the budget.
func (j *judge) tryCandidate(s *survey, k rank) {
	c, at := j.chains, k.ref()
	var f found
	if c.has(at) || !j.find.promising(&f, k, s.entry) {
		return
	}
	if s.left.candidates == 0 {
		s.beyond++
		return
	}
	s.left.candidates--
	j.stats.Candidates++
	if !j.find.measure(s, &f) || !j.find.verify.Reaches(f.similarity) {
		return
	}
	c.found = append(c.found, f)
	if !c.same {
		c.join(at)
	}
}

// nearOf appends what documents were found, in the order in which they were judged.
func (x *finder) nearOf(dst []Near, all []found) []Near {
	from := len(dst)
	for i := range all {
		dst = append(dst, x.near(&all[i]))
	}
	sortNear(dst[from:])
	return dst
}
