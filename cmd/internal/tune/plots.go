package tune

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/index/sketch"
)

func (r *Report) plots() []plot {
	plots := []plot{r.curves(), r.front(), r.byThreshold()}
	if len(plots[0].lines) == 0 { // no bands were tried
		plots = plots[1:]
	}
	for _, s := range r.truths() {
		plots = append(plots, r.histogram(s))
	}
	return plots
}

// histogram begins at the floor: nothing is known about pairs below it. Identical pairs would hide all others.
func (r *Report) histogram(s Source) plot {
	first := int(s.Floor*float64(len(s.Histogram)) + 1e-9)
	p := plot{
		Title: "Similarity of near pairs, " + s.Shingle, X: "exact Jaccard similarity", Y: "pairs",
		Note: fmt.Sprintf("%s at or above %v; %s not shown", terminal.Several(s.Pairs-s.Identical, "near pair"), s.Floor,
			terminal.Several(s.Identical, "identical one")+are(s.Identical)),
		right: 1, left: float64(first) / float64(len(s.Histogram)),
	}
	every := 1 + (len(s.Histogram)-first)/11
	for i := first; i < len(s.Histogram); i++ {
		n := s.Histogram[i]
		if i == len(s.Histogram)-1 {
			n -= s.Identical
		}
		from, to := float64(i)/float64(len(s.Histogram)), float64(i+1)/float64(len(s.Histogram))
		p.top = max(p.top, float64(n))
		p.bar(from, to, float64(n))
		if (i-first)%every == 0 {
			p.xs = append(p.xs, from)
		}
	}
	p.xs = append(p.xs, 1)
	p.ys = even(0, max(1, p.top), 1)
	p.top = p.ys[len(p.ys)-1]
	if r.At > p.left {
		p.marks = []mark{{at: r.At, name: "threshold"}}
	}
	return p.done()
}

// byThreshold plots precision and recall of the recommended kind of setting at each threshold that was tried.
func (r *Report) byThreshold() plot {
	p := plot{
		Title: "Precision and recall by threshold", X: "threshold", Y: "share of the near copies", right: 1, top: 1, room: 150,
	}
	best := r.Recommended
	if best == nil {
		p.Note, p.left = "no setting is recommended", 0.5
		return p.done()
	}
	p.Note = fmt.Sprintf("of the recommended setting, by %s, at each threshold that was tried", best.Shingle)
	lines, all := r.lines(best)
	if len(all) == 0 {
		p.Note, p.left = "there is no near copy: every setting finds what is identical", 0.5
		return p.done()
	}
	p.left, p.right, p.low = all[0].x, all[0].x, lowest(all)
	for _, pt := range all {
		p.left, p.right = min(p.left, pt.x), max(p.right, pt.x)
		p.xs = append(p.xs, pt.x)
	}
	slices.Sort(p.xs)
	p.xs = slices.Compact(p.xs)
	if p.left == p.right { // a line of one point
		p.left, p.right = p.left-0.05, p.right+0.05
	}
	p.lines = lines
	return p.done()
}

// lines returns the lines of byThreshold, equal ones as one, and all points of them.
func (r *Report) lines(best *Row) (lines []namedLine, all line) {
	precision, recall := line{}, line{}
	for _, row := range r.Rows {
		if row.Near.True() > 0 && sameBut(row.Setting, best.Setting) {
			precision = append(precision, point{row.Threshold, row.Near.Precision})
			recall = append(recall, point{row.Threshold, row.Near.Recall})
		}
	}
	for _, l := range []line{precision, recall} {
		slices.SortFunc(l, func(a, b point) int { return cmp.Compare(a.x, b.x) })
	}
	lines = []namedLine{{name: "precision", line: precision}}
	if slices.Equal(precision, recall) {
		lines[0].more = []string{"recall"}
	} else {
		lines = append(lines, namedLine{name: "recall", line: recall, dashed: true})
	}
	return lines, slices.Concat(precision, recall)
}

// sameBut says whether two settings are the same but for the threshold, and for what is planned for it.
func sameBut(s, t Setting) bool {
	s.Threshold = t.Threshold
	if t.Planned {
		s.Bands, s.Rows = t.Bands, t.Rows
	}
	if t.ByCost {
		s.Slots = t.Slots
	}
	return s == t
}

// mostCurves is how many curves can be told apart.
const mostCurves = 12

