package text

import "unicode/utf8"

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
		switch {
		case len(number) == 0:
		case n.params.Digits == "words":
			dst = n.appendSpelled(dst, start, number)
		case len(dst) == start || dst[len(dst)-1] != digitMask:
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
