package sketch_test

import (
	"cmp"
	"slices"
	"testing"

	"github.com/unecho/unecho/index/sketch"
)

// TestEachPair compares the tiles with a double loop, at the ends of tiles, up to the largest distance.
func TestEachPair(t *testing.T) {
	for _, bits := range []int{32, 64, 128} {
		for _, n := range []int{0, 1, 1024, 1025, 3000} {
			distance := sketch.MostDistance(bits)
			e, err := sketch.NewEachPair(bits, distance)
			if err != nil {
				t.Fatal(err)
			}
			codes := nearHashes(bits, distance, n)
			for _, c := range codes {
				e.Add(c)
			}
			var got, want [][3]int
			steps := int64(0)
			for part := range e.Count() {
				e.Pairs(part, func(a, b, d int) { got = append(got, [3]int{a, b, d}) }, func() bool { steps++; return true })
			}
			for b := range codes {
				for a := range b {
					if d := sketch.Hamming(codes[a], codes[b]); d <= distance {
						want = append(want, [3]int{a, b, d})
					}
				}
			}
			order := func(x, y [3]int) int { return slices.Compare(x[:], y[:]) }
			slices.SortFunc(got, order)
			slices.SortFunc(want, order)
			if n > 1024 && len(want) < n/4 || !slices.Equal(got, want) || steps != e.Steps() {
				t.Errorf("%d hashes of %d bits: %d pairs, %d are true; %d steps of %d", n, bits, len(got), len(want), steps, e.Steps())
			}
			if pairs := e.Comparisons(); pairs != float64(n)*float64(n-1)/2 {
				t.Errorf("%d hashes: %g comparisons", n, pairs)
			}
		}
	}
}

// TestEachPairIsSharedEvenly: no part has more than the work of two tiles more than another.
func TestEachPairIsSharedEvenly(t *testing.T) {
	e, err := sketch.NewEachPair(64, 16)
	if err != nil {
		t.Fatal(err)
	}
	for range 8 * 1024 {
		e.Add(make([]byte, 8))
	}
	var work []int
	for part := range e.Count() {
		n := 0
		e.Pairs(part, func(_, _, _ int) {}, func() bool { n++; return true })
		work = append(work, n)
	}
	if least, most := slices.MinFunc(work, cmp.Compare[int]), slices.Max(work); len(work) != 4 || least != most {
		t.Errorf("the steps of each part are %v; want 4 parts, each of the same steps", work)
	}
	pairs, steps := 0, 0
	e.Pairs(0, func(_, _, _ int) { pairs++ }, func() bool { steps++; return steps < 3 })
	if steps != 3 || pairs != 0+1+2 {
		t.Errorf("stopped after %d steps, %d pairs", steps, pairs)
	}
}

func TestEachPairRefuses(t *testing.T) {
	for _, test := range []struct {
		bits, distance int
		want           string
	}{
		{48, 3, "a simhash of 48 bits is impossible; possible are 32, 64 and 128"},
		{64, -1, "a distance of -1 bits is impossible; with 64 bits possible is 0 to 16"},
		{128, 33, "a distance of 33 bits is impossible; with 128 bits possible is 0 to 32"},
	} {
		if _, err := sketch.NewEachPair(test.bits, test.distance); err == nil || err.Error() != test.want {
			t.Errorf("%d bits, distance %d: %v", test.bits, test.distance, err)
		}
	}
}

// BenchmarkPairs compares both ways to find all pairs, per pair of hashes.
func BenchmarkPairs(b *testing.B) {
	const n = 20_000
	for _, distance := range []int{8, 10, 12, 13, 14} {
		codes := nearHashes(64, 3, n)
		r, err := sketch.NewRotations(64, distance)
		if err != nil {
			b.Fatal(err)
		}
		e, err := sketch.NewEachPair(64, distance)
		if err != nil {
			b.Fatal(err)
		}
		for _, c := range codes {
			r.Add(c)
			e.Add(c)
		}
		for name, pairs := range map[string]interface {
			Count() int
			Pairs(int, func(a, b, distance int), func() bool)
		}{"rotations": r, "each": e} {
			b.Run(name+"/"+string(rune('a'+distance)), func(b *testing.B) {
				for b.Loop() {
					for i := range pairs.Count() {
						pairs.Pairs(i, func(_, _, _ int) {}, func() bool { return true })
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(n*(n-1)/2), "ns/pair")
			})
		}
	}
}
