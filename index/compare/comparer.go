package compare

import (
	"slices"

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

// MeasureFrom does what MeasureWithin does for another threshold: only the similarity of a pair below least may be
// returned too low.
func (c *Comparer) MeasureFrom(least Similarity, other *entry.Entry, left *int) (s Similarity, m Method, ok bool) {
	c.verify.require(least)
	defer c.verify.require(c.least)
	return c.MeasureWithin(other, left)
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

// verifier measures the similarity of an entry and a candidate. begin is called once per entry, before its first
// candidate. The similarity of a pair below the threshold may be returned too low. Evidence that does not decode is
// similar to nothing: it must not stop the stream, and all members read the same bytes.
type verifier interface {
	begin(e *entry.Entry)
	similarity(candidate *entry.Entry) Similarity
	method() Method
	require(least Similarity) // sets the threshold
	// cost is the most that comparing two entries takes, in steps of duplicates.max_work. spent is the part of it that
	// counts, given the similarity that was found. Both depend on the entries alone, not on the work really done.
	cost(own, candidate *entry.Entry) int
	spent(cost int, s Similarity) int
	// limit returns the greatest number of bits in which the digest of a candidate may differ from that of e. Of the
	// documents that are just similar enough no more than one in a thousand is beyond it.
	limit(e *entry.Entry) int
	// mayReach says whether a candidate may be similar enough to own, by the lengths of both and by the number of bits in
	// which their digests differ: it is true for all that are, except for one in a thousand.
	mayReach(own, candidate *entry.Entry, distance int) bool
	// fine appends the fine keys of the entry that was begun.
	fine(dst []uint64, e *entry.Entry) []uint64
}

// flat is embedded by a verifier whose whole cost counts. If it has no use for the threshold when it measures, it
// measures every pair alike.
type flat struct{}

func (flat) require(Similarity) {}

func (flat) spent(cost int, _ Similarity) int { return cost }

func newVerifier(p *Params) verifier {
	texts := texts{shingling: p.Shingling, weighted: p.Weighted}
	switch {
	case p.Kind == entry.Sketch && p.ByBits:
		return &estimator{sketch: p.Sketch, by: Hamming, most: p.Distance}
	case p.Kind == entry.Sketch:
		return &estimator{sketch: p.Sketch, by: Estimate, most: codesLimit(p.Least, p.Slots)}
	case p.Kind == entry.Shingles:
		return &overlap{least: p.Least, limits: newOddLimits()}
	case p.Runes:
		return &levenshtein{least: int(p.Least.Num), texts: texts, size: p.Shingling.Chars(), limits: newOddLimits()}
	}
	return &jaccard{texts: texts, least: p.Least, limits: newOddLimits()}
}

// unlike is the similarity of a pair that cannot be compared, or is not similar enough.
func unlike() Similarity { return Similarity{Den: 1} }

// jaccard is the Jaccard similarity of the hashes of shingles, from evidence of the kind Text.
type jaccard struct {
	texts
	least     Similarity
	limits    *oddLimits
	own, them []uint64
	flat
}

// texts makes shingles of texts that are kept.
type texts struct {
	shingling text.Shingling
	weighted  bool
	sorter    text.Sorter
	text      []byte
}

// shingles returns the sorted hashes of an entry's shingles, in dst if they fit there.
func (x *texts) shingles(dst []uint64, e *entry.Entry) []uint64 {
	x.text = readText(x.text, e)
	return Sorted(&x.sorter, x.shingling.AppendHashes(dst[:0], x.text), x.weighted)
}

// Sorted sorts the hashes of shingles in place. It returns them as a set, or if weighted as a list in which each stands
// as often as it occurs.
func Sorted(s *text.Sorter, shingles []uint64, weighted bool) []uint64 {
	if weighted {
		slices.Sort(shingles)
		return shingles
	}
	return s.Set(shingles)
}

// hashWidth is the number of bits of a shingle's hash.
const hashWidth = 64

// textSteps is the cost of a byte of text, in steps: it is decompressed, and its shingles are hashed and sorted.
const textSteps = 6

func (x *jaccard) cost(own, candidate *entry.Entry) int {
	return textSteps * (entry.TextLen(own) + entry.TextLen(candidate))
}

func (x *jaccard) method() Method { return Jaccard }

func (x *jaccard) begin(e *entry.Entry) { x.own = x.shingles(x.own, e) }

func (x *jaccard) similarity(candidate *entry.Entry) Similarity {
	x.them = x.shingles(x.them, candidate)
	shared, union := sketch.Jaccard(x.own, x.them)
	if shared == 0 {
		return unlike()
	}
	return Similarity{Num: uint32(shared), Den: uint32(union)}
}

func (x *jaccard) fine(dst []uint64, e *entry.Entry) []uint64 {
	return appendPairs(dst, e.Scope, x.own, hashWidth)
}

// limit does not make shingles of the text: there are no more of them than bytes.
func (x *jaccard) limit(e *entry.Entry) int { return x.limits.of(differing(entry.TextLen(e), x.least)) }

// mayReach knows no more than limit: of a text it is not known how many shingles it has.
func (x *jaccard) mayReach(_, _ *entry.Entry, _ int) bool { return true }

// estimator verifies by the sketches, from evidence of the kind Sketch.
type estimator struct {
	sketch sketch.Sketch
	by     Method
	most   int // greatest number of bits in which digests may differ
	own    []byte
	flat
}

func (x *estimator) cost(_, _ *entry.Entry) int { return 1 }

func (x *estimator) mayReach(_, _ *entry.Entry, _ int) bool { return true } // sketches have one length

func (x *estimator) limit(*entry.Entry) int { return x.most }

func (x *estimator) fine(dst []uint64, e *entry.Entry) []uint64 {
	if x.by == Hamming || e.Kind != entry.Sketch { // of bits no fine keys are made
		return dst
	}
	return appendGroups(dst, e.Scope, e.Evidence)
}

func (x *estimator) method() Method { return x.by }

func (x *estimator) begin(e *entry.Entry) { x.own = e.Evidence }

func (x *estimator) similarity(candidate *entry.Entry) Similarity {
	if candidate.Kind != entry.Sketch {
		return unlike()
	}
	num, den := x.sketch.Similarity(x.own, candidate.Evidence)
	return Similarity{Num: num, Den: den}
}
