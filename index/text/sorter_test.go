package text_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/unecho/unecho/index/text"
)

// A Sorter makes the same sets as sorting does, of hashes that are spread, that cluster, and that are all equal, and
// keeps nothing from one document to the next.
func TestSorter(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 1))
	var s text.Sorter
	for _, n := range []int{0, 1, 2, 3, 20, 63, 64, 65, 340, 341, 2000, 1 << 15, 1<<15 + 1, 20, 0} {
		for name, next := range map[string]func() uint64{
			"spread":    r.Uint64,
			"repeated":  func() uint64 { return r.Uint64N(uint64(n/2+1)) * 0x9e3779b97f4a7c15 },
			"small":     func() uint64 { return r.Uint64N(1 << 40) },
			"great":     func() uint64 { return ^r.Uint64N(1000) },
			"clustered": func() uint64 { return r.Uint64N(3)<<62 + r.Uint64N(1<<30) },
			"one":       func() uint64 { return 7 },
			"greatest":  func() uint64 { return 1<<64 - 1 },
		} {
			hashes := make([]uint64, n)
			for i := range hashes {
				hashes[i] = next()
			}
			want := slices.Clone(hashes)
			slices.Sort(want)
			want = slices.Compact(want)
			if got := s.Set(hashes); !slices.Equal(got, want) {
				t.Fatalf("%d %s hashes: %d in the set, want %d", n, name, len(got), len(want))
			}
		}
	}
}

func TestSorterAllocatesNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(22, 1))
	var s text.Sorter
	hashes := make([]uint64, 2000)
	if allocs := testing.AllocsPerRun(20, func() {
		for i := range hashes {
			hashes[i] = r.Uint64()
		}
		s.Set(hashes)
	}); allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}

func BenchmarkSorter(b *testing.B) {
	var s text.Sorter
	for _, n := range []int{340, 2000} {
		b.Run(fmt.Sprintf("hashes=%d", n), func(b *testing.B) { benchmarkSet(b, s.Set, n) })
		b.Run(fmt.Sprintf("hashes=%d/without", n), func(b *testing.B) { benchmarkSet(b, text.Set, n) })
	}
}

func benchmarkSet(b *testing.B, set func([]uint64) []uint64, n int) {
	r := rand.New(rand.NewPCG(23, 1))
	documents := make([][]uint64, 500_000/n) // so many that no branch predictor learns them
	for i := range documents {
		for range n {
			documents[i] = append(documents[i], r.Uint64())
		}
	}
	hashes := make([]uint64, n)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		copy(hashes, documents[i%len(documents)])
		set(hashes)
	}
}
