package dedup

import (
	_ "embed"
	"fmt"
	"html"
	"html/template"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/outfile"
	"github.com/unecho/unecho/cmd/internal/report"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/text"
)

//go:embed page.html
var page string

// PageFacts is what the page says beside what the Report has gathered.
type PageFacts struct {
	Summary  Summary
	Settings index.DuplicatesParams
	Text     text.Params // by which words are the same
	Flags    []Line      // what else was asked for
	Outputs  []Line      // output -> file
}

// Line is a row of two columns.
type Line struct{ Name, Value string }

// shownPair is a pair with both texts.
type shownPair struct {
	Title, Note string
	A, B        string // names
	Left, Right []report.Words
}

type shownCluster struct {
	Title string
	Pairs []shownPair
}

// WritePage writes what was gathered as one page.
func (r *Report) WritePage(out io.Writer, about report.About, told PageFacts) error {
	clusters, err := r.shownClusters(told.Text)
	if err != nil {
		return err
	}
	pairs, err := r.shownPairs(told.Text)
	if err != nil {
		return err
	}
	count := func(n int64) string { return terminal.Grouped(int(n)) }
	return report.Write(out, about, page, template.FuncMap{"count": count}, struct {
		PageFacts
		Settings                 []Line
		Similarities, Sizes      template.HTML
		Clusters                 []shownCluster
		Pairs                    []shownPair
		Several                  int64
		Rejected                 []Line
		Threshold, Seconds, Rate string
		Memory                   int64
	}{
		PageFacts: told, Settings: append(settingLines(told.Settings), told.Flags...),
		Similarities: histogram("duplicates", r.similarities()), Sizes: histogram("clusters", r.sizeBars()),
		Clusters: clusters, Pairs: pairs, Several: r.count, Rejected: r.reasons(), Threshold: fmt.Sprint(r.least),
		Seconds: fmt.Sprintf("%.1f", told.Summary.Seconds), Rate: count(int64(told.Summary.DocumentsPerSecond)),
		Memory: told.Summary.PeakRSSBytes >> 20,
	})
}

func settingLines(p index.DuplicatesParams) []Line {
	return []Line{
		{"threshold", fmt.Sprint(p.Threshold)}, {"shingle", p.Shingle}, {"verify", p.Verify}, {"sketch", p.Described()},
	}
}

func (r *Report) reasons() (lines []Line) {
	for _, reason := range slices.Sorted(maps.Keys(r.rejected)) {
		lines = append(lines, Line{reason, terminal.Grouped(int(r.rejected[reason]))})
	}
	return lines
}

func (r *Report) similarities() (bars []bar) {
	for i := range r.bins {
		begins := r.least + (1-r.least)*float64(i)/similarityBins
		name := strings.TrimRight(strings.TrimRight(fmt.Sprintf("%.3f", begins), "0"), ".")
		if i == similarityBins {
			name = "same"
		}
		bars = append(bars, bar{name: name, n: r.bins[i].n})
	}
	return bars
}

func (r *Report) sizeBars() (bars []bar) {
	last := 2
	for i, n := range r.sizes {
		if n > 0 {
			last = max(last, i)
		}
	}
	for i, n := range r.sizes[:last+1] {
		name := []string{"2", "3, 4", "5 to 8"}[min(i, 2)]
		if i > 2 {
			name = "≤ " + short(2<<i)
		}
		bars = append(bars, bar{name: name, n: n})
	}
	return bars
}

// short writes a power of two briefly.
func short(n int) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%d Mi", n>>20)
	case n >= 1<<10:
		return fmt.Sprintf("%d Ki", n>>10)
	}
	return fmt.Sprint(n)
}

func (r *Report) shownClusters(normal text.Params) (all []shownCluster, err error) {
	for _, c := range r.clusters {
		s := shownCluster{Title: fmt.Sprintf("%s of %s", terminal.Several(c.size, "document"), c.name)}
		for _, p := range c.members {
			shown, err := r.shown(p, normal)
			if err != nil {
				return nil, err
			}
			if shown.A != c.name {
				shown.Note += " to " + shown.A
			}
			shown.A = c.name
			s.Pairs = append(s.Pairs, shown)
		}
		all = append(all, s)
	}
	return all, nil
}

// shownPairs are those of each similarity, the least similar first: they decide whether the threshold is right.
func (r *Report) shownPairs(normal text.Params) (all []shownPair, err error) {
	for i := range r.bins {
		for _, p := range r.bins[i].pairs {
			shown, err := r.shown(p, normal)
			if err != nil {
				return nil, err
			}
			all = append(all, shown)
		}
	}
	return all, nil
}

