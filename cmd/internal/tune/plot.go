package tune

import (
	"fmt"
	"html"
	"html/template"
	"math"
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
	log               bool // x is logarithmic
	legendLow         bool // the legend is at the bottom, as the lines run at the top

	bars   []bar
	points line
	lines  []namedLine
}

type bar struct{ from, to, height float64 }

type namedLine struct {
	name string
	line line
}

const (
	plotWidth, plotHeight = 460.0, 280.0
	marginLeft, marginLow = 64.0, 46.0
	marginRest            = 14.0
)

// colours tell lines apart, for eyes that confuse red and green too (Okabe and Ito, "Color Universal Design", 2008).
func colours() []string {
	return []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999999"}
}

func (p *plot) bar(from, to, height float64) { p.bars = append(p.bars, bar{from, to, height}) }

func (p *plot) dots(points line) { p.points = append(p.points, points...) }

func (p *plot) line(name string, l line) { p.lines = append(p.lines, namedLine{name, l}) }

func (p *plot) x(v float64) float64 {
	if p.log {
		v, left, right := math.Log(v), math.Log(p.left), math.Log(p.right)
		return marginLeft + (v-left)/max(right-left, 1e-9)*(plotWidth-marginLeft-marginRest)
	}
	return marginLeft + (v-p.left)/max(p.right-p.left, 1e-9)*(plotWidth-marginLeft-marginRest)
}

func (p *plot) y(v float64) float64 {
	return plotHeight - marginLow - (v-p.low)/max(p.top-p.low, 1e-9)*(plotHeight-marginLow-marginRest)
}

// round returns the next number from x up that divides well into five steps.
func round(x float64) float64 {
	if x <= 0 {
		return 1
	}
	unit := math.Pow(10, math.Floor(math.Log10(x)))
	for _, times := range []float64{1, 1.5, 2, 2.5, 3, 4, 5, 7.5} {
		if times*unit >= x {
			return times * unit
		}
	}
	return 10 * unit
}

// done draws the plot.
func (p plot) done() plot {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg viewBox="0 0 %v %v" role="img" aria-label="%s">`, plotWidth, plotHeight,
		html.EscapeString(p.Title))
	p.axes(&b)
	for _, r := range p.bars {
		fmt.Fprintf(&b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"><title>%v to %v: %v</title></rect>`,
			p.x(r.from)+0.5, p.y(r.height), p.x(r.to)-p.x(r.from)-1, p.y(0)-p.y(r.height), colours()[0], short(r.from),
			short(r.to), r.height)
	}
	for _, pt := range p.points {
		fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="3" fill="%s" fill-opacity="0.5"><title>%s, %s</title></circle>`,
			p.x(pt.x), p.y(pt.y), colours()[0], short(pt.x), short(pt.y))
	}
	for i, l := range p.lines {
		p.draw(&b, l, colours()[i%len(colours())])
	}
	for i, l := range p.lines { // over all lines, so that none crosses a name out
		p.name(&b, l, colours()[i%len(colours())], i)
	}
	b.WriteString("</svg>")
	p.SVG = template.HTML(b.String()) //nolint:gosec // all text in it was escaped above
	return p
}

// axes draws a grid of five steps, its labels and the names.
func (p *plot) axes(b *strings.Builder) {
	const steps = 5
	for i := range steps + 1 {
		x, y := p.left+(p.right-p.left)*float64(i)/steps, p.low+(p.top-p.low)*float64(i)/steps
		label := short(x)
		if p.log {
			x = p.left * math.Pow(p.right/p.left, float64(i)/steps)
			label = strconv.FormatFloat(x, 'g', 2, 64)
		}
		fmt.Fprintf(b, `<path class="grid" d="M%.1f %.1fV%.1fM%.1f %.1fH%.1f"/>`, p.x(x), p.y(p.low), p.y(p.top), p.x(p.left),
			p.y(y), p.x(p.right))
		fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="middle">%s</text>`, p.x(x), p.y(p.low)+16, label)
		fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="end">%s</text>`, p.x(p.left)-6, p.y(y)+4, short(y))
	}
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="middle">%s</text>`, (marginLeft+plotWidth)/2, plotHeight-8,
		html.EscapeString(p.X))
	fmt.Fprintf(b, `<text transform="translate(11 %.1f) rotate(-90)" text-anchor="middle">%s</text>`,
		(plotHeight-marginLow)/2, html.EscapeString(p.Y))
}

func (p *plot) draw(b *strings.Builder, l namedLine, colour string) {
	if len(l.line) == 0 {
		return
	}
	b.WriteString(`<polyline fill="none" stroke-width="2" stroke="` + colour + `" points="`)
	for _, pt := range l.line {
		fmt.Fprintf(b, "%.1f,%.1f ", p.x(pt.x), p.y(pt.y))
	}
	b.WriteString(`"/>`)
	for _, pt := range l.line[:min(len(l.line), 1)] { // a line of one point would not be visible
		fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>`, p.x(pt.x), p.y(pt.y), colour)
	}
}

func (p *plot) name(b *strings.Builder, l namedLine, colour string, number int) {
	if len(l.line) > 0 {
		fmt.Fprintf(b, `<text class="name" x="%.1f" y="%.1f" fill="%s">%s</text>`, p.x(p.left)+8, p.legend(number), colour,
			html.EscapeString(l.name))
	}
}

// legend returns the place of a line's name.
func (p *plot) legend(number int) float64 {
	if p.legendLow {
		return p.y(p.low) - 8 - 14*float64(len(p.lines)-1-number)
	}
	return p.y(p.top) + 14 + 14*float64(number)
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
