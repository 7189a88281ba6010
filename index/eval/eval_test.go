package eval_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/unecho/unecho/index/eval"
	"github.com/unecho/unecho/index/sketch"
)

// corpus draws sets of which many are edited copies of earlier ones, over a vocabulary in which some shingles are
// frequent.
func corpus(random *rand.Rand, n int) [][]uint64 {
	sets := make([][]uint64, n)
	shingle := func() uint64 {
		if random.IntN(2) == 0 {
			return uint64(random.IntN(20)) << 40
		}
		return uint64(random.IntN(100_000)) << 20
	}
	for i := range sets {
		var set []uint64
		if i > 0 && random.IntN(3) > 0 {
			set = slices.Clone(sets[random.IntN(i)])
			for range random.IntN(1 + len(set)/2) {
				set[random.IntN(len(set))] = shingle()
			}
		} else {
			for range random.IntN(40) {
				set = append(set, shingle())
			}
		}
		slices.Sort(set)
		sets[i] = slices.Compact(set)
	}
	return sets
}

func allPairs(sets [][]uint64, threshold int) (pairs []eval.Pair) {
	for a, x := range sets {
		for b := a + 1; b < len(sets); b++ {
			shared, union := sketch.Jaccard(x, sets[b])
			if p := (eval.Pair{A: a, B: b, Shared: shared, Union: union}); shared > 0 && p.AtLeast(threshold) {
				pairs = append(pairs, p)
			}
		}
	}
	return pairs
}

func TestJoinFindsWhatAllPairsFinds(t *testing.T)     { tryJoin(t, 10) }
func TestJoinFindsWhatAllPairsFindsLong(t *testing.T) { tryJoin(t, 600) }

func tryJoin(t *testing.T, seeds int) {
	found := 0
	for seed := range uint64(seeds) {
		random := rand.New(rand.NewPCG(seed, 3))
		sets := corpus(random, 120)
		for _, threshold := range []int{1, 1000, 3333, 5000, 6667, 8000, 9500, 10000} {
			want, got := allPairs(sets, threshold), eval.NewJoin(sets, threshold).Pairs()
			if !slices.Equal(got, want) {
				t.Fatalf("seed %d, threshold %d: the join finds %d pairs, all pairs %d", seed, threshold, len(got), len(want))
			}
			found += len(got)
		}
	}
	if found < 160*seeds {
		t.Errorf("only %d pairs: the corpus tests little", found)
	}
}

func TestJoinComparesLittle(t *testing.T) {
	sets := corpus(rand.New(rand.NewPCG(1, 3)), 2000)
	join := eval.NewJoin(sets, 8000)
	probe := join.NewProbe()
	var pairs []eval.Pair
	for i := range join.Len() {
		pairs = probe.Append(pairs, i)
	}
	if most := uint64(2000 * 1999 / 2 / 20); probe.Compared > most || len(pairs) == 0 {
		t.Errorf("%d records compared to find %d pairs, want at most %d", probe.Compared, len(pairs), most)
	}
}

func TestJoinOfNothing(t *testing.T) {
	for _, sets := range [][][]uint64{nil, {{}}, {{}, {}}, {{1}}, {{}, {1}, {}}} {
		if pairs := eval.NewJoin(sets, 5000).Pairs(); len(pairs) != 0 {
			t.Errorf("the join of %v has the pairs %v; want none", sets, pairs)
		}
	}
}

func TestScore(t *testing.T) {
	for _, test := range []struct {
		score                 eval.Score
		precision, recall, f1 float64
	}{
		{eval.Score{}, 1, 1, 1},
		{eval.Score{FalseNegatives: 1}, 1, 0, 0},
		{eval.Score{FalsePositives: 1}, 0, 1, 0},
		{eval.Score{TruePositives: 2, FalsePositives: 1, FalseNegatives: 2}, 2. / 3, 0.5, 4. / 7},
	} {
		got := test.score
		if got.Precision() != test.precision || got.Recall() != test.recall || math.Abs(got.F1()-test.f1) > 1e-15 {
			t.Errorf("the score %+v has precision %v, recall %v, F1 %v; want %v, %v, %v", got, got.Precision(), got.Recall(),
				got.F1(), test.precision, test.recall, test.f1)
		}
	}
}

func TestClusters(t *testing.T) {
	c := eval.NewClusters(4)
	c.Join(3, 1)
	c.Grow(7)
	c.Join(5, 6)
	c.Join(6, 3)
	if got, want := c.Roots(), []int{0, 1, 2, 1, 4, 1, 1}; !slices.Equal(got, want) {
		t.Errorf("roots %v, want %v", got, want)
	}
}

