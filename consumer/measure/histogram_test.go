package measure

import (
	"slices"
	"sync"
	"testing"
	"time"
)

func TestHistogram(t *testing.T) {
	var h histogram
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for _, d := range []time.Duration{
				0, time.Millisecond, time.Millisecond + 1, 3 * time.Second, 30 * time.Second,
				30*time.Second + 1,
			} {
				h.observe(d)
			}
		})
	}
	wg.Wait()
	got := h.read()
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