func (r *Report) shown(p sampledPair, normal text.Params) (shownPair, error) {
	s := shownPair{
		Title: terminal.FourDecimals(p.similarity.TenThousandths()), Note: p.method.String(), A: p.nameA, B: p.nameB,
	}
	a, known, err := r.texts.text(p.a)
	if err != nil {
		return s, err
	}
	b, _, err := r.texts.text(p.b)
	if err != nil {
		return s, err
	}
	if !known {
		s.Note += "; the index file does not hold its text"
		s.Right = []report.Words{{Words: report.Shortened(b)}}
		return s, nil
	}
	s.Left, s.Right = report.Sides(a, b, normal)
	return s, nil
}

// beginReport has what the page shows gathered, if a page is asked for.
func (r *dedupRun) beginReport(judge Judge) (err error) {
	if r.HTML == "" {
		return nil
	}
	least := r.Config.Judge.Duplicates.Least()
	first := judge.Next() // an index file holds no texts
	r.report, err = NewReport(float64(least.Num)/float64(least.Den), first)
	return err
}

// page is the file of the page, if one is asked for.
func (r *dedupRun) page() outfile.Single {
	return outfile.Single{Flag: "html", Path: r.HTML, Stdout: r.cmd.OutOrStdout()}
}

// pageReady checks, before anything is read, whether the page can be written.
func (r *dedupRun) pageReady() error {
	onStdout := func(path string) bool { return path == corpus.Stdin }
	return r.page().Ready(r.JSON || slices.ContainsFunc(slices.Collect(maps.Values(r.outputs().Paths)), onStdout))
}

// writeReport writes the page, if one is asked for.
func (r *dedupRun) writeReport(summary Summary) error {
	if r.report == nil {
		return nil
	}
	told := PageFacts{Summary: summary, Settings: r.Config.Judge.Duplicates, Text: r.Config.Judge.Normalize}
	for _, flag := range []string{"matches", "representative", "memory"} {
		told.Flags = append(told.Flags, Line{Name: flag, Value: cmdline.Text(r.cmd, flag)})
	}
	for _, name := range OutputNames() {
		if path := r.outputs().Paths[name]; path != "" {
			told.Outputs = append(told.Outputs, Line{Name: name, Value: path})
		}
	}
	about := cmdline.AboutFiles(r.cmd, append(r.Query[:len(r.Query):len(r.Query)], r.Old...), "unecho dedup", r.version)
	return r.page().Write(func(out io.Writer) error { return r.report.WritePage(out, about, told) })
}

type bar struct {
	name string
	n    int64
}

const (
	histogramWidth  = 440
	histogramHeight = 210
	histogramLow    = 36 // room for names below
	mostBar         = 60
	histogramTop    = 20 // room for numbers above
)

// histogram draws bars, each with its number above and its name below. of says what is counted.
func histogram(of string, bars []bar) template.HTML {
	most := int64(1)
	for _, b := range bars {
		most = max(most, b.n)
	}
	var out strings.Builder
	fmt.Fprintf(&out, `<svg viewBox="0 0 %d %d" role="img" aria-label="%s">`, histogramWidth, histogramHeight,
		html.EscapeString(described(of, bars)))
	step := float64(histogramWidth) / float64(max(len(bars), 1))
	floor := float64(histogramHeight - histogramLow)
	for i, b := range bars {
		height := float64(b.n) / float64(most) * (floor - histogramTop)
		if b.n > 0 {
			height = max(height, 1)
		}
		middle := (float64(i) + .5) * step
		wide := min(.8*step, mostBar)
		fmt.Fprintf(&out, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" style="fill: var(--c0)"/>`, middle-wide/2,
			floor-height, wide, height)
		fmt.Fprintf(&out, `<text x="%.1f" y="%.1f" text-anchor="middle">%s</text>`, middle, floor-height-5, amount(b.n))
		fmt.Fprintf(&out, `<text x="%.1f" y="%.1f" text-anchor="middle">%s</text>`, middle, floor+16, html.EscapeString(b.name))
	}
	fmt.Fprintf(&out, `<path class="grid" d="M0 %.1fH%d"/></svg>`, floor, histogramWidth)
	return template.HTML(out.String()) // all of it is a number, or escaped
}

// amount writes a number in few characters.
func amount(n int64) string {
	switch {
	case n == 0:
		return ""
	case n < 10_000:
		return terminal.Grouped(int(n))
	case n < 1_000_000:
		return fmt.Sprintf("%.0fk", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1fM", float64(n)/1e6)
}

// described says a histogram in words, for who does not see it.
func described(of string, bars []bar) string {
	all := make([]string, len(bars))
	for i, b := range bars {
		all[i] = fmt.Sprintf("%s: %d", b.name, b.n)
	}
	return of + ": " + strings.Join(all, "; ")
}
