package text

import (
	"unicode"
	"unicode/utf8"
)

// Most signs say nothing, and separate words: punctuation, currencies, arrows, shapes, dingbats, emoji. Others carry a
// text: Braille, notations of music and of formulas, letters in squares; and lines and blocks of boxes, as which a text
// is shown that was decoded wrongly. Where more than half of what a text says is such signs, each of them is a letter.
//
//	привет in KOI8-R, decoded as code page 437    ╨╥╔╫┼╘
//	привет in UTF-8, decoded as KOI8-R            п©я─п╦п╡п╣я┌
//
// A sign alone between spaces does not count, nor do one or two that touch no letter, and signs of which one stands twice
// in a row: they are borders, trees and lines. All are letters where the others are.

// carriers are the blocks of signs that carry a text, without those that are also used as a minus, a slash, a point, a
// bar or a colon. Of the blocks only symbols count.
//
//nolint:gochecknoglobals // a table
var carriers = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x2200, 0x2211, 1}, {0x2213, 0x2214, 1}, {0x221a, 0x2222, 1}, {0x2224, 0x2235, 1}, {0x2237, 0x22ff, 1}, // mathematics
		{0x2336, 0x237a, 1}, {0x2395, 0x2395, 1}, // APL
		{0x2500, 0x259f, 1},                                           // boxes and blocks
		{0x27c0, 0x27ef, 1}, {0x2800, 0x28ff, 1}, {0x2980, 0x2aff, 1}, // mathematics, Braille
		{0x2e80, 0x2ef3, 1}, {0x31c0, 0x31e3, 1}, // parts of ideographs
		{0x4dc0, 0x4dff, 1}, {0xa490, 0xa4c6, 1}, // hexagrams, parts of Yi
	},
	R32: []unicode.Range32{
		{0x1cf50, 0x1cfc3, 1}, {0x1d000, 0x1d24f, 1}, {0x1d300, 0x1d356, 1}, // music, tetragrams
		{0x1d800, 0x1daff, 1},                        // Sutton SignWriting
		{0x1f150, 0x1f169, 1}, {0x1f170, 0x1f189, 1}, // letters in circles and squares
		{0x1fb00, 0x1fbef, 1}, // blocks of old terminals
	},
}

// carries says whether r is a sign that may carry a text.
func carries(r rune) bool { return unicode.Is(carriers, r) && unicode.IsSymbol(r) }

// isCarrier says whether r is such a sign, and lost otherwise.
func (m *mapper) isCarrier(r rune) bool {
	if r >= tabled || r < 0x2200 {
		return false
	}
	e := m.lookup(r)
	return e.treatment() == noted && e.class() == symbol
}

// appendSign appends the letters of a sign that carries the text. Of the basic plane it is one of Tangut, which nobody
// reads either, and which has no spaces: the blocks differ in the lowest twelve bits. Of others it is those of the bytes.
func appendSign(dst []byte, r rune) []byte {
	const tangut, low = 0x17000, 1<<12 - 1
	if r < 1<<16 {
		return utf8.AppendRune(dst, tangut+r&low)
	}
	return appendBytes(dst, utf8.AppendRune(nil, r))
}

// signs returns how many bytes of src are signs that carry it.
func (m *mapper) signs(src []byte) (bytes int) {
	var (
		letter, drawn bool // before the run of signs stands a letter; one of them stands twice in a row
		last          rune
		run, length   int // number of signs, and of their bytes
	)
	for i := 0; i <= len(src); {
		r, size := utf8.RuneError, 1 // at the end, as in front of what is no letter
		if i < len(src) {
			r, size = decode(src[i:])
		}
		i += size
		if m.isCarrier(r) {
			drawn = drawn || run > 0 && r == last
			run, length, last = run+1, length+size, r
			continue
		}
		before := letter
		letter = m.isLetter(r)
		if !drawn && (run > 2 || before || letter) {
			bytes += length
		}
		drawn, run, length = false, 0, 0
	}
	return bytes
}
