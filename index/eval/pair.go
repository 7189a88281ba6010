package eval

import "github.com/unecho/unecho/index/sketch"

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

// compare orders pairs by A, then B.
func (p Pair) compare(q Pair) int {
	if p.A != q.A {
		return p.A - q.A
	}
	return p.B - q.B
}

func newPair(a, b, shared, union int) Pair {
	if a > b {
		a, b = b, a
	}
	return Pair{A: a, B: b, Shared: shared, Union: union}
}

// AppendPairs appends the pairs of set b with those before it, at or above a threshold in ten thousandths, above 0. It
// compares each with each, so its time grows with the square of the number of sets; Join finds the same. Each set must be
// sorted and without repetitions; empty sets are similar to none.
func AppendPairs(pairs []Pair, sets [][]uint64, b, threshold int) []Pair {
	for a, x := range sets[:b] {
		shared, union := sketch.Jaccard(x, sets[b])
		if p := newPair(a, b, shared, union); shared > 0 && p.AtLeast(threshold) {
			pairs = append(pairs, p)
		}
	}
	return pairs
}
