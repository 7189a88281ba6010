package tune

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/index/sketch"
)

// preferred returns the sources in the order in which one is recommended: those of the configured list and shingle, the others as
// they were named.
func (t *Tuner) preferred() []source {
	all := t.Grid.sources()
	slices.SortStableFunc(all, func(a, b source) int {
		configured := func(s source) int {
			switch {
			case s == t.Grid.Listed:
				return 0
			case s.shingle == t.Judge.Duplicates.Shingle:
				return 1
			}
			return 2
		}
		return configured(a) - configured(b)
	})
	return all
}

func (r *Report) criterion() criterion {
	return criterion{
		by: r.By, estimates: r.estimates(), recall: r.Recall, precision: r.Precision, known: r.Labelled > 0,
		shingle: r.shingle, ignores: r.ignores, threshold: r.threshold,
	}
}

// choose sorts what was tried, and recommends a setting.
func (r *Report) choose(preferred []source) {
	of := func(s source) int { return slices.Index(preferred, s) }
	slices.SortStableFunc(r.Sources, func(a, b Source) int { return of(a.source()) - of(b.source()) })
	slices.SortStableFunc(r.Rows, func(a, b Row) int { return of(a.source()) - of(b.source()) })
	for i := range r.Sources {
		s := &r.Sources[i]
		if best, why := r.criterion().recommend(r.rowsOf(s)); best != nil {
			row := *best
			s.Best = &row
		} else {
			s.Why = why
		}
	}
	if r.Labelled > 0 {
		r.chooseByLabels()
	} else {
		r.chooseWithin()
	}
	r.sort(of)
}

// chooseByLabels weighs all settings: whatever their shingles and thresholds, the same pairs are true.
func (r *Report) chooseByLabels() {
	rows := r.weighed()
	best, why := r.criterion().recommend(rows)
	if r.NotRecommended = why; best != nil {
		row := *best
		r.Recommended, r.Reason = &row, r.criterion().reason(best, rows)
	}
}

// chooseWithin weighs the settings of one source, the first that has one to recommend. Each source has a truth of its
// own: by another shingle other documents are alike. So nothing says what a list is worth, and one that was tried stays.
func (r *Report) chooseWithin() {
	var first *Source
	for i := range r.Sources {
		s := &r.Sources[i]
		if r.Sources[0].Ignores && !s.Ignores {
			continue
		}
		if s.Best != nil {
			first = s
			break
		}
		r.NotRecommended = cmp.Or(r.NotRecommended, s.Why)
	}
	if first == nil {
		r.NotRecommended = cmp.Or(r.NotRecommended, nothingTried)
		return
	}
	row := *first.Best
	r.Recommended, r.Reason, r.NotRecommended = &row, r.criterion().reason(first.Best, r.rowsOf(first)), ""
	for i := range r.Sources {
		r.Sources[i].Common, _ = sketch.Jaccard(first.at, r.Sources[i].at)
	}
}

// weighed returns the rows at the threshold of the recommendation. It is made for any threshold where pairs
// are labelled and none is named.
func (r *Report) weighed() []*Row {
	var rows []*Row
	for i := range r.Rows {
		if row := &r.Rows[i]; row.Threshold == r.At || r.At == 0 {
			rows = append(rows, row)
		}
	}
	return rows
}

func (r *Report) rowsOf(s *Source) []*Row {
	return slices.DeleteFunc(r.weighed(), func(row *Row) bool { return row.source() != s.source() })
}

// sort sorts the rows, the best first. What is not weighed with the others comes
// by its source and threshold, after those of the recommendation.
func (r *Report) sort(of func(source) int) {
	places, group := map[Setting]int{}, func(row *Row) [3]float64 {
		if r.Labelled > 0 {
			return [3]float64{}
		}
		other := 0.0
		if row.Threshold != r.At {
			other = 1
		}
		return [3]float64{float64(of(row.source())), other, row.Threshold}
	}
	groups := map[[3]float64][]*Row{}
	for i := range r.Rows {
		row := &r.Rows[i]
		groups[group(row)] = append(groups[group(row)], row)
	}
	for _, rows := range groups { // in no order: each is sorted by itself
		r.criterion().rank(rows)
		for place, row := range rows {
			places[row.Setting] = place
		}
	}
	slices.SortStableFunc(r.Rows, func(a, b Row) int {
		x, y := group(&a), group(&b)
		return cmp.Or(slices.Compare(x[:], y[:]), places[a.Setting]-places[b.Setting])
	})
}

