package tune

import (
	"cmp"
	"fmt"
	"html"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"
)

type point struct{ x, y float64 }

type line []point

// plot is a picture. What it shows is added first and drawn by done, once the ends of the axes are known.
type plot struct {
	Title, X, Y, Note string
	SVG               template.HTML
	left, right       float64
	low, top          float64
	log               bool      // x is logarithmic
	xs, ys            []float64 // where the axes have numbers; five steps if there are none
	room              float64   // for names at the right

	bars   []bar
	points []namedPoint
	lines  []namedLine
	marks  []mark
}

type bar struct{ from, to, height float64 }

type namedPoint struct {
	point
	name  string // is shown under the pointer
	label string // stands beside the point; may be empty
	best  bool
}

type namedLine struct {
	name   string
	more   []string // further names of the same line
	line   line
	colour int
	dashed bool
	best   bool
	beside *point // the name stands left of this point; nil is right of the line's end
}

// mark is a straight line across the plot, with its name.
type mark struct {
	at   float64
	name string
	flat bool // at a y, and not at an x
}

const (
	plotWidth, plotHeight = 520.0, 320.0
	marginLeft, marginLow = 58.0, 46.0
	marginRest            = 18.0
	lineHeight            = 13.0
)

// colours is how many colours the style of a page has for lines, --c0 and so on: those of Okabe and Ito ("Color
// Universal Design", 2008), which eyes that confuse red and green tell apart, darker on white and lighter on black.
const colours = 8

func (p *plot) bar(from, to, height float64) { p.bars = append(p.bars, bar{from, to, height}) }

func (p *plot) x(v float64) float64 {
	wide := plotWidth - marginLeft - marginRest - p.room
	if p.log {
		v, left, right := math.Log(v), math.Log(p.left), math.Log(p.right)
		return marginLeft + (v-left)/max(right-left, 1e-9)*wide
	}
	return marginLeft + (v-p.left)/max(p.right-p.left, 1e-9)*wide
}

func (p *plot) y(v float64) float64 {
	return plotHeight - marginLow - (v-p.low)/max(p.top-p.low, 1e-9)*(plotHeight-marginLow-marginRest)
}

// even returns numbers for an axis from low to at least top, in up to six steps of 1, 2 or 5 times a power of ten, or of
// least.
func even(low, top, least float64) []float64 {
	step := math.Pow(10, math.Floor(math.Log10(max(top-low, 1e-9))))
	for _, times := range []float64{0.1, 0.2, 0.5, 1, 2} {
		if (top-low)/(times*step) <= 6 {
			step *= times
			break
		}
	}
	step = max(step, least)
	var all []float64
	for i := math.Floor(low/step + 1e-9); ; i++ {
		all = append(all, i*step)
		if i*step >= top-step*1e-9 {
			return all
		}
	}
}

// decades returns numbers for a logarithmic axis: 1, 2 and 5 times powers of ten.
func decades(left, right float64) []float64 {
	var all []float64
	for unit := math.Pow(10, math.Floor(math.Log10(left))); unit <= right; unit *= 10 {
		for _, times := range []float64{1, 2, 5} {
			if v := times * unit; v >= left && v <= right {
				all = append(all, v)
			}
		}
	}
	return all
}

// done draws the plot.
func (p plot) done() plot {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg viewBox="0 0 %v %v" role="img" aria-label="%s">`, plotWidth, plotHeight,
		html.EscapeString(p.Title))
	p.axes(&b)
	for _, r := range p.bars {
		fmt.Fprintf(&b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" style="fill:var(--c0)"><title>%v to %v: %v</title></rect>`,
			p.x(r.from)+0.5, p.y(r.height), p.x(r.to)-p.x(r.from)-1, p.y(p.low)-p.y(r.height), short(r.from),
			short(r.to), r.height)
	}
	for _, m := range p.marks {
		p.mark(&b, m)
	}
	for _, l := range p.lines {
		p.draw(&b, l)
	}
	p.drawPoints(&b)
	p.names(&b) // over all lines, so that none crosses a name out
	b.WriteString("</svg>")
	p.SVG = template.HTML(b.String()) // all text in it was escaped above
	return p
}

