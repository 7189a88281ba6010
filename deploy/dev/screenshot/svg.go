package main

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"
	"time"
)

// These are the measures of the picture. A character of the usual fixed-width fonts is six tenths as wide as the font
// is high.
const (
	fontSize   = 13
	charWidth  = 0.6 * fontSize
	lineHeight = 18
	margin     = 16
	rest       = 6 * time.Second // how long the end stays
)

// head has the colours for light and for dark surroundings. A viewer who wants no motion sees the end.
const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %[1]d %[2]d" width="%[1]d" height="%[2]d" role="img" aria-labelledby="t">
<title id="t">%[3]s: verdicts fall, and a summary holds them against the exact similarities</title>
<style>
svg { --fg: #1f2328; --bg: #ffffff; --edge: #d1d9e0; --dim: #59636e; --red: #cf222e; --green: #1a7f37; --yellow: #9a6700 }
@media (prefers-color-scheme: dark) {
svg { --fg: #e6edf3; --bg: #0d1117; --edge: #3d444d; --dim: #9198a1; --red: #f85149; --green: #3fb950; --yellow: #d29922 }
}
text { font: %[4]dpx ui-monospace, SFMono-Regular, Menlo, 'DejaVu Sans Mono', 'Liberation Mono', monospace; fill: var(--fg); white-space: pre }
.b { font-weight: bold } .d { fill: var(--dim) } .r { fill: var(--red) } .g { fill: var(--green) } .y { fill: var(--yellow) }
.page { fill: var(--bg); stroke: var(--edge) }
`

// picture draws a recording as two strips, each of which is moved behind a window: the lines that scroll, and below
// them the line that is written anew.
func picture(c cast) []byte {
	frames, lines := c.frames()
	shown := c.Height - 1 // rows for lines; the last one is for the status
	whole := frames[len(frames)-1].at + rest
	w, h := int(float64(c.Width)*charWidth)+2*margin, c.Height*lineHeight+2*margin
	var b bytes.Buffer
	fmt.Fprintf(&b, head, w, h, c.Command, fontSize)
	prompt := line{}
	for _, char := range "$ " + c.Command {
		prompt = append(prompt, cell{char: char, style: "1"})
	}
	lines = append([]line{prompt}, lines...)
	moves(&b, "lines", frames, whole, func(_ int, f frame) int { return shown - (f.lines + 1) })
	moves(&b, "status", frames, whole, func(i int, _ frame) int { return -i })
	b.WriteString("</style>\n")
	fmt.Fprintf(&b, `<rect class="page" x="0.5" y="0.5" width="%d" height="%d" rx="6"/>`+"\n", w-1, h-1)
	strip(&b, "lines", margin, shown, w, lines)
	var status []line
	for _, f := range frames {
		status = append(status, f.status)
	}
	strip(&b, "status", margin+shown*lineHeight, 1, w, status)
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// moves writes the position of a strip in each frame, in rows, and at the end.
func moves(b *bytes.Buffer, name string, frames []frame, whole time.Duration, row func(int, frame) int) {
	last := len(frames) - 1
	fmt.Fprintf(b, "#%s { transform: translateY(%dpx); animation: %[1]s %.1[3]fs step-end infinite }\n",
		name, row(last, frames[last])*lineHeight, whole.Seconds())
	fmt.Fprintf(b, "@keyframes %s {\n", name)
	before, from := 0, "0%"
	for i, f := range frames {
		if now := row(i, f); i == 0 || now != before {
			fmt.Fprintf(b, "%s { transform: translateY(%dpx) }\n", from, now*lineHeight)
			before = now
		}
		if i < last {
			from = fmt.Sprintf("%.2f%%", 100*frames[i+1].at.Seconds()/whole.Seconds())
		}
	}
	fmt.Fprintf(b, "}\n@media (prefers-reduced-motion: reduce) { #%s { animation: none } }\n", name)
}

// strip writes lines behind a window of some rows.
func strip(b *bytes.Buffer, name string, y, rows, w int, lines []line) {
	fmt.Fprintf(b, `<svg y="%d" width="%d" height="%d"><g id="%s">`+"\n", y, w, rows*lineHeight, name)
	for i, l := range lines {
		if l.text() != "" {
			fmt.Fprintf(b, `<text y="%d">%s</text>`+"\n", i*lineHeight+fontSize, spans(l))
		}
	}
	b.WriteString("</g></svg>\n")
}

// spans writes the runs of a line that have one style. Each is put at its column, whatever the font.
func spans(l line) string {
	var b strings.Builder
	for i := 0; i < len(l); {
		if l[i].char == ' ' {
			i++
			continue
		}
		from, text := i, ""
		for i < len(l) && l[i].style == l[from].style && !gap(l[i:]) {
			text += string(l[i].char)
			i++
		}
		var escaped bytes.Buffer
		_ = xml.EscapeText(&escaped, []byte(strings.TrimRight(text, " "))) // a buffer takes everything
		class := ""
		if name := classOf(l[from].style); name != "" {
			class = ` class="` + name + `"`
		}
		fmt.Fprintf(&b, `<tspan x="%.1f"%s>%s</tspan>`, margin+float64(from)*charWidth, class, escaped.String())
	}
	return b.String()
}

// gap says whether two spaces begin here, because what follows them stands in a column.
func gap(l line) bool { return len(l) > 1 && l[0].char == ' ' && l[1].char == ' ' }

func classOf(style string) string {
	switch style {
	case "1":
		return "b"
	case "2":
		return "d"
	case "31":
		return "r"
	case "32":
		return "g"
	case "33":
		return "y"
	}
	return ""
}
