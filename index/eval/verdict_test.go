package eval_test

import (
	"slices"
	"testing"

	"github.com/unecho/unecho/index/eval"
)

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
