package sketch_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/unecho/unecho/index/sketch"
)

// TestEachPair compares the tiles with a double loop, at the ends of tiles, up to the largest distance.
func TestEachPair(t *testing.T) {
	distances := map[int]int{400: 0, 1024: 1, 1025: 4, 3000: 4} // hashes -> quarters of the largest distance
	for _, bits := range []int{32, 64, 128} {
		for _, n := range []int{0, 1, 400, 1024, 1025, 3000} {
			distance := distances[n] * sketch.MostDistance(bits) / 4
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
			if n > 1024 && len(want) < n/4 || n > 1 && len(want) < n/8 || !slices.Equal(got, want) || steps != e.Steps() {
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

// BenchmarkPairs is the time per pair of hashes.
func BenchmarkPairs(b *testing.B) {
	const n = 20_000
	for _, distance := range []int{4, 8, 16} {
		e, err := sketch.NewEachPair(64, distance)
		if err != nil {
			b.Fatal(err)
		}
		for _, c := range nearHashes(64, 3, n) {
			e.Add(c)
		}
		b.Run(fmt.Sprint(distance), func(b *testing.B) {
			for b.Loop() {
				for i := range e.Count() {
					e.Pairs(i, func(_, _, _ int) {}, func() bool { return true })
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(n*(n-1)/2), "ns/pair")
		})
	}
}

// nearHashes returns hashes of which many are about the distance from another one.
func nearHashes(bits, distance, n int) [][]byte {
	random := rand.New(rand.NewPCG(uint64(bits), uint64(distance)))
	var all [][]byte
	for i := range n {
		code := make([]byte, bits/8)
		for k := range code {
			code[k] = byte(random.Uint32())
		}
		if i > 0 && i%2 == 0 {
			copy(code, all[random.IntN(i)])
			for range random.IntN(distance + 3) {
				flip := random.IntN(bits)
				code[flip/8] ^= 1 << (flip % 8)
			}
		}
		all = append(all, code)
	}
	return all
}
