package text

import (
	"unicode"
	"unicode/utf8"
)

// A code point is unread if nothing is known of what it says: U+FFFD, those for private use and those that are not
// assigned, the controls beyond ASCII, and each byte that is not UTF-8. Text in an encoding other than UTF-8 is full of
// them. They do not vanish: their bytes are letters of the word that they stand in. Where more than 5 % of what a text
// says is unread, the rest of it may not be what was written either, and the text is compared by its bytes.
//
// What a text says is counted in bytes: those that are unread, and those of the letters, marks and numbers of its normal
// form. Signs, white space, ASCII controls and emoji say nothing, nor does what the options take away. The exception are
// the signs that carry a text (carriers).

// unreadShare is the part of a text that may be unread, as 1/unreadShare.
const unreadShare = 20

// ByBytes says whether the text of the last Append is compared by its bytes, because more than 5 % of it is unread.
func (n *Normalizer) ByBytes() bool { return n.byBytes }

// isUnread says whether r is unread. Where pictographs are to come, what is not assigned is an emoji.
func isUnread(r rune) bool {
	const nextLine = 0x85
	switch {
	case r < 0x80:
		return false
	case r < 0xa0:
		return r != nextLine
	case r == utf8.RuneError:
		return true
	}
	return !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z, unicode.Cf) &&
		!isInvisible(r) && !isPictograph(r)
}

// isPictograph says whether r is in the blocks that Unicode keeps for pictographs, assigned or not.
func isPictograph(r rune) bool { return r >= 0x1f000 && r <= 0x1faff || r >= 0x1fc00 && r <= 0x1fffd }

// notes says whether src has something unread, or a sign that may carry the text.
func (m *mapper) notes(src []byte) bool {
	for i := asciiLen(src); i < len(src); {
		r, size := utf8.DecodeRune(src[i:])
		if m.isUnread(r) || m.isCarrier(r) {
			return true
		}
		i += size
	}
	return false
}

// unread returns how many bytes of src are unread.
func (m *mapper) unread(src []byte) (bytes int) {
	for i := asciiLen(src); i < len(src); {
		r, size := utf8.DecodeRune(src[i:])
		if m.isUnread(r) {
			bytes += size
		}
		i += size
	}
	return bytes
}

func (m *mapper) isUnread(r rune) bool {
	if r < tabled {
		e := m.lookup(r)
		return e.treatment() == noted && e.class() == separator
	}
	return isUnread(r)
}

// read returns how many bytes of normalised text are letters, marks and numbers.
func (m *mapper) read(normalized []byte) (bytes int) {
	for i := 0; i < len(normalized); {
		r, size := utf8.DecodeRune(normalized[i:])
		if m.isLetter(r) {
			bytes += size
		}
		i += size
	}
	return bytes
}

// isLetter says whether r, in canonical form, is a letter, mark or number.
func (m *mapper) isLetter(r rune) bool {
	c := m.class(r)
	return c == wordPart || c == digit
}

// The letter of a byte is byteLetter + byte. These letters are of Linear A, which nobody can read: so no other text has
// them, no option changes them, and the normal form is UTF-8. Letters are made of the bytes of what is unread, or of all
// bytes from 0x80 on where a text is compared by them; and of what follows a byte that is not UTF-8 from 0x40 on, which
// may be the second half of a character. What is left is text.
//
//	Cyrillic in windows-1251    cf f0 e8 e2 e5 f2 20 32 30 32 34    one word of six letters, and the word 2024
const (
	byteLetter  = 0x10600
	byteLetters = 256
)

func isByteLetter(r rune) bool { return r >= byteLetter && r < byteLetter+byteLetters }

// appendByteLetters appends src with letters for its bytes.
func appendByteLetters(dst, src []byte) []byte {
	high := false
	for _, c := range src {
		behind := high && c >= secondHalf
		if high = c >= utf8.RuneSelf; high || behind {
			dst = utf8.AppendRune(dst, byteLetter+rune(c))
		} else {
			dst = append(dst, c)
		}
	}
	return dst
}

// appendBytes appends a letter for each byte of src.
func appendBytes(dst, src []byte) []byte {
	for _, c := range src {
		dst = utf8.AppendRune(dst, byteLetter+rune(c))
	}
	return dst
}

const secondHalf = 0x40 // the least byte that may be one in Shift JIS, Big5, GBK

// appendLetters appends src with letters for the bytes of what is unread, and for signs where they carry the text.
func (m *mapper) appendLetters(dst, src []byte, signs bool) []byte {
	high := false // behind a byte that is not UTF-8
	for i := 0; i < len(src); {
		r, size := decode(src[i:])
		switch {
		case high && r >= secondHalf && r < utf8.RuneSelf:
			dst = utf8.AppendRune(dst, byteLetter+r)
		case signs && m.isCarrier(r):
			dst = appendSign(dst, r)
		case r >= utf8.RuneSelf && m.isUnread(r):
			dst = appendBytes(dst, src[i:i+size])
		default:
			dst = append(dst, src[i:i+size]...)
		}
		high = r == utf8.RuneError && size == 1
		i += size
	}
	return dst
}

const (
	// longWord is how many bytes a word may have: more than almost any Russian one.
	longWord   = 16
	letterSize = utf8.UTFMax // of a byte's letter
)

// addBytes adds a word in which bytes are letters. Where more of them than a word has stand in a row, they are text of a
// script without spaces. There each byte is an item and weighs half a word. What is between such rows is a word.
func (w *windows) addBytes(start, end int) {
	word := start
	for at := start; at < end; {
		row := byteRow(w.text[at:end])
		if row <= longWord*letterSize {
			at += max(row, behind(w.text, at)-at)
			continue
		}
		if word < at {
			w.add(word, at, wordWeight)
		}
		for ; row > 0; row -= letterSize {
			w.add(at, at+letterSize, 1)
			at += letterSize
		}
		word = at
	}
	if word < end {
		w.add(word, end, wordWeight)
	}
}

// byteRow returns the length of the bytes' letters at the beginning of text.
func byteRow(text []byte) (length int) {
	for length < len(text) {
		if r, _ := utf8.DecodeRune(text[length:]); !isByteLetter(r) {
			break
		}
		length += letterSize
	}
	return length
}

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
