package tune

import (
	"cmp"
	"slices"
)

// preferred returns the sources in the order in which one is recommended: that of the configured shingle, the others as
// they were named.
func (t *Tuner) preferred() []source {
	all := t.Grid.sources()
	slices.SortStableFunc(all, func(a, b source) int {
		configured := func(s source) int {
			if s.shingle == t.Judge.Duplicates.Shingle {
				return 0
			}
			return 1
		}
		return configured(a) - configured(b)
	})
	return all
}

func (r *Report) criterion() criterion {
	return criterion{
		by: r.By, estimates: r.estimates(), recall: r.Recall, precision: r.Precision, known: r.Labelled > 0,
		shingle: r.shingle, threshold: r.threshold,
	}
}

// choose sorts what was tried, and recommends a setting.
func (r *Report) choose(preferred []source) {
	of := func(shingle, hash string) int { return slices.Index(preferred, source{shingle, hash}) }
	slices.SortStableFunc(r.Sources, func(a, b Source) int { return of(a.Shingle, a.Hash) - of(b.Shingle, b.Hash) })
	slices.SortStableFunc(r.Rows, func(a, b Row) int { return of(a.Shingle, a.Hash) - of(b.Shingle, b.Hash) })
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
// own: by another shingle other documents are alike.
func (r *Report) chooseWithin() {
	var first *Source
	for i := range r.Sources {
		if s := &r.Sources[i]; s.Best != nil {
			first = s
			break
		}
		r.NotRecommended = cmp.Or(r.NotRecommended, r.Sources[i].Why)
	}
	if first == nil {
		r.NotRecommended = cmp.Or(r.NotRecommended, nothingTried)
		return
	}
	row := *first.Best
	r.Recommended, r.Reason, r.NotRecommended = &row, r.criterion().reason(first.Best, r.rowsOf(first)), ""
	for i := range r.Sources {
		r.Sources[i].Common = common(first.at, r.Sources[i].at)
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
	return slices.DeleteFunc(r.weighed(), func(row *Row) bool { return row.Shingle != s.Shingle || row.Hash != s.Hash })
}

// sort sorts the rows, the best first. What is not weighed with the others comes
// by its source and threshold, after those of the recommendation.
func (r *Report) sort(of func(shingle, hash string) int) {
	places, group := map[Setting]int{}, func(row *Row) [3]float64 {
		if r.Labelled > 0 && (row.Threshold == r.At || r.At == 0) {
			return [3]float64{}
		}
		other := 0.0
		if row.Threshold != r.At {
			other = 1
		}
		return [3]float64{float64(of(row.Shingle, row.Hash)), other, row.Threshold}
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

// common counts what two sorted lists share.
func common(a, b []uint64) int {
	n := 0
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case a[0] > b[0]:
			b = b[1:]
		default:
			n, a, b = n+1, a[1:], b[1:]
		}
	}
	return n
}
