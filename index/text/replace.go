package text

import (
	"bytes"
	"unicode/utf8"
)

// Masks for links and numbers. None of them is a link or a longer number itself, so normalising again does not change
// them.
const (
	urlMask   = "url"
	mailMask  = "email"
	digitMask = '0'
)

// replace appends text, given in canonical form with its punctuation, in the normal form, with links and numbers
// replaced. Links come first, then ids: a number in one of them is not replaced separately.
func (n *Normalizer) replace(dst []byte, start int, text []byte) []byte {
	n.links.begin(text, n.first)
	for at := 0; at < len(text); {
		found := link{from: len(text), to: len(text)}
		if n.params.URLs != "keep" {
			found = n.links.next(at)
		}
		dst = n.replaceIDs(dst, start, text[at:found.from])
		if at = found.to; found.from == len(text) {
			break
		}
		dst = n.separate(dst, start)
		if n.params.URLs == "mask" {
			dst = append(dst, found.mask...)
		}
		dst = n.separate(dst, start)
	}
	return dst
}

// replaceNumbers appends text without links and ids, with numbers replaced.
func (n *Normalizer) replaceNumbers(dst []byte, start int, text []byte) []byte {
	if n.params.Digits == "keep" {
		return n.last.append(dst, start, text)
	}
	for len(text) > 0 {
		from := n.findDigit(text)
		dst = n.last.append(dst, start, text[:from])
		text = text[from:]
		number := text[:n.numberLen(text)]
		text = text[len(number):]
		if len(number) > 0 && (len(dst) == start || dst[len(dst)-1] != digitMask) {
			dst = append(dst, digitMask)
		}
	}
	return dst
}

// separate does what the function of the same name does, where words are kept apart.
func (n *Normalizer) separate(dst []byte, start int) []byte {
	if n.last.space == dropped {
		return dst
	}
	return separate(dst, start)
}

// findDigit returns where the first decimal digit stands, or the length of text.
func (n *Normalizer) findDigit(text []byte) int {
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			if c-'0' <= 9 {
				return i
			}
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		if n.first.class(r) == digit {
			return i
		}
		i += size
	}
	return len(text)
}

// numberLen returns the length of the number at the beginning of text: digits, and single commas or points between
// digits.
func (n *Normalizer) numberLen(text []byte) int {
	end := n.digitsLen(text)
	for end > 0 && end < len(text) && (text[end] == ',' || text[end] == '.') {
		more := n.digitsLen(text[end+1:])
		if more == 0 {
			break
		}
		end += 1 + more
	}
	return end
}

func (n *Normalizer) digitsLen(text []byte) int {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if n.first.class(r) != digit {
			return i
		}
		i += size
	}
	return len(text)
}

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
