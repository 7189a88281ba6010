package eval

import "github.com/unecho/unecho/index/sketch"

// Truth is a corpus with all its pairs at or above a floor.
type Truth struct {
	sets  [][]uint64
	pairs []Pair
	known map[uint64]int32 // pair -> its place in pairs

	labels map[uint64]struct{} // the pairs that are true, if somebody knows them
}

// NewTruth keeps sets and pairs. The pairs must be those that Join or AllPairs found at the floor.
func NewTruth(sets [][]uint64, pairs []Pair) *Truth {
	t := &Truth{sets: sets, pairs: pairs, known: make(map[uint64]int32, len(pairs))}
	for i, p := range pairs {
		t.known[code(p.A, p.B)] = int32(i)
	}
	return t
}

// Label has these pairs be the true ones, whatever their similarity: each once, A before B.
func (t *Truth) Label(pairs []Pair) {
	t.labels = make(map[uint64]struct{}, len(pairs))
	for _, p := range pairs {
		t.labels[code(p.A, p.B)] = struct{}{}
	}
}

// is says whether a pair is true that is similar enough, or not.
func (t *Truth) is(a, b int, similar bool) bool {
	if t.labels == nil {
		return similar
	}
	_, labelled := t.labels[code(a, b)]
	return labelled
}

// True returns how many pairs are true: those that are labelled, or else those at or above a threshold.
func (t *Truth) True(threshold int) int {
	if t.labels != nil {
		return len(t.labels)
	}
	return t.Pairs(threshold)
}

func code(a, b int) uint64 { return uint64(a)<<32 | uint64(b) }

// Documents returns the number of sets.
func (t *Truth) Documents() int { return len(t.sets) }

// Pairs returns the pairs at or above a threshold that is not below the floor.
func (t *Truth) Pairs(threshold int) int {
	n := 0
	for _, p := range t.pairs {
		if p.AtLeast(threshold) {
			n++
		}
	}
	return n
}

// At returns the pairs at or above a threshold that is not below the floor.
func (t *Truth) At(threshold int) []Pair {
	var at []Pair
	for _, p := range t.pairs {
		if p.AtLeast(threshold) {
			at = append(at, p)
		}
	}
	return at
}

// Pair returns the exact similarity of two documents, a before b.
func (t *Truth) Pair(a, b int) Pair {
	if i, ok := t.known[code(a, b)]; ok {
		return t.pairs[i]
	}
	return t.Compare(a, b)
}

// Compare returns what Pair returns, by comparing the sets.
func (t *Truth) Compare(a, b int) Pair {
	shared, union := sketch.Jaccard(t.sets[a], t.sets[b])
	return newPair(a, b, shared, union)
}

// Shingles returns the mean size of a set that is not empty.
func (t *Truth) Shingles() float64 {
	sum, n := 0, 0
	for _, set := range t.sets {
		if sum += len(set); len(set) > 0 {
			n++
		}
	}
	return float64(sum) / float64(max(1, n))
}

// Histogram counts the pairs at or above the floor by their similarity, in this many steps of equal width from 0 to 1.
// The last step also holds the pairs that are equal.
func (t *Truth) Histogram(steps int) []int {
	counts := make([]int, steps)
	for _, p := range t.pairs {
		counts[min(steps-1, p.Shared*steps/p.Union)]++
	}
	return counts
}
