package eval

// Score counts how pairs found compare with true pairs.
type Score struct {
	TruePositives  int `json:"tp"`
	FalsePositives int `json:"fp"`
	FalseNegatives int `json:"fn"`
}

// Compare compares found pairs with true ones. Both must be sorted as Join.Pairs sorts, with each pair once; only A and
// B count.
func Compare(found, truth []Pair) Score {
	var s Score
	Differ(found, truth, func(_ Pair, met, is bool) {
		switch {
		case met && is:
			s.TruePositives++
		case met:
			s.FalsePositives++
		default:
			s.FalseNegatives++
		}
	})
	return s
}

// Differ calls visit for each pair that was found or is true, in order. Both lists are as Compare wants them.
func Differ(found, truth []Pair, visit func(p Pair, found, is bool)) {
	for len(found) > 0 || len(truth) > 0 {
		switch {
		case len(truth) == 0 || len(found) > 0 && found[0].compare(truth[0]) < 0:
			visit(found[0], true, false)
			found = found[1:]
		case len(found) == 0 || found[0].compare(truth[0]) > 0:
			visit(truth[0], false, true)
			truth = truth[1:]
		default:
			visit(found[0], true, true)
			found, truth = found[1:], truth[1:]
		}
	}
}

// Without returns what is left if some of the pairs are not counted.
func (s Score) Without(some Score) Score {
	return Score{
		s.TruePositives - some.TruePositives, s.FalsePositives - some.FalsePositives,
		s.FalseNegatives - some.FalseNegatives,
	}
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
