package eval_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/unecho/unecho/index/eval"
	"github.com/unecho/unecho/index/sketch"
)

func newSketch(t *testing.T, slots int, banding sketch.Banding) sketch.Sketch {
	t.Helper()
	s, err := sketch.NewMinHashSketch(sketch.MinHashParams{Slots: slots, Banding: banding, CodeBits: 16})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestCandidates compares the candidates with a double loop over the band keys.
func TestCandidates(t *testing.T) {
	sets := corpus(rand.New(rand.NewPCG(5, 5)), 300)
	s := newSketch(t, 64, sketch.Banding{Bands: 16, Rows: 4})
	keys := make([][]byte, len(sets))
	for i, set := range sets {
		s.Sign(set)
		keys[i] = s.AppendKeys(nil, 0, 8)
	}
	var want, got [][2]int
	for b := range sets {
		for a := range b {
			for band := range 16 {
				if len(sets[a]) > 0 && len(sets[b]) > 0 && slices.Equal(keys[a][band*8:][:8], keys[b][band*8:][:8]) {
					want = append(want, [2]int{a, b})
					break
				}
			}
		}
	}
	eval.NewTrial(s, sets, nil).Candidates(func(a, b int) bool {
		got = append(got, [2]int{a, b})
		return true
	})
	order := func(x, y [2]int) int { return slices.Compare(x[:], y[:]) }
	slices.SortFunc(want, order)
	slices.SortFunc(got, order)
	if !slices.Equal(got, want) || len(want) < 100 {
		t.Errorf("%d candidates, want %d", len(got), len(want))
	}
}

func TestTrialAgainstTruth(t *testing.T) {
	sets := corpus(rand.New(rand.NewPCG(6, 6)), 1500)
	const floor, threshold = 3000, 8000
	truth := eval.NewTruth(sets, eval.NewJoin(sets, floor).Pairs())
	plan, err := sketch.Plan(0.8, 128, 0.98)
	if err != nil {
		t.Fatal(err)
	}
	trial := eval.NewTrial(newSketch(t, 128, plan), sets, nil)
	r, err := trial.Against(truth, threshold, eval.AtThreshold(threshold), 1_000_000)
	if err != nil {
		t.Fatal(err)
	}
	pairs := eval.AllPairs(sets, threshold)
	if truth.Pairs(threshold) != len(pairs) || r.Verified.TruePositives+r.Verified.FalseNegatives != len(pairs) {
		t.Errorf("%d pairs, %+v; want %d", truth.Pairs(threshold), r.Verified, len(pairs))
	}
	if r.Verified.Precision() != 1 || r.Verified.Recall() < 0.98 || r.Verified.Recall() != r.Candidates.Recall() {
		t.Errorf("verified: %+v, candidates: %+v", r.Verified, r.Candidates)
	}
	if r.Candidates.Precision() > r.Estimated.Precision() || r.Met != r.Error.N || r.Error.Mean() <= 0 ||
		r.Error.Mean() > 0.1 {
		t.Errorf("the result is %+v; want the estimates to be as precise as the candidates or more, an error of each candidate, "+
			"and a mean error above 0, up to 0.1", r)
	}
	if trial.CodeBytes() != 256 {
		t.Errorf("%d bytes of codes", trial.CodeBytes())
	}
	if _, err := trial.Against(truth, threshold, eval.AtThreshold(threshold), 10); !errors.Is(err, eval.ErrCandidates) {
		t.Errorf("at most 10 candidates: %v", err)
	}
	looked := 0
	always := func(_, _ int) bool { looked++; return true }
	for want, most := range map[error][2]int{
		eval.ErrCandidates: {r.Met - 1, r.Met}, eval.ErrPairs: {r.Met, r.Met - 1},
		nil: {r.Met, r.Met},
	} {
		if found, err := trial.Pairs(always, most[0], most[1]); !errors.Is(err, want) || want == nil && len(found) != r.Met {
			t.Errorf("at most %v: %d pairs, %v, want %v", most, len(found), err, want)
		}
	}
	looked = 0
	if _, err := trial.Pairs(always, r.Met, 3); !errors.Is(err, eval.ErrPairs) || looked != 4 {
		t.Errorf("at most 3 pairs: %v after %d", err, looked)
	}
}

func TestHistogram(t *testing.T) {
	sets := [][]uint64{{1, 2, 3, 4}, {1, 2, 3, 4}, {1, 2, 3, 5}, {1, 9}}
	truth := eval.NewTruth(sets, eval.AllPairs(sets, 1))
	if got, want := truth.Histogram(5), []int{0, 3, 0, 2, 1}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if p := truth.Pair(0, 2); p.Shared != 3 || p.Union != 5 {
		t.Errorf("the pair of the sets 0 and 2 is %+v; want 3 shared of 5", p)
	}
}

// The estimate of SimHash is compared with the bits that may differ, as the service does, and not with the threshold.
func TestTrialOfSimHash(t *testing.T) {
	sets := corpus(rand.New(rand.NewPCG(8, 8)), 400)
	s, err := sketch.NewSimHashSketch(sketch.SimHashParams{Bits: 64, Distance: 3})
	if err != nil {
		t.Fatal(err)
	}
	trial := eval.NewTrial(s, sets, nil)
	bar := eval.WithinDistance(64, 3)
	code := func(i int) []byte {
		s.Sign(sets[i])
		return s.AppendCodes(nil)
	}
	near := func(a, b int) bool { return sketch.Hamming(code(a), code(b)) <= 3 }
	found, err := trial.Pairs(func(a, b int) bool { return trial.Reached(bar, a, b) }, 1_000_000, 1_000_000)
	want, err2 := trial.Pairs(near, 1_000_000, 1_000_000)
	if err != nil || err2 != nil || !slices.Equal(found, want) || len(want) == 0 {
		t.Errorf("%d pairs, want %d; %v, %v", len(found), len(want), err, err2)
	}
	r, err := trial.Against(eval.NewTruth(sets, eval.AllPairs(sets, 5000)), 9000, bar, 1_000_000)
	if err != nil || r.Estimated.TruePositives+r.Estimated.FalsePositives != len(want) || r.Met < len(want) {
		t.Errorf("%+v, %v; want %d by the estimate", r, err, len(want))
	}
}

// Documents of different scopes are no candidates, however equal.
func TestTrialOfScopes(t *testing.T) {
	set := []uint64{1, 2, 3}
	trial := eval.NewTrial(newSketch(t, 64, sketch.Banding{Bands: 16, Rows: 4}), [][]uint64{set, set, set, set},
		[]uint64{0, 7, 0, 7})
	found, err := trial.Pairs(func(_, _ int) bool { return true }, 2, 2) // there are no more than two candidates
	if want := []eval.Pair{{A: 0, B: 2}, {A: 1, B: 3}}; err != nil || !slices.Equal(found, want) {
		t.Errorf("the pairs within scopes are %v, error %v; want %v and no error", found, err, want)
	}
}

// Pairs that are labelled are the truth, whatever their similarity; and pairs of equal sets are counted apart.
func TestTrialAgainstLabels(t *testing.T) {
	sets := [][]uint64{{1, 2, 3, 4}, {1, 2, 3, 4}, {1, 2, 3, 4, 5}, {7, 8}, {1, 2, 3, 4}}
	truth := eval.NewTruth(sets, eval.AllPairs(sets, 5000))
	// One of three pairs of equal sets, one of three that are near, and one that shares nothing.
	truth.Label([]eval.Pair{{A: 0, B: 1}, {A: 0, B: 2}, {A: 2, B: 3}})
	trial := eval.NewTrial(newSketch(t, 64, sketch.Banding{Bands: 64, Rows: 1}), sets, nil)
	for threshold, want := range map[int][2]eval.Score{
		7000:  {{TruePositives: 2, FalsePositives: 4, FalseNegatives: 1}, {TruePositives: 1, FalsePositives: 2, FalseNegatives: 1}},
		10000: {{TruePositives: 1, FalsePositives: 2, FalseNegatives: 2}, {FalseNegatives: 2}},
	} {
		r, err := trial.Against(truth, threshold, eval.AtThreshold(threshold), 100)
		if err != nil || r.Verified != want[0] || r.Verified.Without(r.Identical) != want[1] {
			t.Errorf("at %d: %+v, near %+v, %v; want %v", threshold, r.Verified, r.Verified.Without(r.Identical), err, want)
		}
		if identical := (eval.Score{TruePositives: 1, FalsePositives: 2}); r.Identical != identical {
			t.Errorf("identical: %+v", r.Identical)
		}
	}
	if truth.True(7000) != 3 || truth.Pairs(7000) != 6 || len(truth.At(10000)) != 3 {
		t.Errorf("%d true, %d similar, %d equal", truth.True(7000), truth.Pairs(7000), len(truth.At(10000)))
	}
}
