package tune

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/unecho/unecho/index/sketch"
)

//go:embed page.html
var page string

// WritePage writes the report as one self-contained page: it loads no script, font or picture.
func (r *Report) WritePage(out io.Writer) error {
	t, err := template.New("page").Funcs(template.FuncMap{
		"four":      func(x float64) string { return fmt.Sprintf("%.4f", x) },
		"megabytes": func(n int64) string { return fmt.Sprintf("%.1f", float64(n)/1e6) },
	}).Parse(page)
	if err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return t.Execute(out, struct {
		*Report
		Plots []plot
	}{r, r.plots()})
}

func (r *Report) plots() []plot {
	plots := make([]plot, 0, len(r.Sources)+3)
	var shown []string
	for _, s := range r.Sources {
		if slices.Contains(shown, s.Shingle) { // another hash changes nothing that could be seen
			continue
		}
		shown = append(shown, s.Shingle)
		plots = append(plots, histogram(s))
	}
	return append(plots, r.byThreshold(), r.curves(), r.front())
}

// histogram begins at the floor: nothing is known about pairs below it.
func histogram(s Source) plot {
	first := int(s.Floor * float64(len(s.Histogram)))
	p := plot{
		Title: "Similarity of pairs, " + s.Shingle, X: "exact Jaccard similarity", Y: "pairs",
		Note: fmt.Sprintf("%d pairs at or above %v", s.Pairs, s.Floor), right: 1,
		left: float64(first) / float64(len(s.Histogram)),
	}
	for i, n := range s.Histogram[first:] {
		p.top = max(p.top, float64(n))
		p.bar(float64(first+i)/float64(len(s.Histogram)), float64(first+i+1)/float64(len(s.Histogram)), float64(n))
	}
	p.top = round(p.top)
	return p.done()
}

// byThreshold plots precision and recall of the recommended kind of setting at each threshold that was tried. Verified
// pairs have a precision of 1, and the recall of the candidates.
func (r *Report) byThreshold() plot {
	p := plot{
		Title: "Precision and recall against threshold", X: "threshold", Y: "share", right: 1, top: 1,
		legendLow: true,
	}
	best := r.Recommended
	if best == nil {
		return p.done()
	}
	p.Note = "of the setting that is recommended, at each threshold tried"
	lines := map[string]line{}
	var all line
	for _, row := range r.Rows {
		same := row.Setting
		same.Threshold = best.Threshold
		if best.Planned {
			same.Bands, same.Rows = best.Bands, best.Rows
		}
		if same == best.Setting && row.Stage != Verified {
			precision, recall := point{row.Threshold, row.Precision}, point{row.Threshold, row.Recall}
			lines["precision of "+row.Stage] = append(lines["precision of "+row.Stage], precision)
			lines["recall of "+row.Stage] = append(lines["recall of "+row.Stage], recall)
			all = append(all, precision, recall)
		}
	}
	p.low, p.left = max(0, lowest(all)-0.1), all[0].x // with room for the names below the lines
	for _, pt := range all {
		p.left = min(p.left, pt.x)
	}
	p.left = math.Floor(p.left*10-1e-9) / 10
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		l := lines[name]
		slices.SortFunc(l, func(a, b point) int { return cmp.Compare(a.x, b.x) })
		p.line(name, l)
	}
	return p.done()
}

// curves plots the S-curves of the bandings that were tried: the probability with which a pair becomes a candidate.
func (r *Report) curves() plot {
	p := plot{Title: "S-curves of the bands", X: "Jaccard similarity", Y: "probability of becoming a candidate", right: 1, top: 1}
	var seen []sketch.Banding
	for _, row := range r.Rows {
		b := sketch.Banding{Bands: row.Bands, Rows: row.Rows}
		if row.Rows == 0 || slices.Contains(seen, b) || len(seen) == len(colours()) {
			continue
		}
		seen = append(seen, b)
		var curve line
		for i := range 101 {
			j := float64(i) / 100
			curve = append(curve, point{j, b.Probability(j)})
		}
		p.line(b.String(), curve)
	}
	return p.done()
}

// front plots cost against recall. A line joins the settings that no other beats in both. The axis of cost is
// logarithmic.
func (r *Report) front() plot {
	p := plot{
		Title: "Cost and recall", X: "candidates per document", Y: "recall of the candidates", top: 1, log: true,
		legendLow: true,
	}
	var all line
	p.left, p.right = math.Inf(1), 0
	for _, row := range r.Rows {
		if row.Stage == Candidates {
			pt := point{max(row.CandidatesPerDocument, leastCost), row.Recall}
			all = append(all, pt)
			p.left, p.right = min(p.left, pt.x), max(p.right, pt.x)
		}
	}
	if len(all) == 0 {
		p.left, p.right = leastCost, 1
	}
	p.left, p.right, p.low = p.left/1.25, p.right*1.25, lowest(all)
	p.dots(all)
	p.line("Pareto front", pareto(all))
	return p.done()
}

// leastCost stands for 0 on a logarithmic axis.
const leastCost = 0.001

// lowest returns the beginning of an axis of shares that shows these points: a tenth below the least, so that
// differences among shares near 1 are visible.
func lowest(points line) float64 {
	low := 0.9
	for _, pt := range points {
		low = min(low, math.Floor(10*pt.y)/10)
	}
	return low
}

// pareto keeps the points for which no other point has less x and at least as much y.
func pareto(all line) line {
	sorted := slices.Clone(all)
	slices.SortFunc(sorted, func(a, b point) int {
		switch {
		case a.x < b.x || a.x == b.x && a.y > b.y:
			return -1
		case a == b:
			return 0
		}
		return 1
	})
	var front line
	for _, pt := range sorted {
		if len(front) == 0 || pt.y > front[len(front)-1].y {
			front = append(front, pt)
		}
	}
	return front
}
