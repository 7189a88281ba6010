package index

import (
	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/sketch"
)

// doubtErrors is how many standard errors an estimate is taken to be off by at most. Of pairs exactly at a similarity
// one in fifty is estimated higher than that.
const doubtErrors = 2

// Doubt is how far above the threshold an estimate may be of a pair that is below it. It is 0 where nothing is
// estimated. The settings must be planned.
func (p DuplicatesParams) Doubt() float64 {
	if p.Verify != verifyEstimate || p.byDistance() {
		return 0
	}
	return doubtErrors * sketch.StandardError(p.Threshold, p.Slots)
}

// Doubtful says whether a match is only estimated, and so near to the threshold that it may be below.
func (p DuplicatesParams) Doubtful(m compare.Method, s compare.Similarity) bool {
	return m == compare.Estimate && float64(s.Num) < (p.Threshold+p.Doubt())*float64(s.Den)
}
