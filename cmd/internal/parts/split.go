package parts

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/sentences"
)

// each calls visit with where the parts of a text are, in their order. White space at the end of a part, and blank
// lines, belong to none.
func (u Unit) each(text []byte, visit func(start, end int)) {
	switch u {
	case Sentence:
		eachLine(text, func(start, end int, _ bool) { eachSentence(text, start, end, visit) })
	case Paragraph:
		from, to := 0, 0
		eachLine(text, func(start, end int, apart bool) {
			if apart && to > from {
				visit(from, to)
			}
			if apart {
				from = start
			}
			to = end
		})
		if to > from {
			visit(from, to)
		}
	case Line:
		eachLine(text, func(start, end int, _ bool) { visit(start, end) })
	}
}

// eachLine calls visit with each line that is not blank. apart says that it is the first, or comes after a blank line.
func eachLine(text []byte, visit func(start, end int, apart bool)) {
	apart := true
	for at := 0; at < len(text); {
		length, next := lineEnd(text[at:])
		end := at + len(bytes.TrimRightFunc(text[at:at+length], unicode.IsSpace))
		if end > at {
			visit(at, end, apart)
		}
		apart = end == at
		at += next
	}
}

// lineEnd returns the length of the line that text begins with, without and with what ends it: one of the breaks that
// UAX #29 calls a paragraph's separators.
func lineEnd(text []byte) (length, next int) {
	for i, c := range text {
		switch rest := text[i:]; {
		case c == '\n':
			return i, i + 1
		case c == '\r' && len(rest) > 1 && rest[1] == '\n':
			return i, i + 2
		case c == '\r':
			return i, i + 1
		case c == 0xc2 && bytes.HasPrefix(rest, []byte("\u0085")):
			return i, i + 2
		case c == 0xe2 && (bytes.HasPrefix(rest, []byte("\u2028")) || bytes.HasPrefix(rest, []byte("\u2029"))):
			return i, i + 3
		}
	}
	return len(text), len(text)
}

// wordless is how many characters without a letter or number end a sentence in any case. UAX #29 looks ahead at each of
// them for what follows, so that a million of them would take hours.
const wordless = 32

// eachSentence visits the sentences of a line.
func eachSentence(text []byte, from, to int, visit func(start, end int)) {
	run := 0
	for at := from; at < to; {
		r, size := rune(text[at]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(text[at:to])
		}
		at += size
		if isMark(r) { // the rules pass over it, so that the run goes on behind it
			continue
		}
		if unicode.In(r, unicode.L, unicode.N) {
			run = 0
			continue
		}
		if run++; run == wordless {
			split(text, from, at, visit)
			from, run = at, 0
		}
	}
	split(text, from, to, visit)
}

// isMark says whether a character belongs to the one before it. The voiced sound marks of halfwidth katakana do so too.
func isMark(r rune) bool { return unicode.Is(unicode.M, r) || r == '\uff9e' || r == '\uff9f' }

func split(text []byte, from, to int, visit func(start, end int)) {
	for all := sentences.FromBytes(text[from:to]); all.Next(); {
		n := len(all.Value())
		if end := from + len(bytes.TrimRightFunc(text[from:from+n], unicode.IsSpace)); end > from {
			visit(from, end)
		}
		from += n
	}
}
