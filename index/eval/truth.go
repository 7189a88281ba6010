package eval

// Truth is a corpus with all its pairs at or above a floor.
type Truth struct {
	sets  [][]uint64
	pairs []Pair
}

// NewTruth keeps sets and pairs. The pairs must be all of them, from the floor on.
func NewTruth(sets [][]uint64, pairs []Pair) *Truth { return &Truth{sets: sets, pairs: pairs} }

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
