package eval

import (
	"cmp"
	"errors"
	"slices"

	"github.com/unecho/unecho/index/sketch"
	"github.com/unecho/unecho/index/text"
)

// Pair is two documents, by their places in the corpus, A before B, and what their sets have in common. Their Jaccard
// similarity is Shared/Union.
type Pair struct {
	A, B          int
	Shared, Union int
}

// Identical says whether the sets are equal. Every sketch finds such a pair.
func (p Pair) Identical() bool { return p.Shared > 0 && p.Shared == p.Union }

// AtLeast says whether the similarity reaches a threshold in ten thousandths.
func (p Pair) AtLeast(tenThousandths int) bool {
	return sketch.AtLeast(uint32(p.Shared), uint32(p.Union), tenThousandths)
}

// SortPairs sorts by A, then B, such as the combined pairs of several Probes.
func SortPairs(pairs []Pair) {
	slices.SortFunc(pairs, func(p, q Pair) int { return cmp.Or(p.A-q.A, p.B-q.B) })
}

func newPair(a, b, shared, union int) Pair {
	if a > b {
		a, b = b, a
	}
	return Pair{A: a, B: b, Shared: shared, Union: union}
}

// Reaching returns the pairs at or above a threshold in ten thousandths.
func Reaching(pairs []Pair, threshold int) (at []Pair) {
	for _, p := range pairs {
		if p.AtLeast(threshold) {
			at = append(at, p)
		}
	}
	return at
}

// Histogram counts pairs by their similarity, in this many steps of equal width from 0 to 1. The last step also holds the
// pairs that are equal.
func Histogram(pairs []Pair, steps int) []int {
	counts := make([]int, steps)
	for _, p := range pairs {
		counts[min(steps-1, p.Shared*steps/p.Union)]++
	}
	return counts
}

// ErrPairs says that there are more pairs than there is memory for.
var ErrPairs = errors.New("too many pairs")

// MostPairs fit into 1 GiB. A corpus with more consists mostly of copies.
const MostPairs = 10_000_000

// Distinct turns a sorted multiset into a set: the second and each later occurrence of a shingle becomes a shingle of
// its own, so that the Jaccard similarity of two sets is that of their multisets. Two different shingles become equal
// with a probability of about 2^-64.
func Distinct(multiset []uint64) []uint64 {
	set := slices.Clone(multiset)
	occurrence := uint64(0)
	for i := 1; i < len(multiset); i++ {
		if occurrence++; multiset[i] != multiset[i-1] {
			occurrence = 0
		}
		set[i] ^= occurrence * odd
	}
	slices.Sort(set)
	return slices.Compact(set)
}

// odd spreads small numbers over 64 bits: 2^64 divided by the golden ratio (Knuth, "The Art of Computer Programming",
// 6.4).
const odd = 0x9e3779b97f4a7c15

// A Ruler makes the sets of shingles whose Jaccard similarity is that of documents. It is not safe for concurrent use.
type Ruler struct {
	normalizer *text.Normalizer
	shingling  text.Shingling
	normal     []byte
}

// NewRuler makes a Ruler by settings that are valid.
func NewRuler(p text.Params, shingling text.Shingling) *Ruler {
	return &Ruler{normalizer: text.NewNormalizer(p), shingling: shingling}
}

// Set returns the set of a document, sorted, in the memory of dst.
func (r *Ruler) Set(dst []uint64, document []byte) []uint64 {
	r.normal = r.normalizer.Append(r.normal[:0], document)
	return text.Set(r.shingling.AppendHashes(dst[:0], r.normal))
}
