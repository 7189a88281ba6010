package report

import (
	"github.com/unecho/unecho/index/text"
)

// Words are a run of words of one of two texts. Only says that the other text lacks them; First that this is the first.
type Words struct {
	Words       string
	Only, First bool
}

// Sides compares two texts word by word, to be shown side by side by the template "side". Words are the same if their normal
// forms are.
func Sides(a, b string, p text.Params) (left, right []Words) {
	pieces := Diff(a, b, p)
	if pieces == nil { // they are the same words
		pieces = []Piece{{Words: a, InB: b, In: Both}}
	}
	for _, p := range pieces {
		x := Words{Words: Shortened(p.Words), Only: p.In == OnlyA || p.In == OnlyB, First: p.In == OnlyA}
		if p.In == Elided {
			x.Words = "…"
		}
		if p.In != OnlyB {
			left = append(left, x)
		}
		if p.In == Both {
			x.Words = Shortened(p.InB)
		}
		if p.In != OnlyA {
			right = append(right, x)
		}
	}
	return left, right
}

// mostBytes of a run of words are shown: where texts have little in common, the rest says nothing.
const mostBytes = 1000

// Shortened returns the beginning of a long text.
func Shortened(long string) string {
	if len(long) <= mostBytes {
		return long
	}
	return text.Cut(long, mostBytes) + "…"
}
