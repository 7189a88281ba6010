package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/unecho/unecho/index/text"
)

// Piece is a run of words of the two texts.
type Piece struct {
	Words string // of A, if it has them, or of B
	InB   string // of what both have, the words of B: they may differ in what does not count, such as case
	In    Side
}

// Side says which of the two texts a piece is in.
type Side uint8

// Sides. Elided replaces words that both have, away from any change.
const (
	Both Side = iota
	OnlyA
	OnlyB
	Elided
)

// Diff compares two texts word by word, and leaves out words far from any change. Words are the same if their normal forms
// are. Of texts of the same words it returns nothing.
func Diff(a, b string, p text.Params) []Piece {
	left, right := wordsOf(a, p), wordsOf(b, p)
	if len(left.keys) == 0 || len(right.keys) == 0 { // a text without words is compared as it is
		left, right = asTheyAre(a), asTheyAre(b)
	}
	steps := stepsOf(string(diff.Diff("a", left.lines(), "b", right.lines())))
	spread(steps, left, right) // what is in one text alone
	spread(steps, left, right) // and what hangs together with that, behind it and before it
	slices.Reverse(steps)
	spread(steps, left, right) // what is in one text alone
	spread(steps, left, right) // and what hangs together with that, behind it and before it
	slices.Reverse(steps)
	var all runs
	for _, s := range steps {
		switch {
		case s.in == Elided:
			all.add(Elided, "", "")
		case s.in == OnlyA || s.in == Both && left.changed[left.of[s.a]]:
			all.add(OnlyA, left.take(s.a), "")
			if s.in == Both {
				all.add(OnlyB, right.take(s.b), "")
			}
		case s.in == OnlyB:
			all.add(OnlyB, right.take(s.b), "")
		default:
			all.add(Both, left.take(s.a), right.take(s.b))
		}
	}
	return all.pieces()
}

// words are those of a text, between white space, and what is compared of them: one word may have several keys, as
// "well-kept" has.
type words struct {
	all     []string
	keys    []string
	of      []int // key -> word
	changed []bool
	taken   int // how many words are in pieces
}

// wordsOf returns the words of a text by their normal forms. What has none, such as a dash, belongs to the word before it.
func wordsOf(of string, p text.Params) *words {
	p.MaxBytes = 0
	n, w, key := text.NewNormalizer(p), &words{}, []byte(nil)
	lead := ""
	for word := range strings.FieldsSeq(of) {
		if key = n.Append(key[:0], []byte(word)); len(key) > 0 && key[0] != ' ' {
			for part := range strings.FieldsSeq(string(key)) {
				w.keys, w.of = append(w.keys, part), append(w.of, len(w.all))
			}
			w.all, lead = append(w.all, lead+word), ""
			continue
		}
		if len(w.all) == 0 {
			lead += word + " "
			continue
		}
		w.all[len(w.all)-1] += " " + word
	}
	w.changed = make([]bool, len(w.all))
	return w
}

func asTheyAre(of string) *words {
	w := &words{all: strings.Fields(of)}
	w.keys, w.changed = w.all, make([]bool, len(w.all))
	for i := range w.all {
		w.of = append(w.of, i)
	}
	return w
}

func (w *words) lines() []byte {
	if len(w.keys) == 0 {
		return nil
	}
	return []byte(strings.Join(w.keys, "\n") + "\n")
}

// take returns the word of a key, if it was not taken for a key before.
func (w *words) take(key int) string {
	word := w.of[key]
	if word < w.taken {
		return ""
	}
	w.taken = word + 1
	return w.all[word]
}

type step struct {
	in   Side
	a, b int // keys
}

func stepsOf(changes string) (steps []step) {
	at := step{}
	behind := strings.SplitAfterN(changes, "\n", 4) // the names stand before
	if len(behind) < 4 {
		return nil
	}
	for line := range strings.Lines(behind[3]) {
		at.in = map[byte]Side{' ': Both, '-': OnlyA, '+': OnlyB, '@': Elided}[line[0]]
		if at.in == Elided {
			at.a, at.b = placesOf(line)
		}
		steps = append(steps, at)
		if at.in == Both || at.in == OnlyA {
			at.a++
		}
		if at.in == Both || at.in == OnlyB {
			at.b++
		}
	}
	return steps
}

// placesOf reads where what follows begins: @@ -first,lines +first,lines @@, from 1, and 0 where there are no lines.
func placesOf(line string) (a, b int) {
	var n, m int
	if _, err := fmt.Sscanf(line, "@@ -%d,%d +%d,%d @@", &a, &n, &b, &m); err != nil {
		return 0, 0 // the library writes none of these
	}
	return max(a-1, 0), max(b-1, 0)
}

// spread marks words of which a part has changed, and those of the other text with the same parts.
func spread(steps []step, left, right *words) {
	for _, s := range steps {
		switch s.in {
		case OnlyA:
			left.changed[left.of[s.a]] = true
		case OnlyB:
			right.changed[right.of[s.b]] = true
		case Both:
			a, b := &left.changed[left.of[s.a]], &right.changed[right.of[s.b]]
			*a = *a || *b
			*b = *a
		case Elided:
		}
	}
}

// run is a piece that is being gathered.
type run struct {
	in         Side
	words, inB []string
}

type runs []run

// add adds a word of A, or of B alone, and the word of B if both have it. Either may be empty: it was added before.
func (r *runs) add(in Side, word, inB string) {
	if in != Elided && word+inB == "" {
		return
	}
	if len(*r) == 0 || (*r)[len(*r)-1].in != in {
		*r = append(*r, run{in: in})
	}
	last := &(*r)[len(*r)-1]
	if word != "" {
		last.words = append(last.words, word)
	}
	if inB != "" {
		last.inB = append(last.inB, inB)
	}
}

func (r *runs) pieces() (all []Piece) {
	for _, part := range *r {
		all = append(all, Piece{Words: strings.Join(part.words, " "), InB: strings.Join(part.inB, " "), In: part.in})
	}
	return all
}

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