// axes draws a grid, its numbers and the names of the axes.
func (p *plot) axes(b *strings.Builder) {
	xs, ys := p.xs, p.ys
	if xs == nil {
		xs = even(p.left, p.right, 0)
	}
	if ys == nil {
		ys = even(p.low, p.top, 0)
	}
	for _, x := range xs {
		if x >= p.left-1e-9 && x <= p.right+1e-9 {
			fmt.Fprintf(b, `<path class="grid" d="M%.1f %.1fV%.1f"/>`, p.x(x), p.y(p.low), p.y(p.top))
			fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="middle">%s</text>`, p.x(x), p.y(p.low)+16, short(x))
		}
	}
	for _, y := range ys {
		if y >= p.low-1e-9 && y <= p.top+1e-9 {
			fmt.Fprintf(b, `<path class="grid" d="M%.1f %.1fH%.1f"/>`, p.x(p.left), p.y(y), p.x(p.right))
			fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="end">%s</text>`, p.x(p.left)-6, p.y(y)+4, short(y))
		}
	}
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="middle">%s</text>`, (p.x(p.left)+p.x(p.right))/2, plotHeight-8,
		html.EscapeString(p.X))
	fmt.Fprintf(b, `<text transform="translate(11 %.1f) rotate(-90)" text-anchor="middle">%s</text>`,
		(plotHeight-marginLow+marginRest)/2, html.EscapeString(p.Y))
}

func (p *plot) mark(b *strings.Builder, m mark) {
	x, y, anchor := p.x(m.at), p.y(p.top)-5, "middle"
	if m.flat {
		fmt.Fprintf(b, `<path class="at" d="M%.1f %.1fH%.1f"/>`, p.x(p.left), p.y(m.at), p.x(p.right))
		x, anchor = p.x(p.left), "start"
	} else {
		fmt.Fprintf(b, `<path class="at" d="M%.1f %.1fV%.1f"/>`, x, p.y(p.low), p.y(p.top))
	}
	fmt.Fprintf(b, `<text class="name" x="%.1f" y="%.1f" text-anchor="%s">%s</text>`, x, y, anchor,
		html.EscapeString(m.name))
}

func (p *plot) draw(b *strings.Builder, l namedLine) {
	if len(l.line) == 0 {
		return
	}
	width, dash := 1.8, ""
	if l.best {
		width = 3.2
	}
	if l.dashed {
		dash = ";stroke-dasharray:6 4"
	}
	fmt.Fprintf(b, `<polyline fill="none" style="stroke:var(--c%d);stroke-width:%v%s" points="`, l.colour%colours, width, dash)
	for _, pt := range l.line {
		fmt.Fprintf(b, "%.1f,%.1f ", p.x(pt.x), p.y(pt.y))
	}
	fmt.Fprintf(b, `"><title>%s</title></polyline>`, html.EscapeString(l.name))
	if len(l.line) < 12 { // a curve has many more
		for _, pt := range l.line {
			fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="3" style="fill:var(--c%d)"><title>%s: %s at %s</title></circle>`,
				p.x(pt.x), p.y(pt.y), l.colour%colours, html.EscapeString(l.name), short(pt.y), short(pt.x))
		}
	}
}

// names writes the names of lines beside them. Those at the right are moved apart.
func (p *plot) names(b *strings.Builder) {
	type name struct {
		namedLine
		y float64
	}
	var right []name
	for _, l := range p.lines {
		switch {
		case len(l.line) == 0:
		case l.beside != nil:
			p.name(b, l, p.x(l.beside.x)-6, p.y(l.beside.y)+4, "end")
		default:
			right = append(right, name{l, p.y(l.line[len(l.line)-1].y) + 4})
			for _, also := range l.more {
				l.name = also
				right = append(right, name{l, right[len(right)-1].y})
			}
		}
	}
	slices.SortStableFunc(right, func(a, b name) int { return cmp.Compare(a.y, b.y) })
	for i := range right {
		if i > 0 {
			right[i].y = max(right[i].y, right[i-1].y+lineHeight)
		}
		p.name(b, right[i].namedLine, p.x(p.right)+8, right[i].y, "start")
	}
}

func (p *plot) name(b *strings.Builder, l namedLine, x, y float64, anchor string) {
	weight := 400
	if l.best {
		weight = 700
	}
	fmt.Fprintf(b, `<text class="name" x="%.1f" y="%.1f" text-anchor="%s" style="fill:var(--c%d);font-weight:%d">%s</text>`, x, y,
		anchor, l.colour%colours, weight, html.EscapeString(l.name))
}

// drawPoints draws the points, and the labels of some, moved apart where they would cover each other.
func (p *plot) drawPoints(b *strings.Builder) {
	sorted := slices.Clone(p.points)
	slices.SortStableFunc(sorted, func(a, b namedPoint) int { return cmp.Compare(a.x, b.x) })
	var placed []point
	for _, pt := range sorted {
		colour, size := 0, 3.5
		if pt.best {
			colour, size = 1, 6
		}
		fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="%v" style="fill:var(--c%d)" fill-opacity="0.75"><title>%s</title></circle>`,
			p.x(pt.x), p.y(pt.y), size, colour, html.EscapeString(pt.name))
		if pt.label == "" {
			continue
		}
		at, down := point{p.x(pt.x), p.y(pt.y) + 16}, lineHeight
		if at.y > p.y(p.low)-4 {
			at.y, down = p.y(pt.y)-8, -lineHeight
		}
		for slices.ContainsFunc(placed, func(q point) bool {
			return math.Abs(q.x-at.x) < 6.5*float64(len(pt.label)) && math.Abs(q.y-at.y) < lineHeight
		}) {
			at.y += down
		}
		placed = append(placed, at)
		fmt.Fprintf(b, `<text class="name" x="%.1f" y="%.1f" text-anchor="middle" style="fill:var(--c%d)">%s</text>`, at.x, at.y,
			colour, html.EscapeString(pt.label))
	}
}

// short formats a number with up to four significant digits, thousands as k.
func short(x float64) string {
	if x >= 10_000 {
		return short(x/1000) + "k"
	}
	digits := 4
	for rest := x; rest >= 1 && digits > 0; rest /= 10 {
		digits--
	}
	text := strconv.FormatFloat(x, 'f', digits, 64)
	if digits > 0 {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}
