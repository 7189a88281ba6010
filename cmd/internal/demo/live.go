package demo

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/sink"
)

// liveView writes to a terminal: a line for each verdict and, below them, a line with the counts that is redrawn each
// time. It uses only colours, carriage return and erase-to-end-of-line, so that a killed process leaves the terminal
// intact.
type liveView struct {
	out     io.Writer
	options viewOptions
	width   int
	lines   bytes.Buffer // since the last refresh
	counts  map[string]int
	shown   int
	samples []sample
	status  string // as it is on the terminal
	err     error
}

// sample is the number of documents at a moment.
type sample struct {
	at    time.Time
	shown int
}

// speedOver is the period over which the speed is measured.
const speedOver = 3 * time.Second

func newLiveView(out io.Writer, o viewOptions) *liveView {
	return &liveView{out: out, options: o, width: o.Width(), counts: map[string]int{}}
}

func (v *liveView) show(e event) {
	v.counts[e.Verdict]++
	v.shown++
	v.lines.WriteString(v.line(e))
	v.lines.WriteByte('\n')
}

func (v *liveView) refresh(now time.Time) error {
	v.width = v.options.Width()
	v.samples = append(v.samples, sample{now, v.shown})
	for len(v.samples) > 2 && now.Sub(v.samples[1].at) >= speedOver {
		v.samples = v.samples[1:]
	}
	if status := v.statusLine(); status != v.status || v.lines.Len() > 0 {
		v.write(status)
	}
	return v.err
}

func (v *liveView) close() error {
	v.write("")
	return v.err
}

// write replaces the status line by the new lines and a new status line, in one write, so that nothing flickers.
func (v *liveView) write(status string) {
	text := terminal.EraseLine + v.lines.String() + status
	v.lines.Reset()
	v.status = status
	if err := v.options.Screen.Draw(v.out, text, status != ""); v.err == nil {
		v.err = err
	}
}

// Styles, by the terminal's numbers.
const (
	bold    = "1"
	dim     = "2"
	red     = "31"
	green   = "32"
	yellow  = "33"
	regular = ""
)

func (v *liveView) style(style, text string) string {
	if !v.options.Color || style == regular || strings.TrimSpace(text) == "" {
		return text
	}
	return "\x1b[" + style + "m" + text + "\x1b[0m"
}

// Least widths, in columns, at which a line has room for more than verdict, similarity and title.
const (
	roomForTime     = 72
	roomForProgress = 100
	roomForOutlet   = 110
	outletColumns   = 20
)

func (v *liveView) line(e event) string {
	var b strings.Builder
	room := v.width - 1 // a full line would wrap on some terminals
	put := func(style, text string, to int) {
		text = terminal.Pad(terminal.Printable(text, min(to, room)), min(to, room))
		room = max(0, room-to-1)
		b.WriteString(v.style(style, text))
		if room > 0 {
			b.WriteByte(' ')
		}
	}
	if v.width >= roomForTime {
		put(dim, e.At.Format(time.TimeOnly), len(time.TimeOnly))
	}
	put(verdictStyle(e.Verdict), e.Verdict, len(sink.Duplicate))
	bar, number := "", ""
	if e.Verdict == sink.Duplicate {
		// The bar is empty at .5 and full at 1: what lies below .5 is of no interest here.
		bar, number = terminal.Bar(float64(e.Similarity-5000)/5000, barColumns), terminal.FourDecimals(e.Similarity)[:4]
	}
	if v.width >= roomForTime {
		put(verdictStyle(e.Verdict), bar, barColumns)
	}
	put(regular, number, 4)
	if v.width >= roomForOutlet {
		put(dim, e.Outlet, outletColumns)
	}
	about := v.about(e)
	title := room
	if about != "" {
		title = max(room/3, room-terminal.Columns(about)-1)
	}
	put(regular, cmp.Or(e.Title, e.ID), title)
	put(dim, about, room)
	return strings.TrimRight(b.String(), " ")
}

// about returns what a duplicate matched, or why a document was rejected.
func (v *liveView) about(e event) string {
	text := ""
	switch e.Verdict {
	case sink.Duplicate:
		text = fmt.Sprintf("copy %d of %s", e.Copy, e.MatchID)
		more := e.MatchOutlet
		if e.MatchTitle != e.Title {
			more = e.MatchTitle
		}
		if v.width >= roomForOutlet && more != "" {
			text += ", " + more
		}
	case sink.Rejected:
		text = e.Reason + ": " + e.Detail
	}
	return terminal.Printable(text, v.width)
}

func verdictStyle(verdict string) string {
	switch verdict {
	case sink.Unique:
		return green
	case sink.Duplicate:
		return yellow
	case sink.Rejected:
		return red
	}
	return regular
}

const (
	barColumns      = 6
	progressColumns = 16
)

func (v *liveView) statusLine() string {
	var parts []string
	if v.options.Page != nil && v.options.Page() != "" { // it was said at the start, which is far above by now
		parts = append(parts, v.options.Page())
	}
	if total := v.options.Total; total > 0 {
		share := min(1, float64(v.shown)/float64(total))
		if v.width >= roomForProgress {
			done := terminal.Bar(share, progressColumns)
			parts = append(parts, done+strings.Repeat("░", progressColumns-terminal.Columns(done)))
		}
		parts = append(parts, fmt.Sprintf("%.0f %%", 100*share), terminal.Grouped(v.shown)+" of "+terminal.Grouped(total))
	} else {
		parts = append(parts, "documents: "+terminal.Grouped(v.shown))
	}
	for _, verdict := range []string{sink.Unique, sink.Duplicate, sink.Rejected} {
		parts = append(parts, terminal.Grouped(v.counts[verdict])+" "+verdict)
	}
	parts = append(parts, terminal.Grouped(v.speed())+"/s")
	return v.style(bold, terminal.Printable(strings.Join(parts, " · "), v.width-1))
}

// speed returns the documents per second over the last samples.
func (v *liveView) speed() int {
	if len(v.samples) == 0 {
		return 0
	}
	first, last := v.samples[0], v.samples[len(v.samples)-1]
	seconds := last.at.Sub(first.at).Seconds()
	if seconds <= 0 {
		return 0
	}
	return int(math.Round(float64(last.shown-first.shown) / seconds))
}
