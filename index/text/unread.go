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
// the signs that carry a text (signs.go).

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
