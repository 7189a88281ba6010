package measure

import (
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/unecho/unecho/sink"
)

func TestHistogram(t *testing.T) {
	var h Distribution
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for _, d := range []time.Duration{
				0, time.Millisecond, time.Millisecond + 1, 3 * time.Second, 30 * time.Second,
				30*time.Second + 1,
			} {
				h.Observe(latencies(), int64(d))
			}
		})
	}
	wg.Wait()
	got := h.Read(latencies())
	want := []uint64{8, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 4, 4}
	if !slices.Equal(got.Counts, want) || got.Count != 24 {
		t.Errorf("got %d in %v, want %v", got.Count, got.Counts, want)
	}
	if len(got.Bounds) != len(want)-1 || !slices.IsSorted(got.Bounds) || got.Bounds[0] != 0.001 || got.Bounds[13] != 30 {
		t.Errorf("bounds %v", got.Bounds)
	}
	if sum := 4 * (0.002 + 3 + 60); got.Sum < sum || got.Sum > sum+0.001 {
		t.Errorf("sum %v, want %v", got.Sum, sum)
	}
}

func TestScales(t *testing.T) {
	for name, s := range map[string]Scale{"similarities": similarities(), "delays": delays(), "latencies": latencies()} {
		if len(s.bounds) > maxEdges || !slices.IsSorted(s.bounds) {
			t.Errorf("%s: bounds %v, of which there may be %d", name, s.bounds, maxEdges)
		}
	}
	if len(sink.Reasons()) >= maxReasons {
		t.Error("there are more reasons than counters of them")
	}
}

func TestDistribution(t *testing.T) {
	var d Distribution
	s := similarities()
	for range 2 {
		var batch sample
		for _, v := range []int64{1, 1000, 1001, 8000, 9999, 10_000} {
			s.count(&batch, v)
		}
		d.add(&batch)
	}
	got := d.Read(s)
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
