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
	if len(plots[0].Lines) == 0 { // no bands were tried
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
		Title: "Similarity of near pairs, " + s.Compared(), X: "exact Jaccard similarity", Y: "pairs",
		Note: fmt.Sprintf("%s at or above %v; %s not shown", terminal.Several(s.Pairs-s.Identical, "near pair"), s.Floor,
			terminal.Several(s.Identical, "identical one")+terminal.Verb(s.Identical, " is", " are")),
		Bars: []bar{},
	}
	steps := float64(len(s.Histogram))
	for i := first; i < len(s.Histogram); i++ {
		n := s.Histogram[i]
		if i == len(s.Histogram)-1 {
			n -= s.Identical
		}
		from := fmt.Sprint(float64(i) / steps)
		b := bar{Name: fmt.Sprintf("%s to %v", from, float64(i+1)/steps), Value: n, Paint: "c0"}
		if (i-first)%(1+(len(s.Histogram)-first)/11) == 0 {
			b.Label = from
		}
		p.Bars = append(p.Bars, b)
	}
	if at := r.At*steps - float64(first); at > 0 {
		p.Mark = &barMark{at, "threshold"}
	}
	return p
}

// byThreshold plots precision and recall of the recommended kind of setting at each threshold that was tried.
func (r *Report) byThreshold() plot {
	p := plot{
		Title: "Precision and recall by threshold", X: "threshold", Y: "share of the near copies", Right: 1, Top: 1,
	}
	best := r.Recommended
	if best == nil {
		p.Note, p.Left = "no setting is recommended", 0.5
		return p
	}
	p.Note = fmt.Sprintf("of the recommended setting, by %s, at each threshold that was tried", best.Compared())
	lines, all := r.lines(best)
	if len(all) == 0 {
		p.Note, p.Left = "there is no near copy: every setting finds what is identical", 0.5
		return p
	}
	p.Left, p.Right, p.Low = all[0][0], all[0][0], lowest(all)
	for _, pt := range all {
		p.Left, p.Right = min(p.Left, pt[0]), max(p.Right, pt[0])
		p.Xs = append(p.Xs, pt[0])
	}
	slices.Sort(p.Xs)
	p.Xs = slices.Compact(p.Xs)
	if p.Left == p.Right { // a line of one point
		p.Left, p.Right = p.Left-0.05, p.Right+0.05
	}
	p.Lines = lines
	return p
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
		slices.SortFunc(l, func(a, b point) int { return cmp.Compare(a[0], b[0]) })
	}
	lines = []namedLine{{Name: "precision", Dots: precision}}
	if slices.Equal(precision, recall) {
		lines[0].Name = "precision and recall"
	} else {
		lines = append(lines, namedLine{Name: "recall", Colour: 1, Dashed: true, Dots: recall})
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
	p := plot{Title: "S-curves of the bands", X: "Jaccard similarity", Y: "share that become candidates", Right: 1, Top: 1}
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
	slices.SortFunc(sorted, func(a, b sketch.Banding) int { return cmp.Compare(middle(a), middle(b)) })
	for i, b := range sorted {
		l := namedLine{Name: b.String(), Colour: i, Dashed: i >= colours}
		l.Best = best != nil && best.Bands == b.Bands && best.Rows == b.Rows
		for i := range 101 {
			j := float64(i) / 100
			l.Dots = append(l.Dots, point{j, math.Round(b.Probability(j)*1e4) / 1e4})
		}
		p.Lines = append(p.Lines, l)
	}
	if best != nil {
		p.Marks = []mark{{At: best.Threshold, Name: "threshold"}}
	} else if r.At > 0 {
		p.Marks = []mark{{At: r.At, Name: "threshold"}}
	}
	p.Marks = append(p.Marks, mark{At: r.Recall, Name: fmt.Sprintf("recall asked for: %v", r.Recall), Flat: true})
	return p
}

// middle returns the similarity at which a banding finds half of the pairs: there its Probability is 0.5.
func middle(b sketch.Banding) float64 {
	return math.Pow(1-math.Pow(0.5, 1/float64(b.Bands)), 1/float64(b.Rows))
}

// front plots cost against recall. A line joins the settings that no other beats in both. The axis of cost is
// logarithmic. Where there is no near copy to find, recall is that of the curve.
func (r *Report) front() plot {
	p := plot{
		Title: "Cost and recall", X: "cost of a document in a full window, µs", Y: "recall of near copies", Top: 1, Log: true,
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
			pt[1] = row.Near.F1
		case !measured:
			pt[1] = row.Curve
		}
		points = append(points, namedPoint{
			At: pt, Best: r.Recommended != nil && row.Setting == r.Recommended.Setting,
			Name:  fmt.Sprintf("%s: %.4f at %.2f µs", row.Setting, pt[1], pt[0]),
			Label: row.label(r.Labelled > 0),
		})
	}
	if p.Note = "bands × rows of all settings that were weighed"; len(points) > mostNamed {
		p.Note = fmt.Sprintf("%s that were weighed; bands × rows stand at the recommended one, and at those that none beats in both",
			terminal.Several(len(points), "setting"))
	}
	var all line
	for _, pt := range points {
		all = append(all, pt.At)
	}
	front := pareto(all)
	p.Left, p.Right, p.Low = 1, 10, lowest(all)
	if len(all) > 0 {
		p.Left, p.Right = math.Inf(1), 0
	}
	for i := range points {
		pt := &points[i]
		p.Left, p.Right = min(p.Left, pt.At[0]/1.4), max(p.Right, pt.At[0]*1.4)
		if len(points) > mostNamed && !pt.Best && !slices.Contains(front, pt.At) {
			pt.Label = ""
		}
	}
	p.Points, p.Lines = points, []namedLine{{Dots: front, Colour: 7}}
	return p
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
		label += fmt.Sprintf(" %s at %v", r.Compared(), r.Threshold)
	}
	return label
}

// lowest returns the beginning of an axis of shares that shows these points: a tenth below the least, so that
// differences among shares near 1 are visible.
func lowest(points line) float64 {
	low := 0.9
	for _, pt := range points {
		low = min(low, math.Floor(10*pt[1]+1e-9)/10)
	}
	return low
}

// pareto keeps the points for which no other point has less x and at least as much y.
func pareto(all line) line {
	sorted := slices.Clone(all)
	slices.SortFunc(sorted, func(a, b point) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(b[1], a[1])) })
	front := line{}
	for _, pt := range sorted {
		if len(front) == 0 || pt[1] > front[len(front)-1][1] {
			front = append(front, pt)
		}
	}
	return front
}
