package tune

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Criteria of a recommendation.
const (
	ByCost      = "cost"
	ByPrecision = "precision"
	ByRecall    = "recall"
	ByF1        = "f1"
	ByMemory    = "memory"
	BySpeed     = "speed"
)

// Bys are the words to choose from.
func Bys() []string { return []string{ByCost, ByF1, ByRecall, ByPrecision, ByMemory, BySpeed} }

// nearF1 is how much less F1 than the best one is as good, where a service only estimates: then a cheap sketch is one
// that errs. So it is where pairs are labelled, which no similarity tells apart completely.
const nearF1 = 0.01

// criterion says which of two settings is better. Both are held against the same truth.
type criterion struct {
	by        string
	estimates bool    // only sketches are compared
	recall    float64 // share of the pairs at the threshold that is to be found
	precision float64 // share of what leaves that is to be a true copy: it is lost otherwise
	known     bool    // the truth is pairs that are labelled, the same for all shingles and thresholds
	bestF1    float64 // of the settings that keep recall and precision
	least     float64 // cost of those of which one is recommended

	shingle   string // as configured, as are
	ignores   bool
	threshold float64
}

// over returns the criterion for these rows.
func (c criterion) over(rows []*Row) criterion {
	c.bestF1 = 0
	for _, r := range rows {
		if c.keeps(r) && c.precise(r) {
			c.bestF1 = max(c.bestF1, r.Near.F1)
		}
	}
	c.least = math.Inf(1)
	kind := func(r *Row) int { return 4*c.class(r) + c.unlike(r) }
	first := math.MaxInt // the kind of settings of which one is recommended
	for _, r := range rows {
		if k := kind(r); k < first {
			first, c.least = k, r.CostNanoseconds
		} else if k == first {
			c.least = min(c.least, r.CostNanoseconds)
		}
	}
	return c
}

// unlike says in what a setting differs from the configured one: 2 is the shingle or the list, 1 the threshold. By labels, what is
// configured is changed only for something better.
func (c criterion) unlike(r *Row) int {
	unlike := 0
	if c.known && (r.Shingle != c.shingle || r.Ignores != c.ignores) {
		unlike = 2
	}
	if c.known && r.Threshold != c.threshold {
		unlike++
	}
	return unlike
}

// cheap says that a setting costs nearly the least. Costs are those of a full window, by the few unlike documents that
// meet in the sample: they are not exact to a tenth.
func (c criterion) cheap(r *Row) bool { return r.CostNanoseconds <= 1.1*c.least }

// errs says that what leaves may be no copy. Then of the settings that are precise those with nearly the best F1 are those
// that the sample bears out.
func (c criterion) errs() bool { return c.known || c.estimates }

// precise says whether a setting loses few documents.
func (c criterion) precise(r *Row) bool { return r.Precision >= c.precision }

// keeps says whether a setting finds the pairs at its threshold that it should. Bands say so by their own curve,
// whatever was found in the sample, most of whose pairs may be far above the threshold. A sketch by distance has no
// curve: it is held to what it found.
func (c criterion) keeps(r *Row) bool {
	if r.ByDistance() {
		return r.Near.True() > 0 && r.Near.Recall >= c.recall
	}
	return r.Curve >= c.recall
}

// confirmed says whether the sample bears a setting out.
func (c criterion) confirmed(r *Row) bool {
	if c.errs() {
		return r.Near.F1 >= c.bestF1-nearF1
	}
	return r.Near.Recall >= c.recall
}

// class sorts settings roughly: the lower the better.
func (c criterion) class(r *Row) int {
	switch {
	case !c.keeps(r):
		return 3
	case !c.precise(r):
		return 2
	case !c.confirmed(r):
		return 1
	}
	return 0
}

