package sketch

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// make accuracy runs 20,000 trials per cell and prints the tables. The tests run fewer, with wider margins for chance.
var trials = flag.Int("trials", 2000, "trials for each cell of TestAccuracyTableLong and TestBandsCollideAsPlannedLong")

// errorsOf returns the bias and the mean square error of the share of equal slots, for documents of n shingles each.
func errorsOf(random *rand.Rand, m *minHashSketch, n, shared, trials int) (bias, square float64) {
	jaccard := float64(shared) / float64(2*n-shared)
	for range trials {
		a, b := twoSets(random, 2*n-shared, shared)
		x, y := signed(m, a), signed(m, b)
		e := float64(equalValues(x, y))/float64(len(x)) - jaccard
		bias += e / float64(trials)
		square += e * e / float64(trials)
	}
	return bias, square
}

// The share of equal full-width values has the Jaccard similarity as its mean. Its mean square error is below that of
// independent permutations, J(1-J)/slots: never above 1.1 of it, and at most 0.6 of it for short texts.
func TestAccuracyTable(t *testing.T)     { tryAccuracy(t, 100) }
func TestAccuracyTableLong(t *testing.T) { tryAccuracy(t, *trials) }

func tryAccuracy(t *testing.T, trials int) {
	const slots, seed = 128, 20261121
	random := rand.New(rand.NewPCG(seed, 3))
	m := minhash(t, slots)
	margin := 4 * math.Sqrt(2/float64(trials)) // four standard errors of a mean square
	t.Logf("%d slots, %d trials, seed %d: bias in thousandths, mean square error over J(1-J)/slots", slots, trials, seed)
	for _, n := range []int{2, 5, 10, 20, 50, 100, 200, 340, 500, 1000, 2000, 5000} {
		var row strings.Builder
		last := 0
		for _, share := range []float64{0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95} {
			shared := max(1, min(n-1, int(math.Round(2*float64(n)*share/(1+share)))))
			if shared == last {
				continue // with so few shingles the two similarities are equal
			}
			last = shared
			jaccard := float64(shared) / float64(2*n-shared)
			bias, square := errorsOf(random, m, n, shared, trials)
			ratio := square / (jaccard * (1 - jaccard) / slots)
			fmt.Fprintf(&row, "  %.3f: %+5.2f %.2f", jaccard, 1000*bias, ratio)
			if limit := 4 * math.Sqrt(square/float64(trials)); math.Abs(bias) > limit {
				t.Errorf("%d shingles, similarity %.3f: bias %.5f beyond %.5f", n, jaccard, bias, limit)
			}
			if limit := worst(n); ratio > limit*(1+margin) {
				t.Errorf("%d shingles, similarity %.3f: mean square error %.3f of the classic one, beyond %.2f", n, jaccard, ratio, limit)
			}
		}
		t.Logf("%5d shingles%s", n, row.String())
	}
}

// worst returns the greatest mean square error of n shingles, relative to the classic one.
func worst(n int) float64 {
	switch {
	case n < 10:
		return 0.8
	case n <= 100:
		return 0.6
	}
	return 1.1
}
