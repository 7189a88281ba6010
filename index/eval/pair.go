package eval

import (
	"cmp"
	"slices"

	"github.com/unecho/unecho/index/sketch"
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
