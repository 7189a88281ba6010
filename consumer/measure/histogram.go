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

// Scale gives the upper bounds of the buckets, inclusive and ascending, in a unit of which one has so many.
type Scale struct {
	bounds []int64
	one    float64
}

// maxEdges is how many bounds a Scale has at most.
const maxEdges = 20

// Milliseconds is the Scale of durations in ns that has these bounds in ms.
func Milliseconds(bounds ...float64) Scale {
	s := Scale{one: float64(time.Second)}
	for _, ms := range bounds {
		s.bounds = append(s.bounds, int64(ms*float64(time.Millisecond)))
	}
	return s
}

// latencies are from a quiet source's small batch on a fast broker to half a minute, when a transaction is long given up.
func latencies() Scale {
	return Milliseconds(1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000)
}

// similarities are in ten-thousandths. Any threshold has buckets above it, and texts that are not quite the same are
// told from those that are.
func similarities() Scale {
	return Scale{one: 10_000, bounds: []int64{
		1000, 2000, 3000, 4000, 5000, 5500, 6000, 6500, 7000, 7500, 8000, 8500, 9000, 9500, 9800, 9999, 10_000,
	}}
}

// delays are in milliseconds: from a quiet source on a fast broker to a backlog of days.
func delays() Scale {
	return Scale{one: 1000, bounds: []int64{
		10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000, 300_000, 1_800_000, 7_200_000, 86_400_000,
	}}
}

func (s Scale) bucket(value int64) int {
	n, _ := slices.BinarySearch(s.bounds, value)
	return n
}

// sample is what one batch adds to a Distribution.
type sample struct {
	counts [maxEdges + 1]uint64
	sum    int64
}

func (s Scale) count(to *sample, value int64) {
	to.counts[s.bucket(value)]++
	to.sum += value
}

// Distribution counts integers by their size. Goroutines may add to it at the same time. Whoever adds and whoever reads
// gives the same Scale.
type Distribution struct {
	counts [maxEdges + 1]atomic.Uint64
	sum    atomic.Int64
}

// Observe adds a value.
func (d *Distribution) Observe(s Scale, value int64) {
	d.counts[s.bucket(value)].Add(1)
	d.sum.Add(value)
}

func (d *Distribution) add(s *sample) {
	for i, n := range s.counts {
		if n > 0 {
			d.counts[i].Add(n)
		}
	}
	d.sum.Add(s.sum)
}

// Read returns the counts. Count is the sum of Counts; Sum may be ahead or behind by what is being added.
func (d *Distribution) Read(s Scale) Histogram {
	out := Histogram{Sum: float64(d.sum.Load()) / s.one}
	for i, bound := range s.bounds {
		out.Bounds = append(out.Bounds, float64(bound)/s.one)
		out.Counts = append(out.Counts, d.counts[i].Load())
	}
	out.Counts = append(out.Counts, d.counts[len(s.bounds)].Load())
	for _, n := range out.Counts {
		out.Count += n
	}
	return out
}
