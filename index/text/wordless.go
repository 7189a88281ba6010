package text

import (
	"bytes"
	"unicode/utf8"
)

// wordlessMark begins a text that is compared as a whole. No normal form with words begins with it.
const wordlessMark = ' '

// isWordless says whether a normal form is one shingle whatever its length.
func isWordless(normalized []byte) bool { return normalized[0] == wordlessMark }

// appendWordless appends what is compared of a document without words: its punctuation and symbols in canonical form,
// or if there are none its bytes. text is the document, src the document before HTML was removed. A blank document
// appends nothing.
//
// Where links are dropped, the bytes are taken at once, because more than the symbols remains of such a text.
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

// appendSeen appends src in canonical form and keeps its symbols, whatever the options say about them.
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
