package measure

import (
	"slices"
	"sync/atomic"
	"time"
)

// Histogram counts durations by how long they were, or other values by their size.
type Histogram struct {
	Bounds []float64 // upper bounds of the buckets, inclusive, ascending; of durations in seconds
	Counts []uint64  // in each bucket alone; one more than Bounds, for what is above the last
	Sum    float64
	Count  uint64 // the sum of Counts
}

// Latency is how long batches took, by stage. A batch that was aborted counts too, and counts again when it is
// repeated.
type Latency struct {
	Sign    Histogram // decode and sign
	Judge   Histogram // append, and wait for the verdicts
	Forward Histogram // produce and commit
}

// latencyBounds returns the upper bounds: from a quiet source's small batch on a fast broker to half a minute, when
// a transaction is long given up.
func latencyBounds() [latencyBuckets]time.Duration {
	const ms = time.Millisecond
	return [...]time.Duration{
		1 * ms, 2500 * time.Microsecond, 5 * ms, 10 * ms, 25 * ms, 50 * ms, 100 * ms, 250 * ms, 500 * ms,
		1000 * ms, 2500 * ms, 5000 * ms, 10_000 * ms, 30_000 * ms,
	}
}

const latencyBuckets = 14

// histogram is a Histogram that goroutines may add to at the same time.
type histogram struct {
	counts [latencyBuckets + 1]atomic.Uint64
	sum    atomic.Int64 // ns
}

func (h *histogram) observe(d time.Duration) {
	bounds := latencyBounds()
	n, _ := slices.BinarySearch(bounds[:], d)
	h.counts[n].Add(1)
	h.sum.Add(int64(d))
}

// read agrees with itself, the sum aside: that may be ahead or behind by what is being observed.
func (h *histogram) read() Histogram {
	bounds := latencyBounds()
	out := Histogram{
		Bounds: make([]float64, len(bounds)), Counts: make([]uint64, len(h.counts)),
		Sum: time.Duration(h.sum.Load()).Seconds(),
	}
	for i, b := range bounds {
		out.Bounds[i] = b.Seconds()
	}
	for i := range h.counts {
		out.Counts[i] = h.counts[i].Load()
		out.Count += out.Counts[i]
	}
	return out
}
