package eval

import "math"

// A Spread summarises numbers as they come: how many, their mean and their standard deviation (Welford 1962).
type Spread struct {
	N       int
	mean    float64
	squares float64
}

// Add adds a number.
func (s *Spread) Add(x float64) {
	s.N++
	delta := x - s.mean
	s.mean += delta / float64(s.N)
	s.squares += delta * (x - s.mean)
}

// Mean returns the mean, or 0 if there are no numbers.
func (s *Spread) Mean() float64 { return s.mean }

// Deviation returns the standard deviation of the numbers themselves, not of a population they are drawn from.
func (s *Spread) Deviation() float64 {
	if s.N == 0 {
		return 0
	}
	return math.Sqrt(s.squares / float64(s.N))
}
