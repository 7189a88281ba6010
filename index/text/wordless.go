package text

import (
	"bytes"
	"unicode/utf8"
)

// wordlessMark is in front of what is compared as a whole. No normal form with words in it begins so.
const wordlessMark = ' '

// isWordless says whether a normal form is one shingle, whatever it holds.
func isWordless(normalized []byte) bool { return normalized[0] == wordlessMark }

// appendWordless appends what is compared of a document without words, text, which was src before HTML was taken out of it:
// punctuation and symbols in canonical form, where there are any, else its bytes. Nothing is appended for a blank one.
//
// Where links are dropped the bytes are taken at once: what remains of a text is more than its symbols.
func (n *Normalizer) appendWordless(dst, text, src []byte) []byte {
	if src = bytes.TrimSpace(src); len(src) == 0 {
		return dst
	}
	dst = append(dst, wordlessMark)
	start := len(dst)
	if n.params.URLs != "drop" {
		dst = trim(n.last.appendSeen(dst, start, text), start)
	}
	if len(dst) == start {
		dst = append(dst, src...)
	}
	return dst
}

// appendSeen appends src in canonical form, with its symbols whatever the options say of them.
func (m *mapper) appendSeen(dst []byte, start int, src []byte) []byte {
	src = m.whole.form(src)
	for len(src) > 0 {
		r, size := utf8.DecodeRune(src)
		if m.class(r) != separator {
			dst = append(dst, src[:size]...)
		} else if m.space == separated {
			dst = separate(dst, start)
		}
		src = src[size:]
	}
	return dst
}
