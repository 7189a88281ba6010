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
			if s.shingle == t.Shingle {
				return 0
			}
			return 1
		}
		return configured(a) - configured(b)
	})
	return all
}

// choose sorts what was tried, and recommends a setting. Each source has a truth of its own: by another shingle other
// documents are alike. So settings are weighed within one source, the first that has a setting to recommend.
func (r *Report) choose(preferred []source) {
	of := func(shingle, hash string) int { return slices.Index(preferred, source{shingle, hash}) }
	slices.SortStableFunc(r.Sources, func(a, b Source) int { return of(a.Shingle, a.Hash) - of(b.Shingle, b.Hash) })
	var first *Source
	for i := range r.Sources {
		s := &r.Sources[i]
		rows := r.rowsOf(s, r.At)
		best, why := recommend(rows, r.By, r.Stage, r.Recall)
		if s.Why = why; best == nil {
			r.NotRecommended = cmp.Or(r.NotRecommended, why)
			continue
		}
		row := *best
		s.Best = &row
		if first == nil {
			first, r.Recommended, r.Reason = s, &row, reason(best, rows, r.By, r.Stage, r.Recall)
		}
	}
	r.NotRecommended = cmp.Or(r.NotRecommended, nothingTried)
	if first != nil {
		r.NotRecommended = ""
		for i := range r.Sources {
			r.Sources[i].Common = common(first.at, r.Sources[i].at)
		}
	}
	r.sort(of)
}

// rowsOf returns the rows of a source at a threshold, at the stage of the recommendation.
func (r *Report) rowsOf(s *Source, threshold float64) []*Row {
	var rows []*Row
	for i := range r.Rows {
		row := &r.Rows[i]
		if row.Shingle == s.Shingle && row.Hash == s.Hash && row.Threshold == threshold && row.Stage == r.Stage {
			rows = append(rows, row)
		}
	}
	return rows
}

// sort sorts the rows by source, by threshold with that of the recommendation first, and the best first. The stages of
// a setting stay together.
func (r *Report) sort(of func(shingle, hash string) int) {
	places := map[Setting]int{}
	for i := range r.Sources {
		for _, threshold := range r.thresholds() {
			rows := r.rowsOf(&r.Sources[i], threshold)
			rank(rows, r.By, r.Stage, r.Recall)
			for place, row := range rows {
				places[row.Setting] = place
			}
		}
	}
	other := func(row Row) int {
		if row.Threshold == r.At {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(r.Rows, func(a, b Row) int {
		return cmp.Or(of(a.Shingle, a.Hash)-of(b.Shingle, b.Hash), other(a)-other(b),
			cmp.Compare(a.Threshold, b.Threshold), places[a.Setting]-places[b.Setting])
	})
}

// thresholds returns those that were tried, in order.
func (r *Report) thresholds() []float64 {
	var all []float64
	for _, row := range r.Rows {
		all = append(all, row.Threshold)
	}
	slices.Sort(all)
	return slices.Compact(all)
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
