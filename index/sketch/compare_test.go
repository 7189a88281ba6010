package sketch

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestJaccard(t *testing.T) {
	for _, c := range []struct {
		a, b          []uint64
		shared, union int
	}{
		{nil, nil, 0, 0},
		{nil, []uint64{1}, 0, 1},
		{[]uint64{1}, []uint64{1}, 1, 1},
		{[]uint64{1, 2, 3}, []uint64{4, 5}, 0, 5},
		{[]uint64{1, 2, 3, 9}, []uint64{2, 3, 4}, 2, 5},
		{[]uint64{0, math.MaxUint64}, []uint64{math.MaxUint64}, 1, 2},
		{[]uint64{1, 1, 5}, []uint64{1, 1, 1, 6}, 2, 5}, // multisets
	} {
		for range 2 {
			if shared, union := Jaccard(c.a, c.b); shared != c.shared || union != c.union {
				t.Errorf("%v and %v: got %d/%d, want %d/%d", c.a, c.b, shared, union, c.shared, c.union)
			}
			c.a, c.b = c.b, c.a
		}
	}
}

func TestJaccardOfRandomSets(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 1))
	for range 500 {
		union := random.IntN(200)
		shared := random.IntN(union + 1)
		a, b := twoSets(random, union, shared)
		a = slices.Sorted(slices.Values(a))
		slices.Sort(b)
		if gotShared, gotUnion := Jaccard(a, b); gotShared != shared || gotUnion != union {
			t.Fatalf("got %d/%d, want %d/%d", gotShared, gotUnion, shared, union)
		}
	}
}

func TestAtLeast(t *testing.T) {
	for _, c := range []struct {
		num, den  uint32
		threshold int
		want      bool
	}{
		{4, 5, 8000, true},
		{3, 5, 8000, false},
		{7999, 10000, 8000, false},
		{1, 3, 3333, true},
		{1, 3, 3334, false},
		{1, 1, 10000, true},
		{0, 1, 0, true},
		{0, 1, 1, false},
		{0, 0, 0, false},
		{0, 0, 8000, false},
		{math.MaxUint32, math.MaxUint32, 10000, true},
		{math.MaxUint32 - 1, math.MaxUint32, 10000, false},
	} {
		if got := AtLeast(c.num, c.den, c.threshold); got != c.want {
			t.Errorf("%d/%d against %d: got %t", c.num, c.den, c.threshold, got)
		}
	}
}
