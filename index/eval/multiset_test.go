package eval_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/unecho/unecho/index/eval"
	"github.com/unecho/unecho/index/sketch"
)

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