// The figures are from scikit-learn's documentation of adjusted_rand_score.
func TestAdjustedRand(t *testing.T) {
	for _, test := range []struct {
		a, b []int
		want float64
	}{
		{[]int{0, 0, 1, 1}, []int{1, 1, 0, 0}, 1},
		{[]int{0, 0, 1, 2}, []int{0, 0, 1, 1}, 0.5714285714285714},
		{[]int{0, 0, 1, 1}, []int{0, 1, 0, 1}, -0.5},
		{[]int{0, 0, 0, 0}, []int{0, 1, 2, 3}, 0},
		{[]int{7, 7, 7}, []int{3, 3, 3}, 1},
		{[]int{1, 2, 3}, []int{5, 6, 7}, 1},
		{nil, nil, 1},
	} {
		if got := eval.AdjustedRand(test.a, test.b); math.Abs(got-test.want) > 1e-12 {
			t.Errorf("%v and %v: %v, want %v", test.a, test.b, got, test.want)
		}
	}
}

func TestHistogram(t *testing.T) {
	sets := [][]uint64{{1, 2, 3, 4}, {1, 2, 3, 4}, {1, 2, 3, 5}, {1, 9}}
	if got, want := eval.Histogram(allPairs(sets, 1), 5), []int{0, 3, 0, 2, 1}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// A document that leaves is right if it is a true copy of what it leaves for. One that stays is missed if a true copy
// stays before it, and not if that has left itself.
func TestVerdictsAgainstTruth(t *testing.T) {
	copies := eval.Copies{-1, 0, -1, 0, -1, 4}
	for name, test := range map[string]struct {
		pairs []eval.Pair
		want  eval.Score
	}{
		"all are right":                   {[]eval.Pair{{A: 0, B: 1}, {A: 0, B: 3}, {A: 4, B: 5}}, eval.Score{TruePositives: 3}},
		"nothing is a copy":               {nil, eval.Score{FalsePositives: 3}},
		"one that stays is missed":        {[]eval.Pair{{A: 0, B: 1}, {A: 0, B: 2}, {A: 0, B: 3}, {A: 4, B: 5}}, eval.Score{TruePositives: 3, FalseNegatives: 1}},
		"one leaves for another":          {[]eval.Pair{{A: 0, B: 1}, {A: 2, B: 3}, {A: 4, B: 5}}, eval.Score{TruePositives: 2, FalsePositives: 1, FalseNegatives: 1}},
		"its only copy has left, wrongly": {[]eval.Pair{{A: 0, B: 1}, {A: 3, B: 4}, {A: 4, B: 5}}, eval.Score{TruePositives: 2, FalsePositives: 1}},
	} {
		clusters := eval.NewClusters(len(copies))
		for _, p := range test.pairs {
			clusters.Join(p.A, p.B)
		}
		if got := eval.Count(copies.ByPairs(test.pairs)); got != test.want {
			t.Errorf("%s: by pairs the score is %+v; want %+v", name, got, test.want)
		}
		if got := eval.Count(copies.ByClusters(clusters.Roots())); got != test.want {
			t.Errorf("%s: by clusters the score is %+v; want %+v", name, got, test.want)
		}
	}
	// Of a chain of pairs the ends are the same by labels, and not by a similarity.
	chain := []eval.Pair{{A: 0, B: 1}, {A: 1, B: 2}}
	if got := eval.Count(eval.Copies{-1, 0, -1}.ByPairs(chain)); got != (eval.Score{TruePositives: 1}) {
		t.Errorf("of a chain by pairs the score is %+v; want one that is right, and none missed", got)
	}
	if got := eval.Count(eval.Copies{-1, 0, -1}.ByClusters([]int{0, 0, 0})); got != (eval.Score{TruePositives: 1, FalseNegatives: 1}) {
		t.Errorf("of a chain by clusters the score is %+v; want one that is right, and one missed", got)
	}
	if got, want := (eval.Copies{-1, 0, -1}).Roots(), []int{0, 0, 2}; !slices.Equal(got, want) {
		t.Errorf("the clusters are %v; want %v", got, want)
	}
}

// TestDistinct: the sets share as many elements as the multisets, and the join finds the same pairs as comparing all
// multisets.
func TestDistinct(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	multisets, sets := make([][]uint64, 300), make([][]uint64, 300)
	for i := range multisets {
		for range random.IntN(40) {
			multisets[i] = append(multisets[i], uint64(1+random.IntN(6)))
		}
		slices.Sort(multisets[i])
		sets[i] = eval.Distinct(multisets[i])
		if !slices.IsSorted(sets[i]) || len(slices.Compact(slices.Clone(sets[i]))) != len(multisets[i]) {
			t.Fatalf("%v of %v", sets[i], multisets[i])
		}
		shared, union := sketch.Jaccard(sets[i/2], sets[i])
		if wantShared, wantUnion := sketch.Jaccard(multisets[i/2], multisets[i]); shared != wantShared || union != wantUnion {
			t.Errorf("%d of %d shared, want %d of %d", shared, union, wantShared, wantUnion)
		}
	}
	got, want := eval.NewJoin(sets, 7000).Pairs(), allPairs(multisets, 7000)
	if len(want) < 100 || !slices.Equal(got, want) {
		t.Errorf("%d pairs, want %d", len(got), len(want))
	}
}
