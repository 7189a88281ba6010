package tune

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"

	"github.com/unecho/unecho/cmd/internal/report"
	"github.com/unecho/unecho/cmd/internal/terminal"
)

//go:embed page.html
var page string

type paged struct {
	*Report
	Plots         []plot
	Truth         string
	First, Others []pagedRow // those that the recommendation was made of, and the others
}

type pagedRow struct {
	Row
	Best bool
}

// WritePage writes the report as one self-contained page: it loads nothing. A script in it draws the plots.
func (r *Report) WritePage(out io.Writer, about report.About) error {
	p := paged{Report: r, Plots: r.plots(), Truth: r.truth()}
	for _, row := range r.Rows {
		shown := pagedRow{row, r.Recommended != nil && row.Setting == r.Recommended.Setting}
		if r.compared(&row) {
			p.First = append(p.First, shown)
		} else {
			p.Others = append(p.Others, shown)
		}
	}
	about.Plots = true
	return report.Write(out, about, page, template.FuncMap{
		"four":      func(x float64) string { return fmt.Sprintf("%.4f", x) },
		"megabytes": func(n int64) string { return fmt.Sprintf("%.1f", float64(n)/1e6) },
	}, p)
}

// compared says whether a row is one of a setting that the recommendation was made of.
func (r *Report) compared(row *Row) bool {
	if r.Labelled > 0 {
		return true
	}
	shown := r.shown()
	return shown != nil && row.source() == shown.source() && row.Threshold == r.At
}

// Is says whether the recommended setting was weighed by a truth.
func (r *Report) Is(s Source) bool {
	return r.Recommended != nil && s.source() == r.Recommended.source()
}

// truth says what is true.
func (r *Report) truth() string {
	if r.Labelled > 0 {
		return fmt.Sprintf("The truth is %s, whatever their similarity: settings of all shingles and thresholds compare. "+
			"The pairs of this table are those whose exact similarity is high enough.",
			terminal.Several(r.Labelled, "labelled pair"))
	}
	if text := r.Truths(); text != "" {
		return text
	}
	return "A document should leave if an earlier one that stays is as similar as the threshold, exactly."
}

// FirstTitle names the settings that the recommendation was made of.
func (p paged) FirstTitle() string {
	n := terminal.Several(len(p.First), "setting")
	switch shown := p.shown(); {
	case p.Labelled > 0:
		return n + " by the labelled pairs"
	case shown != nil:
		return fmt.Sprintf("%s by %s at %v", n, shown.Compared(), p.At)
	}
	return n
}

// OthersTitle names the other settings.
func (p paged) OthersTitle() string {
	return terminal.Several(len(p.Others), "setting") + " by other truths: other shingles, hashes or thresholds"
}

// plot is a picture, as chart in plot.js of the page draws it.
type plot struct {
	Title  string       `json:"title"`
	X      string       `json:"x"`
	Y      string       `json:"y"`
	Note   string       `json:"note"`
	Left   float64      `json:"left"`
	Right  float64      `json:"right"`
	Low    float64      `json:"low"`
	Top    float64      `json:"top"`
	Log    bool         `json:"log"`          // x is logarithmic
	Xs     []float64    `json:"xs,omitempty"` // where the axis has numbers; at even steps if there are none
	Lines  []namedLine  `json:"lines"`
	Points []namedPoint `json:"points,omitempty"`
	Marks  []mark       `json:"marks"`
	Bars   []bar        `json:"bars"` // in place of all these; nil: there are none
	Mark   *barMark     `json:"mark,omitempty"`
}

type point [2]float64

type line []point

type namedLine struct {
	Name   string `json:"name"`
	Colour int    `json:"colour"`
	Dashed bool   `json:"dashed"`
	Best   bool   `json:"best"`
	Dots   line   `json:"dots"`
}

type namedPoint struct {
	At    point  `json:"at"`
	Name  string `json:"name"`  // is shown under the pointer
	Label string `json:"label"` // stands beside the point; may be empty
	Best  bool   `json:"best"`
}

// mark is a straight line across the plot, with its name.
type mark struct {
	At   float64 `json:"at"`
	Name string  `json:"name"`
	Flat bool    `json:"flat"` // at a y, and not at an x
}

type bar struct {
	Name  string `json:"name"`
	Label string `json:"label"` // below its left end
	Value int    `json:"value"`
	Paint string `json:"paint"`
}

type barMark struct {
	At   float64 `json:"at"` // in bars
	Text string  `json:"text"`
}

// colours is how many colours the style of a page has for lines, --c0 and so on: those of Okabe and Ito ("Color
// Universal Design", 2008), which eyes that confuse red and green tell apart, darker on white and lighter on black.
const colours = 8
