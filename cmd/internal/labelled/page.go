package labelled

import (
	_ "embed"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/unecho/unecho/cmd/internal/explain"
	"github.com/unecho/unecho/cmd/internal/sheet"
)

//go:embed page.html
var page string

// shown is a wrong pair with both texts.
type shown struct {
	Wrong
	Left, Right []words
}

// words of one text; Only says that the other text, which is the second if First, lacks them.
type words struct {
	Words       string
	Only, First bool
}

// WritePage writes the result as one page, with the listed pairs side by side. KeepTexts must have been called before
// the documents were added. labels names where the known pairs are from.
func (d *Documents) WritePage(out io.Writer, about sheet.About, e Result, labels string) error {
	return sheet.Write(out, about, page, nil, struct {
		Result
		Settings, Labels            string
		PositivesShown, MissedShown []shown
	}{e, d.settings(), labels, d.sides(e.Positives), d.sides(e.Missed)})
}

// settings returns the settings in one line.
func (d *Documents) settings() string {
	p := d.similarity
	text := fmt.Sprintf("threshold %v, shingle %s, verify %s, ", p.Threshold, p.Shingle, p.Verify)
	scheme, params, err := p.Scheme()
	if err != nil {
		return text + p.Sketch
	}
	described, err := scheme.Describe(params)
	if err != nil {
		return text + p.Sketch
	}
	return text + described
}

func (d *Documents) sides(pairs []Wrong) []shown {
	all := make([]shown, 0, len(pairs))
	for _, w := range pairs {
		s := shown{Wrong: w}
		a, b := string(d.raw[w.a]), string(d.raw[w.b])
		pieces := explain.Words(a, b)
		if pieces == nil { // they are the same words
			pieces = []explain.Piece{{Words: a, In: explain.Both}}
		}
		for _, p := range pieces {
			x := words{Words: shortened(p.Words), Only: p.In == explain.OnlyA || p.In == explain.OnlyB, First: p.In == explain.OnlyA}
			if p.In == explain.Elided {
				x.Words = "…"
			}
			if p.In != explain.OnlyB {
				s.Left = append(s.Left, x)
			}
			if p.In != explain.OnlyA {
				s.Right = append(s.Right, x)
			}
		}
		all = append(all, s)
	}
	return all
}

// mostBytes of a run of words are shown: where texts have little in common, the rest says nothing.
const mostBytes = 1000

func shortened(text string) string {
	if len(text) <= mostBytes {
		return text
	}
	at := mostBytes
	for !utf8.RuneStart(text[at]) {
		at--
	}
	return text[:at] + "…"
}
