package tune

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"

	"github.com/unecho/unecho/index/sketch"
)

//go:embed page.html
var page string

// WritePage writes the report as one page that needs nothing else: no script, no font, no picture from elsewhere.
func (r *Report) WritePage(out io.Writer) error {
	t, err := template.New("page").Funcs(template.FuncMap{"four": func(x float64) string { return fmt.Sprintf("%.4f", x) }}).Parse(page)
	if err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return t.Execute(out, struct {
		*Report
		Plots []plot
		YAML  string
	}{r, r.plots(), r.yaml()})
}

func (r *Report) yaml() string {
	if r.Recommended == nil {
		return ""
	}
	return r.Recommended.YAML()
}

func (r *Report) plots() []plot {
	plots := make([]plot, 0, len(r.Sources)+3)
	for _, s := range r.Sources {
		plots = append(plots, histogram(s))
	}
	return append(plots, r.byThreshold(), r.curves(), r.front())
}

func histogram(s Source) plot {
	p := plot{
		Title: fmt.Sprintf("Similarity of pairs, %s %s", s.Shingle, s.Hash), X: "exact Jaccard similarity", Y: "pairs",
		Note: fmt.Sprintf("%d pairs at or above %v", s.Pairs, s.Floor), right: 1,
	}
	for i, n := range s.Histogram {
		p.top = max(p.top, float64(n))
		p.bar(float64(i)/float64(len(s.Histogram)), float64(i+1)/float64(len(s.Histogram)), float64(n))
	}
	p.top = round(p.top)
	return p.done()
}

// byThreshold is precision and recall of the recommended kind of setting at each threshold that was tried.
func (r *Report) byThreshold() plot {
	p := plot{Title: "Precision and recall against threshold", X: "threshold", Y: "share", right: 1, top: 1}
	best := r.Recommended
	if best == nil {
		return p.done()
	}
	p.Note = "of the recommended setting's stage, at each threshold tried"
	var precision, recall line
	for _, row := range r.Rows {
		same := row.Setting
		same.Threshold = best.Threshold
		if best.Planned {
			same.Bands, same.Rows = best.Bands, best.Rows
		}
		if same == best.Setting && row.Stage == best.Stage {
			precision = append(precision, point{row.Threshold, row.Precision})
			recall = append(recall, point{row.Threshold, row.Recall})
		}
	}
	p.low = lowest(append(precision, recall...))
	p.line("precision", precision)
	p.line("recall", recall)
	return p.done()
}

// curves are the S-curves of the bandings that were tried: with which probability a pair becomes a candidate.
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

// front shows cost against recall; what no other setting beats in both is joined by a line.
func (r *Report) front() plot {
	p := plot{Title: "Cost and recall", X: "candidates per document", Y: "recall of the candidates", top: 1}
	var all line
	for _, row := range r.Rows {
		if row.Stage == Candidates {
			all = append(all, point{row.CandidatesPerDocument, row.Recall})
			p.right = max(p.right, row.CandidatesPerDocument)
		}
	}
	p.right, p.low = round(p.right), lowest(all)
	p.dots(all)
	p.line("Pareto front", pareto(all))
	return p.done()
}

// lowest is where an axis of shares begins that shows these points: a tenth below the least, so that it is seen what differs
// among shares near 1.
func lowest(points line) float64 {
	low := 0.9
	for _, pt := range points {
		low = min(low, math.Floor(10*pt.y)/10)
	}
	return low
}

// pareto keeps the points that no other has less x and as much y than.
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
