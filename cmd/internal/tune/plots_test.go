package tune

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/unecho/unecho/cmd/internal/report"
	"github.com/unecho/unecho/index/eval"
	"github.com/unecho/unecho/index/sketch"
)

// reported is a report of so many bandings by one shingle, of which the first is recommended.
func reported(bandings int) *Report {
	r := &Report{At: 0.8, By: ByCost, Recall: 0.98, Verify: "jaccard", Precision: 0.5}
	r.Sources = []Source{{
		Shingle: "word:1", Hash: "xxhash", Floor: 0.7, Pairs: 30, Identical: 20, At: 25, Histogram: slices.Concat(make([]int, 14),
			[]int{1, 2, 3, 0, 0, 24}),
	}}
	for i := range bandings {
		bands := 20 + i
		for _, threshold := range []float64{0.7, 0.8} {
			found := newFigures(eval.Score{TruePositives: 23, FalseNegatives: 2})
			r.Rows = append(r.Rows, Row{
				Setting: Setting{
					Shingle: "word:1", Hash: "xxhash", Sketch: "minhash", Slots: 5 * bands, Bands: bands, Rows: 5,
					Threshold: threshold,
				},
				Figures: found, Near: newFigures(found.Without(eval.Score{TruePositives: 20})),
				Curve: sketch.Banding{Bands: bands, Rows: 5}.Probability(threshold), CostNanoseconds: float64(1000 * bands),
			})
		}
	}
	r.choose([]source{{"word:1", "xxhash"}})
	return r
}

// Numbers stand at the ends of bars, and identical pairs, which would hide the others, are left out.
func TestHistogramOfNearPairs(t *testing.T) {
	r := reported(1)
	p := r.histogram(r.Sources[0])
	var edges []float64
	for _, b := range p.bars {
		edges = append(edges, b.from)
	}
	if want := []float64{0.7, 0.75, 0.8, 0.85, 0.9, 0.95}; !slices.Equal(edges, want) ||
		!slices.Equal(p.xs, append(want, 1)) {
		t.Errorf("bars at %v, numbers at %v", edges, p.xs)
	}
	if last := p.bars[len(p.bars)-1].height; last != 4 || p.top != 4 ||
		p.Note != "10 near pairs at or above 0.7; 20 identical ones are not shown" {
		t.Errorf("%v at the end, up to %v: %s", last, p.top, p.Note)
	}
	if !slices.ContainsFunc(p.ys, func(y float64) bool { return y == 1 }) || slices.ContainsFunc(p.ys, func(y float64) bool {
		return y != float64(int(y))
	}) {
		t.Errorf("pairs are counted by %v", p.ys)
	}
}

// All curves are shown and named, or how many of them.
func TestCurvesAreNamed(t *testing.T) {
	for bandings, note := range map[int]string{
		1: "of the banding that was weighed", 3: "all 3 bandings that were weighed",
		20: "the best 12 of the 20 bandings that were weighed",
	} {
		p := reported(bandings).curves()
		if p.Note != note || len(p.lines) != min(12, bandings) {
			t.Errorf("%d bandings: %d lines, %s", bandings, len(p.lines), p.Note)
		}
		best := 0
		for _, l := range p.lines {
			if !strings.Contains(string(p.SVG), ">"+l.name+"</text>") {
				t.Errorf("%s has no name", l.name)
			}
			if l.best {
				best++
			}
		}
		if best != 1 || !strings.Contains(string(p.SVG), ">recall asked for: 0.98</text>") {
			t.Errorf("%d bandings: %d are the recommended one", bandings, best)
		}
	}
}

// Lines have names beside their ends, which cover no other.
func TestLinesByThreshold(t *testing.T) {
	p := reported(2).byThreshold()
	svg := string(p.SVG)
	var at []string
	for _, name := range []string{"precision", "recall"} {
		m := regexp.MustCompile(`y="([0-9.]+)" text-anchor="start"[^>]*>` + name + `</text>`).FindStringSubmatch(svg)
		if m == nil || slices.Contains(at, m[1]) {
			t.Errorf("%s: no name of its own: %v, others at %v", name, m, at)
			continue
		}
		at = append(at, m[1])
	}
	if len(p.lines) != 2 {
		t.Errorf("there are %d lines; want precision and recall", len(p.lines))
	}
}

// Points have names under the pointer; of many, the best have them beside as well.
func TestPointsAreNamed(t *testing.T) {
	for bandings, labels := range map[int]int{3: 3, 20: 1} {
		r := reported(bandings)
		p := r.front()
		n, named := 0, strings.Count(string(p.SVG), "minhash of ")
		for _, pt := range p.points {
			if pt.label != "" {
				n++
			}
		}
		if n != labels || named != bandings || len(p.points) != bandings {
			t.Errorf("%d points, %d with a label, %d with a name", len(p.points), n, named)
		}
	}
}

// The page marks the recommended setting and nothing else, and says what it is about.
func TestPageMarksTheBest(t *testing.T) {
	var page strings.Builder
	about := report.About{Title: "unecho tune", Inputs: []string{"a.jsonl"}, Version: "v1"}
	if err := reported(4).WritePage(&page, about); err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile(`(?s)<tr class="best">.*?</tr>`).FindAllString(page.String(), -1)
	if len(rows) != 2 || !strings.Contains(rows[1], "20 bands of 5 rows in 100 slots</td>") {
		t.Errorf("the rows marked as best are %q; want 2, the second of 20 bands of 5 rows in 100 slots", rows)
	}
	for _, want := range []string{"a.jsonl · ", "unecho v1", "4 settings by word:1 at 0.8", "4 settings by other truths"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("no %s", want)
		}
	}
}
