package sketch

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestTally(t *testing.T) {
	random := rand.New(rand.NewPCG(51, 1))
	var tally tally
	for trial := range 500 {
		n := random.IntN(400)
		mask := []uint64{3, 0xff, 0xffff_ffff, 0xffff_ffff << 32, ^uint64(0)}[trial%5]
		seen := map[uint64]uint32{}
		tally.begin(n)
		for range n {
			hash := random.Uint64() & mask
			if got := tally.count(hash); got != seen[hash] {
				t.Fatalf("trial %d: %x occurred %d times, not %d", trial, hash, seen[hash], got)
			}
			seen[hash]++
		}
	}
}

// The table has to grow, and is reused.
func TestTallyGrows(t *testing.T) {
	random := rand.New(rand.NewPCG(51, 2))
	var tally tally
	for _, n := range []int{firstRoom, firstRoom + 1, 10 * firstRoom, 3, 5 * firstRoom} {
		hashes := randomSet(random, n)
		twice := slices.Concat(hashes, hashes)
		for range 2 {
			if got := tally.appendDistinct(nil, twice); !slices.Equal(got, hashes) {
				t.Fatalf("%d of %d hashes are distinct", len(got), n)
			}
		}
		distinct := make([]uint64, 0, n)
		if allocs := testing.AllocsPerRun(5, func() { tally.appendDistinct(distinct, twice) }); allocs != 0 {
			t.Errorf("%d hashes: %v allocations", n, allocs)
		}
	}
}

// A document of millions of equal shingles takes memory for their list, and no more.
func TestOneHashOfMillions(t *testing.T)     { tryOneHash(t, 200_000) }
func TestOneHashOfMillionsLong(t *testing.T) { tryOneHash(t, 4_000_000) }

func tryOneHash(t *testing.T, times int) {
	shingles := slices.Repeat([]uint64{42}, times)
	for name, s := range kinds(t) {
		list := 0
		if strings.HasSuffix(name, "weighted=true") { // for the elements, or the hashes of the second word; twice with -race
			list = len(shingles)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		s.Sign(shingles)
		runtime.ReadMemStats(&after)
		if got, most := after.TotalAlloc-before.TotalAlloc, uint64(1<<20+24*list); got > most {
			t.Errorf("%s: %d bytes allocated", name, got)
		}
	}
}

func TestDistinctAndOccurrences(t *testing.T) {
	var tally tally
	list := []uint64{7, 0, 7, 9, 0, 7}
	if got := tally.appendDistinct([]uint64{1}, list); !slices.Equal(got, []uint64{1, 7, 0, 9}) {
		t.Errorf("distinct: %v", got)
	}
	got := tally.appendOccurrences([]uint64{1}, list)
	if len(got) != 7 || !slices.Equal(got[:3], []uint64{1, 7, 0}) {
		t.Errorf("occurrences: %x", got)
	}
	slices.Sort(got)
	if len(slices.Compact(got)) != 7 {
		t.Errorf("two occurrences are one element: %x", got)
	}
}

// The similarity of weighted sketches is that of the multisets, which Jaccard counts over sorted lists with
// repetitions.
func TestWeightedMinHash(t *testing.T) {
	const trials = 400
	random := rand.New(rand.NewPCG(52, 1))
	s, err := NewMinHashSketch(MinHashParams{Slots: 128, Banding: Banding{18, 7}, Weighted: true})
	if err != nil {
		t.Fatal(err)
	}
	var mean, want float64
	for range trials {
		var a, b []uint64
		for _, shingle := range randomSet(random, 60) {
			a = append(a, slices.Repeat([]uint64{shingle}, 1+random.IntN(4))...)
			b = append(b, slices.Repeat([]uint64{shingle}, 1+random.IntN(4))...)
		}
		num, den := s.Similarity(codesOf(s, a), codesOf(s, b))
		mean += float64(num) / float64(den) / trials
		slices.Sort(a)
		slices.Sort(b)
		shared, union := Jaccard(a, b)
		want += float64(shared) / float64(union) / trials
	}
	if want > 0.7 || mean < want-0.008 || mean > want+0.008 {
		t.Errorf("the mean estimate is %.4f, of %.4f", mean, want)
	}
}
