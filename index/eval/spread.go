package eval

import "math"

// A Spread sums up numbers as they come: how many, their mean and their standard deviation (Welford 1962).
type Spread struct {
	N       int
	mean    float64
	squares float64
}

// Add takes a number in.
func (s *Spread) Add(x float64) {
	s.N++
	delta := x - s.mean
	s.mean += delta / float64(s.N)
	s.squares += delta * (x - s.mean)
}

// Mean is 0 when there are no numbers.
func (s *Spread) Mean() float64 { return s.mean }

// Deviation is the standard deviation of the numbers themselves, not of a population they are drawn from.
func (s *Spread) Deviation() float64 {
	if s.N == 0 {
		return 0
	}
	return math.Sqrt(s.squares / float64(s.N))
}
