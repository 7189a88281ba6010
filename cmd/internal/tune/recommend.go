package tune

import (
	"cmp"
	"fmt"
)

// Criteria of a recommendation.
const (
	ByPrecision = "precision"
	ByRecall    = "recall"
	ByF1        = "f1"
	ByMemory    = "memory"
	BySpeed     = "speed"
)

// Bys are the words to choose from.
func Bys() []string { return []string{ByF1, ByRecall, ByPrecision, ByMemory, BySpeed} }

// enough is the recall that a setting needs to be recommended for its memory or its speed. It is the recall that the
// service plans for.
const enough = 0.98

// recommend chooses among the settings tried at one threshold and one stage. Thresholds are the user's choice, and
// pairs that are true under one are not under another. Of equally good settings it takes the one with the least memory,
// then the one that costs least, then the first. It leaves out a setting without any true pair to find,
// because that could not miss any. If there is nothing to choose from, it says why.
func recommend(rows []Row, by, stage string, threshold float64) (best *Row, why string) {
	why = "no setting was tried to its end"
	for i := range rows {
		r := &rows[i]
		if r.Stage != stage || r.Threshold != threshold {
			continue
		}
		if r.True() == 0 {
			why = fmt.Sprintf("no two documents of the sample reach %v, so nothing could be missed: "+
				"take more documents, a lower --threshold, or other --shingle", threshold)
			continue
		}
		if best == nil || better(r, best, by) {
			best = r
		}
	}
	if best != nil {
		why = ""
	}
	return best, why
}

func better(r, s *Row, by string) bool {
	byNumber := func(x, y float64) int { return cmp.Compare(y, x) } // the greater one first
	recall := byNumber(min(r.Recall, enough), min(s.Recall, enough))
	memory := byNumber(-r.BytesPerDocument, -s.BytesPerDocument)
	cost := byNumber(-r.CostNanoseconds, -s.CostNanoseconds)
	f1 := byNumber(r.F1, s.F1)
	order := map[string][]int{
		ByPrecision: {byNumber(r.Precision, s.Precision), f1},
		ByRecall:    {byNumber(r.Recall, s.Recall), f1},
		ByF1:        {f1},
		ByMemory:    {recall, memory, f1},
		BySpeed:     {recall, byNumber(-r.Seconds, -s.Seconds), f1},
	}[by]
	return cmp.Or(append(order, memory, cost)...) < 0
}
