package text

import (
	"bytes"
	"unicode/utf8"
)

// joinNeighbours corrects what became adjacent because something between was dropped. It composes letters and marks.
// Where punctuation stays but white space does not, it drops characters that would otherwise make a URL, an e-mail
// address or a number the next time.
func (n *Normalizer) joinNeighbours(dst []byte, start int) []byte {
	if n.last.punctuation != dropped && n.last.space != dropped {
		return dst
	}
	if n.first != nil && n.last.punctuation == kept {
		dst = n.separateTriggers(dst, start)
	}
	return append(dst[:start], n.last.whole.recompose(dst[start:])...)
}

// separateTriggers removes from dst, in place, the characters by which links and masked numbers are found.
func (n *Normalizer) separateTriggers(dst []byte, start int) []byte {
	to := start
	for i := start; i < len(dst); {
		r, size := utf8.DecodeRune(dst[i:])
		was := -1
		for was != to {
			was = to
			to = start + n.withoutTrigger(dst[start:to], r)
		}
		if !n.repeatsMask(dst[start:to], r) && !n.completesScheme(dst[start:to], r) {
			to += copy(dst[to:], dst[i:i+size])
		}
		i += size
	}
	return dst[:to]
}

// withoutTrigger returns the length of text without the last character, if that character and r behind it would make an
// e-mail address, a URL or one number; else the length of text.
func (n *Normalizer) withoutTrigger(text []byte, r rune) int {
	if len(text) == 0 {
		return 0
	}
	before, end := text[:len(text)-1], text[len(text)-1]
	switch {
	case n.params.URLs != "keep" && end == '@' && n.links.joinsAddress(before, r),
		n.params.URLs != "keep" && end == '.' && n.links.inWord(r) && bytes.HasSuffix(before, []byte("www")),
		n.params.Digits == "mask" && (end == '.' || end == ',') && r == digitMask &&
			bytes.HasSuffix(before, []byte{digitMask}):
		return len(before)
	}
	return len(text)
}

// repeatsMask says whether r is a masked number directly behind another.
func (n *Normalizer) repeatsMask(text []byte, r rune) bool {
	return n.params.Digits == "mask" && r == digitMask && bytes.HasSuffix(text, []byte{digitMask})
}

// completesScheme says whether r is the second slash of a URL.
func (n *Normalizer) completesScheme(text []byte, r rune) bool {
	before, found := bytes.CutSuffix(text, []byte(":/"))
	return n.params.URLs != "keep" && r == '/' && found && len(before) > 0 && alphanumeric(before[len(before)-1])
}
