package compare

import (
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/sketch"
	"github.com/unecho/unecho/index/text"
)

// Params say how entries are compared.
type Params struct {
	Kind      entry.Kind     // of their evidence
	Least     Similarity     // of a duplicate
	Runes     bool           // texts are compared rune by rune, and not by their shingles
	Shingling text.Shingling // of texts
	Weighted  bool           // a shingle of a text counts as often as it occurs
	Sketch    sketch.Sketch  // compares evidence of the kind Sketch
	ByBits    bool           // the sketch is of bits, of which up to Distance differ
	Distance  int
	Slots     int // of another sketch
}

// Comparer compares an entry with others, which have evidence of the same kind. It is not safe for concurrent use.
type Comparer struct {
	verify verifier
	least  Similarity
	entry  *entry.Entry
	begun  bool // verify has taken the entry
}

// New builds a comparer.
func New(p Params) *Comparer { return &Comparer{verify: newVerifier(&p), least: p.Least} }

// Begin sets the entry that others are compared with. The comparer refers to it until the next Begin.
func (c *Comparer) Begin(e *entry.Entry) { c.entry, c.begun = e, false }

// Compare returns how similar another entry is, and whether that makes it a duplicate. The similarity of a pair that is no
// duplicate may be returned too low. Entries of different scopes are not similar.
func (c *Comparer) Compare(other *entry.Entry) (s Similarity, m Method, ok bool) {
	if other.Scope != c.entry.Scope {
		return unlike(), NoMatch, false
	}
	if c.Identical(other) {
		return Same(), Identical, true
	}
	s, m = c.Measure(other)
	return s, m, c.Reaches(s)
}

// Same is the similarity of identical texts.
func Same() Similarity { return Similarity{Num: 1, Den: 1} }

// Identical says whether another entry is of the same text, so that there is nothing to measure.
func (c *Comparer) Identical(other *entry.Entry) bool { return other.Content == c.entry.Content }

// Measure returns how similar another entry is by its evidence. The similarity of a pair that is no duplicate may be
// returned too low.
func (c *Comparer) Measure(other *entry.Entry) (Similarity, Method) {
	c.take()
	return c.verify.similarity(other), c.verify.method()
}

// MeasureWithin returns what Measure does, or that both are identical, and takes from the work that is left what that
// costs. ok is false if it may cost more.
func (c *Comparer) MeasureWithin(other *entry.Entry, left *int) (s Similarity, m Method, ok bool) {
	if c.Identical(other) {
		return Same(), Identical, true
	}
	cost := c.Cost(other)
	if cost > *left {
		return Similarity{}, NoMatch, false
	}
	s, m = c.Measure(other)
	*left -= c.verify.spent(cost, s)
	return s, m, true
}

// take has the verifier take the entry, once.
func (c *Comparer) take() {
	if !c.begun {
		c.verify.begin(c.entry)
		c.begun = true
	}
}

// Reaches says whether a similarity makes a duplicate.
func (c *Comparer) Reaches(s Similarity) bool { return !s.Less(c.least) }

// Least is the least similarity of a duplicate.
func (c *Comparer) Least() Similarity { return c.least }

// Cost is the most that comparing another entry takes, in steps of duplicates.max_work. Like what is spent in the end it
// depends on the entries alone, not on the work really done.
func (c *Comparer) Cost(other *entry.Entry) int { return c.verify.cost(c.entry, other) }

// Limit returns the greatest number of bits in which the digest of a candidate may differ. Of the documents that are
// just similar enough no more than one in a thousand is beyond it.
func (c *Comparer) Limit() int { return c.verify.limit(c.entry) }

// MayReach says whether another entry may be similar enough, by the lengths of both and by the number of bits in which
// their digests differ: it is true for all that are, except for one in a thousand.
func (c *Comparer) MayReach(other *entry.Entry, distance int) bool {
	return c.verify.mayReach(c.entry, other, distance)
}

// Fine appends the fine keys of the entry.
func (c *Comparer) Fine(dst []uint64) []uint64 {
	c.take()
	return c.verify.fine(dst, c.entry)
}
