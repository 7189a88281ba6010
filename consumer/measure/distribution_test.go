package measure

import (
	"math"
	"slices"
	"testing"

	"github.com/unecho/unecho/sink"
)

func TestScales(t *testing.T) {
	for name, s := range map[string]scale{"similarities": similarities(), "delays": delays()} {
		if len(s.bounds) > maxBounds || !slices.IsSorted(s.bounds) {
			t.Errorf("%s: bounds %v, of which there may be %d", name, s.bounds, maxBounds)
		}
	}
	if len(sink.Reasons()) >= maxReasons {
		t.Error("there are more reasons than counters of them")
	}
}

func TestDistribution(t *testing.T) {
	var d distribution
	s := similarities()
	for range 2 {
		var batch sample
		for _, v := range []int64{1, 1000, 1001, 8000, 9999, 10_000} {
			s.count(&batch, v)
		}
		d.add(&batch)
	}
	got := d.read(s)
	want := []uint64{4, 2, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 2, 0}
	if !slices.Equal(got.Counts, want) || got.Count != 12 {
		t.Errorf("%d in %v, want %v", got.Count, got.Counts, want)
	}
	if math.Abs(got.Sum-2*3.0001) > 1e-9 || got.Bounds[10] != 0.8 || got.Bounds[16] != 1 {
		t.Errorf("sum %v, bounds %v", got.Sum, got.Bounds)
	}
	var beyond sample
	s.count(&beyond, 10_001)
	if beyond.counts[len(s.bounds)] != 1 {
		t.Errorf("above the last bound: %v", beyond.counts)
	}
}
