package sketch_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/unecho/unecho/index/sketch"
	"github.com/unecho/unecho/index/text"
)

// runsOf returns the runs of a text in order, each as often as it occurs.
func runsOf(t *testing.T, size int, letters []byte) []uint64 {
	t.Helper()
	s, err := text.ParseShingling(fmt.Sprintf("char:%d", size))
	if err != nil {
		t.Fatal(err)
	}
	hashes := s.AppendHashes(nil, letters)
	slices.Sort(hashes)
	return hashes
}

func jaccard(a, b []uint64) float64 {
	shared, union := sketch.Jaccard(a, b)
	return float64(shared) / float64(union)
}

// Randomly placed edits leave what the curve says, and spread out edits what the bound says.
func TestRunsThatEditsLeave(t *testing.T) {
	const length = 20_000
	random := rand.New(rand.NewPCG(37, 1))
	original := make([]byte, length)
	for i := range original {
		original[i] = byte('a' + random.IntN(26))
	}
	other := func(c byte) byte { return 'A' + (c-'a'+byte(random.IntN(25))+1)%26 }
	for _, s := range []float64{0.7, 0.8, 0.9, 0.95} {
		for size := 1; size <= 8; size++ {
			chance, spread := slices.Clone(original), slices.Clone(original)
			for i := range original {
				if random.Float64() >= s {
					chance[i] = other(chance[i])
				}
				if int(float64(i)*(1-s)) != int(float64(i+1)*(1-s)) {
					spread[i] = other(spread[i])
				}
			}
			of := runsOf(t, size, original)
			if got, want := jaccard(of, runsOf(t, size, chance)), sketch.RunSimilarity(s, size); math.Abs(got-want) > 0.02 {
				t.Errorf("%v, runs of %d: edits by chance leave %.4f, the curve says %.4f", s, size, got, want)
			}
			if got, want := jaccard(of, runsOf(t, size, spread)), sketch.LeastRunSimilarity(s, size); math.Abs(got-want) > 0.01 {
				t.Errorf("%v, runs of %d: edits spread out leave %.4f, the bound says %.4f", s, size, got, want)
			}
		}
	}
}

// No edits leave less than the bound, in texts that are much longer than a run.
func TestNoEditsLeaveLess(t *testing.T) {
	seed := uint64(20261122)
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 2))
	var l sketch.Levenshtein
	for range 2000 {
		a := make([]byte, 400+random.IntN(400))
		for i := range a {
			a[i] = byte('a' + random.IntN(1+random.IntN(26)))
		}
		b := slices.Clone(a)
		for range random.IntN(len(a) / 4) {
			at, n := random.IntN(len(b)), random.IntN(4)
			switch random.IntN(3) {
			case 0:
				b[at] = byte('a' + random.IntN(26))
			case 1:
				b = slices.Delete(b, at, min(len(b), at+n))
			default:
				b = slices.Insert(b, at, a[:n]...)
			}
		}
		num, den := l.Similarity(a, b, 0)
		size := 1 + random.IntN(5)
		missing := float64(size) / float64(min(len(a), len(b))) // the ends, which a bound for long texts ignores
		got := jaccard(runsOf(t, size, a), runsOf(t, size, b))
		if least := sketch.LeastRunSimilarity(float64(num)/float64(den)-missing, size); got < least {
			t.Fatalf("runs of %d of %q and %q, of similarity %d/%d: %v, less than %v", size, a, b, num, den, got, least)
		}
	}
}