// curves plots the S-curves of the bandings that the recommendation was made of: the share of the pairs that become
// candidates, by their similarity. The best ones are shown if there are too many.
func (r *Report) curves() plot {
	p := plot{Title: "S-curves of the bands", X: "Jaccard similarity", Y: "share that become candidates", right: 1, top: 1}
	var seen []sketch.Banding
	for i := range r.Rows {
		row := &r.Rows[i]
		if b := (sketch.Banding{Bands: row.Bands, Rows: row.Rows}); row.Rows > 0 && r.compared(row) && !slices.Contains(seen, b) {
			seen = append(seen, b)
		}
	}
	shown := seen[:min(mostCurves, len(seen))]
	switch {
	case len(shown) < len(seen):
		p.Note = fmt.Sprintf("the best %d of the %d bandings that were weighed", len(shown), len(seen))
	default:
		p.Note = fmt.Sprintf("all %d bandings that were weighed", len(shown))
	}
	if len(shown) == 1 {
		p.Note = "of the banding that was weighed"
	}
	best := r.Recommended
	sorted := slices.Clone(shown)
	slices.SortFunc(sorted, func(a, b sketch.Banding) int { return cmp.Compare(where(a, 0.5), where(b, 0.5)) })
	for i, b := range sorted {
		l := namedLine{name: b.String(), colour: i, dashed: i >= colours}
		l.best = best != nil && best.Bands == b.Bands && best.Rows == b.Rows
		for i := range 101 {
			j := float64(i) / 100
			l.line = append(l.line, point{j, b.Probability(j)})
		}
		level := 0.93 - 0.85*float64(i)/float64(max(1, len(sorted)-1))
		l.beside = &point{where(b, level), level}
		p.lines = append(p.lines, l)
	}
	if best != nil {
		p.marks = []mark{{at: best.Threshold, name: "threshold"}}
	} else if r.At > 0 {
		p.marks = []mark{{at: r.At, name: "threshold"}}
	}
	p.marks = append(p.marks, mark{at: r.Recall, name: fmt.Sprintf("recall asked for: %v", r.Recall), flat: true})
	return p.done()
}

// where returns the similarity at which a banding finds this share of the pairs.
func where(b sketch.Banding, share float64) float64 {
	low, high := 0.0, 1.0
	for range 40 {
		if middle := (low + high) / 2; b.Probability(middle) < share {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// front plots cost against recall. A line joins the settings that no other beats in both. The axis of cost is
// logarithmic. Where there is no near copy to find, recall is that of the curve.
func (r *Report) front() plot {
	p := plot{
		Title: "Cost and recall", X: "cost of a document in a full window, µs", Y: "recall of near copies", top: 1, log: true,
	}
	var points []namedPoint
	measured := slices.ContainsFunc(r.Rows, func(row Row) bool { return row.Near.True() > 0 && r.compared(&row) })
	if !measured {
		p.Y = "share found at the threshold, by the curve"
	}
	if r.Labelled > 0 {
		p.Title, p.Y = "Cost and F1", "F1 of near copies"
	}
	for _, row := range r.Rows {
		if !r.compared(&row) || !measured && row.ByDistance() {
			continue
		}
		pt := point{max(row.CostNanoseconds, 1) / 1000, row.Near.Recall}
		switch {
		case r.Labelled > 0:
			pt.y = row.Near.F1
		case !measured:
			pt.y = row.Curve
		}
		points = append(points, namedPoint{
			point: pt, best: r.Recommended != nil && row.Setting == r.Recommended.Setting,
			name:  fmt.Sprintf("%s: %.4f at %.2f µs", row.Setting, pt.y, pt.x),
			label: row.label(r.Labelled > 0),
		})
	}
	if p.Note = "bands × rows of all settings that were weighed"; len(points) > mostNamed {
		p.Note = fmt.Sprintf("%s that were weighed; bands × rows stand at the recommended one, and at those that none beats in both",
			terminal.Several(len(points), "setting"))
	}
	var all line
	for _, pt := range points {
		all = append(all, pt.point)
	}
	front := pareto(all)
	p.left, p.right, p.low = 1, 10, lowest(all)
	if len(all) > 0 {
		p.left, p.right = math.Inf(1), 0
	}
	for i := range points {
		pt := &points[i]
		p.left, p.right = min(p.left, pt.x/1.4), max(p.right, pt.x*1.4)
		if len(points) > mostNamed && !pt.best && !slices.Contains(front, pt.point) {
			pt.label = ""
		}
	}
	if p.points = points; p.right/p.left > 10 {
		p.xs = decades(p.left, p.right)
	}
	p.lines = []namedLine{{line: front, colour: 7}}
	return p.done()
}

// mostNamed is how many points of a plot have a name; of more, the best have.
const mostNamed = 8

// label names a setting briefly: "12 x 5" are bands and rows.
func (r *Row) label(thresholds bool) string {
	label := fmt.Sprintf("%d × %d", r.Bands, r.Rows)
	if r.ByDistance() {
		label = fmt.Sprintf("simhash %d", r.Distance)
	}
	if thresholds {
		label += fmt.Sprintf(" %s at %v", r.Shingle, r.Threshold)
	}
	return label
}

// lowest returns the beginning of an axis of shares that shows these points: a tenth below the least, so that
// differences among shares near 1 are visible.
func lowest(points line) float64 {
	low := 0.9
	for _, pt := range points {
		low = min(low, math.Floor(10*pt.y+1e-9)/10)
	}
	return low
}

// pareto keeps the points for which no other point has less x and at least as much y.
func pareto(all line) line {
	sorted := slices.Clone(all)
	slices.SortFunc(sorted, func(a, b point) int { return cmp.Or(cmp.Compare(a.x, b.x), cmp.Compare(b.y, a.y)) })
	var front line
	for _, pt := range sorted {
		if len(front) == 0 || pt.y > front[len(front)-1].y {
			front = append(front, pt)
		}
	}
	return front
}