// compare returns a negative number if r is better. Equal settings are left in the order in which they were tried.
func (c criterion) compare(r, s *Row) int {
	high := func(x, y float64) int { return cmp.Compare(y, x) } // the greater one first
	cost := cmp.Compare(r.CostNanoseconds, s.CostNanoseconds)
	memory := cmp.Compare(r.BytesPerDocument, s.BytesPerDocument)
	f1 := high(r.Near.F1, s.Near.F1)
	class := cmp.Compare(c.class(r), c.class(s))
	if class == 0 && !c.keeps(r) {
		return cmp.Or(high(r.Curve, s.Curve), high(r.Near.Recall, s.Near.Recall))
	}
	if class == 0 && !c.precise(r) {
		return cmp.Or(high(r.Precision, s.Precision), f1)
	}
	if class == 0 && c.errs() && !c.confirmed(r) {
		return cmp.Or(f1, cost, memory)
	}
	order := map[string][]int{
		ByCost:      c.costs(r, s),
		ByPrecision: {high(r.Near.Precision, s.Near.Precision), f1},
		ByRecall:    {high(r.Near.Recall, s.Near.Recall), f1},
		ByF1:        {f1},
		ByMemory:    {memory},
		BySpeed:     {cmp.Compare(r.Seconds, s.Seconds)},
	}[c.by]
	unlike := 0
	if c.by == ByCost {
		unlike = c.unlike(r) - c.unlike(s)
	}
	return cmp.Or(append([]int{class, unlike}, append(order, cost, memory, f1)...)...)
}

const nothingTried = "no setting was tried to its end"

// costs orders by cost; among those that cost nearly the least, memory decides.
func (c criterion) costs(r, s *Row) []int {
	if c.cheap(r) && c.cheap(s) {
		return []int{cmp.Compare(r.BytesPerDocument, s.BytesPerDocument)}
	}
	return []int{cmp.Compare(r.CostNanoseconds, s.CostNanoseconds)}
}

// recommend sorts the rows of one truth and threshold, the best first, and returns the best one if it can be
// recommended, or why not. Only a setting that keeps recall can be. Where no pair is true nothing could be missed, and
// the sample says nothing.
func (c criterion) recommend(rows []*Row) (best *Row, why string) {
	if len(rows) == 0 {
		return nil, nothingTried
	}
	c = c.rank(rows)
	switch best = rows[0]; {
	case best.True() == 0:
		return nil, fmt.Sprintf("no two documents of the sample reach %v, so nothing could be missed: "+
			"take more documents, a lower --threshold, or other --shingle", best.Threshold)
	case !c.keeps(best):
		return nil, notKept(best, c.recall)
	case !c.precise(best):
		return nil, notPrecise(best, c.precision)
	case best.TruePositives == 0:
		return nil, fmt.Sprintf("no setting that was tried finds a copy with a precision of %s: take a lower --threshold or "+
			"shorter --shingle, or lower --min-precision", percent(c.precision))
	}
	return best, ""
}

// rank sorts rows of one truth, the best first.
func (c criterion) rank(rows []*Row) criterion {
	c = c.over(rows)
	slices.SortStableFunc(rows, c.compare)
	return c
}

// notPrecise says that even the most precise setting loses too many documents.
func notPrecise(nearest *Row, precision float64) string {
	return fmt.Sprintf("of what leaves by any setting that was tried, less than %s are copies: the most precise, %s, has a "+
		"precision of %s and a recall of %s; take a higher --threshold or longer --shingle, compare more of the documents, or "+
		"lower --min-precision", percent(precision), nearest.Setting, percent(nearest.Precision), percent(nearest.Recall))
}

// notKept says that not even the nearest setting keeps recall.
func notKept(nearest *Row, recall float64) string {
	if nearest.ByDistance() {
		if nearest.Near.True() == 0 {
			return fmt.Sprintf("%s has no curve of its own, and the sample has no near pair to measure it by: take more "+
				"documents, or --method minhash", nearest.Short())
		}
		return fmt.Sprintf("no setting that was tried finds %s of the pairs at %v: the nearest, %s, found %s of the near "+
			"pairs; raise --distance, take --method minhash, or lower --recall", percent(recall), nearest.Threshold,
			nearest.Short(), percent(nearest.Near.Recall))
	}
	return fmt.Sprintf("no setting that was tried finds %s of the pairs at %v by the curve of its bands: the nearest, %s, "+
		"finds %s; take --bands 0, which plans them, more --slots, or a lower --recall", percent(recall), nearest.Threshold, nearest.Short(),
		percent(nearest.Curve))
}