// percent writes a share for people, and never rounds one up to what it does not reach.
func percent(share float64) string {
	return strconv.FormatFloat(math.Floor(share*1e4+1e-9)/1e2, 'f', -1, 64) + " %"
}

// reason says in one sentence why a setting is recommended among the rows of its truth, sorted.
func (c criterion) reason(best *Row, rows []*Row) string {
	c = c.over(rows)
	kept, confirmed := 0, 0
	for _, r := range rows {
		if c.keeps(r) {
			kept++
		}
		if c.class(r) == 0 {
			confirmed++
		}
	}
	finds := fmt.Sprintf("at least %s of the pairs at %v by the curve of the bands", percent(c.recall), best.Threshold)
	if c.known {
		finds = fmt.Sprintf("at least %s of the pairs at their threshold by the curve of the bands", percent(c.recall))
	}
	if best.ByDistance() {
		finds = fmt.Sprintf("at least %s of the near copies in the sample", percent(c.recall))
	}
	if kept == 1 {
		return fmt.Sprintf("it is the only setting that finds %s; %s", finds, c.evidence(best))
	}
	if confirmed == 1 {
		alone := "the sample bears out this one alone"
		if c.errs() {
			alone = fmt.Sprintf("it has the best F1 of near copies at a precision of %s or more", percent(c.precision))
		}
		return fmt.Sprintf("%s of the %d settings that each find %s; %s", alone, kept, finds, c.evidence(best))
	}
	return fmt.Sprintf("%s%s of the %s; %s", c.superlative(best), c.kept(best), c.among(kept, confirmed, finds), c.evidence(best))
}

func (c criterion) kept(best *Row) string {
	if !c.known || c.by != ByCost {
		return ""
	}
	return [4]string{
		", with the configured shingle and threshold,", ", with the configured shingle,", ", with the configured threshold,", "",
	}[c.unlike(best)]
}

// among says which settings were weighed.
func (c criterion) among(kept, confirmed int, finds string) string {
	settings := fmt.Sprintf("%d settings that each find %s", kept, finds)
	switch {
	case confirmed == 0 || confirmed == kept:
		return settings
	case c.errs():
		return fmt.Sprintf("%d with nearly the best F1 at a precision of %s or more among %s", confirmed,
			percent(c.precision), settings)
	}
	return fmt.Sprintf("%d that the sample bears out among %s", confirmed, settings)
}

func (c criterion) superlative(best *Row) string {
	switch c.by {
	case ByPrecision:
		return fmt.Sprintf("it has the highest precision (%.4f)", best.Near.Precision)
	case ByRecall:
		return fmt.Sprintf("it has the highest recall (%.4f)", best.Near.Recall)
	case ByF1:
		return fmt.Sprintf("it has the highest F1 (%.4f)", best.Near.F1)
	case ByMemory:
		return fmt.Sprintf("it takes the least memory (%.0f bytes a document)", best.BytesPerDocument)
	case BySpeed:
		return fmt.Sprintf("it was the fastest on the sample (%.3f s)", best.Seconds)
	}
	if c.cheap(best) && best.CostNanoseconds > c.least {
		return "it takes the least memory of what costs about the least"
	}
	return "it costs the least"
}

// evidence says what the sample has to say about a setting: only what is not identical says anything.
func (c criterion) evidence(best *Row) string {
	if c.known {
		return fmt.Sprintf("it finds %s of %s, and takes %s for one", terminal.Grouped(best.TruePositives),
			copiesOf("labelled", best.True()), terminal.Several(best.FalsePositives, "other document"))
	}
	identical := best.True() - best.Near.True()
	apart := ""
	if identical > 0 {
		apart = fmt.Sprintf(" (%s more %s identical, which every setting finds)", terminal.Grouped(identical),
			terminal.Verb(identical, "is", "are"))
	}
	if best.Near.True() == 0 {
		copies := fmt.Sprintf("all its %s copies are", terminal.Grouped(identical))
		if identical == 1 {
			copies = "its only copy is"
		}
		return fmt.Sprintf("the sample cannot confirm that, as %s identical, which every setting finds", copies)
	}
	return fmt.Sprintf("here it found %s of %s%s", terminal.Grouped(best.Near.TruePositives),
		copiesOf("near", best.Near.True()), apart)
}

func copiesOf(kind string, n int) string {
	return terminal.Grouped(n) + " " + kind + " " + terminal.Verb(n, "copy", "copies")
}
