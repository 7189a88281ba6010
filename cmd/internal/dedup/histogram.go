package dedup

import (
	"fmt"
	"html"
	"html/template"
	"strings"

	"github.com/unecho/unecho/cmd/internal/terminal"
)

// bar is a bar of a histogram.
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
