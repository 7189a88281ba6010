package tune

import (
	"math"
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
				Figures: found, Near: near(found.Score, 20),
				Curve: sketch.Banding{Bands: bands, Rows: 5}.Probability(threshold), CostNanoseconds: float64(1000 * bands),
			})
		}
	}
	r.choose([]source{{"word:1", "xxhash", false}})
	return r
}

// Names stand at the ends of bars, and identical pairs, which would hide the others, are left out.
func TestHistogramOfNearPairs(t *testing.T) {
	r := reported(1)
	p := r.histogram(r.Sources[0])
	var labels []string
	var values []int
	for _, b := range p.Bars {
		labels, values = append(labels, b.Label), append(values, b.Value)
	}
	if want := []string{"0.7", "0.75", "0.8", "0.85", "0.9", "0.95"}; !slices.Equal(labels, want) ||
		!slices.Equal(values, []int{1, 2, 3, 0, 0, 4}) || p.Bars[5].Name != "0.95 to 1" {
		t.Errorf("bars at %v, of %v pairs, the last %q", labels, values, p.Bars[5].Name)
	}
	if p.Note != "10 near pairs at or above 0.7; 20 identical ones are not shown" || math.Abs(p.Mark.At-2) > 1e-9 {
		t.Errorf("%s; the threshold at %v", p.Note, p.Mark.At)
	}
}

// All curves are shown and named, or how many of them.
func TestCurvesAreNamed(t *testing.T) {
	for bandings, note := range map[int]string{
		1: "of the banding that was weighed", 3: "all 3 bandings that were weighed",
		20: "the best 12 of the 20 bandings that were weighed",
	} {
		p := reported(bandings).curves()
		if p.Note != note || len(p.Lines) != min(12, bandings) {
			t.Errorf("%d bandings: %d lines, %s", bandings, len(p.Lines), p.Note)
		}
		best := 0
		for _, l := range p.Lines {
			if l.Name == "" || len(l.Dots) != 101 || l.Dots[0] != (point{0, 0}) || l.Dots[100] != (point{1, 1}) {
				t.Errorf("the line %+v is not a curve with a name", l)
			}
			if l.Best {
				best++
			}
		}
		if last := p.Marks[len(p.Marks)-1]; best != 1 || last != (mark{0.98, "recall asked for: 0.98", true}) {
			t.Errorf("%d bandings: %d are the recommended one, and the last mark is %+v", bandings, best, last)
		}
	}
}

// Lines that differ have names of their own, and one that is both has both names.
func TestLinesByThreshold(t *testing.T) {
	r := reported(2)
	p := r.byThreshold()
	if len(p.Lines) != 2 || p.Lines[0].Name != "precision" || p.Lines[1].Name != "recall" || !p.Lines[1].Dashed {
		t.Errorf("the lines are %+v; want precision and recall", p.Lines)
	}
	if !slices.Equal(p.Xs, []float64{0.7, 0.8}) {
		t.Errorf("numbers at %v", p.Xs)
	}
	for i := range r.Rows {
		r.Rows[i].Near.Recall = r.Rows[i].Near.Precision
	}
	if p := r.byThreshold(); len(p.Lines) != 1 || p.Lines[0].Name != "precision and recall" {
		t.Errorf("equal lines are %+v", p.Lines)
	}
}

// Points have names under the pointer; of many, the best have them beside as well.
func TestPointsAreNamed(t *testing.T) {
	for bandings, labels := range map[int]int{3: 3, 20: 1} {
		p := reported(bandings).front()
		n, named := 0, 0
		for _, pt := range p.Points {
			if pt.Label != "" {
				n++
			}
			if strings.Contains(pt.Name, "minhash of ") {
				named++
			}
		}
		if n != labels || named != bandings || len(p.Points) != bandings {
			t.Errorf("%d points, %d with a label, %d with a name", len(p.Points), n, named)
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

// What a plot says cannot end the element that holds its JSON.
func TestPlotsAreEscaped(t *testing.T) {
	r := reported(1)
	r.Sources[0].Shingle = "</script><b>"
	var page strings.Builder
	if err := r.WritePage(&page, report.About{}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(page.String(), "</script><b>") || !strings.Contains(page.String(), `near pairs, \u003c/script\u003e\u003cb\u003e"`) {
		t.Errorf("the plots are not escaped:\n%s", page.String())
	}
}

// Where nothing was weighed and only identical pairs were looked for, plots are empty, and the script can draw them.
func TestEmptyPlotsAreDrawn(t *testing.T) {
	r := reported(0)
	r.Sources[0].Floor = 1
	if front := r.front(); len(front.Lines) != 1 || front.Lines[0].Dots == nil {
		t.Errorf("the lines are %+v; want one without dots, which is no null", front.Lines)
	}
	if p := r.histogram(r.Sources[0]); p.Bars == nil || len(p.Bars) > 0 {
		t.Errorf("the bars are %+v; want none, which is no null", p.Bars)
	}
}
