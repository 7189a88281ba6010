package eval

// Score counts how pairs found compare with true pairs.
type Score struct {
	TruePositives  int `json:"tp"`
	FalsePositives int `json:"fp"`
	FalseNegatives int `json:"fn"`
}

// True returns how many pairs are true.
func (s Score) True() int { return s.TruePositives + s.FalseNegatives }

// Precision returns the share of the pairs found that are true; 1 if none was found.
func (s Score) Precision() float64 { return share(s.TruePositives, s.FalsePositives) }

// Recall returns the share of the true pairs that were found; 1 if none is true.
func (s Score) Recall() float64 { return share(s.TruePositives, s.FalseNegatives) }

// F1 returns the harmonic mean of precision and recall; 1 if no pair is true and none was found.
func (s Score) F1() float64 {
	return share(2*s.TruePositives, s.FalsePositives+s.FalseNegatives)
}

func share(hits, misses int) float64 {
	if hits+misses == 0 {
		return 1
	}
	return float64(hits) / float64(hits+misses)
}
