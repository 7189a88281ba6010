package measure

import "sync/atomic"

// distribution counts integers by their size, over all sessions. A batch is counted apart, as a sample, and added as a
// whole when it is committed.
type distribution struct {
	counts [maxBounds + 1]atomic.Uint64
	sum    atomic.Int64
}

// sample is what one batch adds to a distribution.
type sample struct {
	counts [maxBounds + 1]uint64
	sum    int64
}

// scale gives the upper bounds of the buckets, inclusive and ascending, in a unit of which one has so many.
type scale struct {
	bounds []int64
	one    float64
}

// maxBounds is how many bounds a scale has at most.
const maxBounds = 20

// similarities are in ten-thousandths. Any threshold has buckets above it, and texts that are not quite the same are
// told from those that are.
func similarities() scale {
	return scale{one: 10_000, bounds: []int64{
		1000, 2000, 3000, 4000, 5000, 5500, 6000, 6500, 7000, 7500, 8000, 8500, 9000, 9500, 9800, 9999, 10_000,
	}}
}

// delays are in milliseconds: from a quiet source on a fast broker to a backlog of days.
func delays() scale {
	return scale{one: 1000, bounds: []int64{
		10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000, 300_000, 1_800_000, 7_200_000, 86_400_000,
	}}
}

// count adds a value to a sample.
func (s *scale) count(to *sample, value int64) {
	n := 0
	for n < len(s.bounds) && value > s.bounds[n] {
		n++
	}
	to.counts[n]++
	to.sum += value
}

func (d *distribution) add(s *sample) {
	for i, n := range s.counts {
		if n > 0 {
			d.counts[i].Add(n)
		}
	}
	d.sum.Add(s.sum)
}

// read returns the counts. Count is the sum of Counts; Sum may be ahead or behind by a batch that is being added.
func (d *distribution) read(s scale) Histogram {
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
