package text

import "unicode/utf8"

// This file finds the ids of log lines and traces. An id is not joined to other words, though _ and - may stand beside it:
//
//	hexadecimal   7 digits of 0 to 9 and a to f or more, with one of each kind at least
//	address       0x7ffe12: a number, an x, and hexadecimal digits, with one of a to f at least
//	UUID          five groups of hexadecimal digits with - between them, of 8, 4, 4, 4 and 12 at least
//	MAC address   six groups or more of two hexadecimal digits, with : or - between them
//
// A UUID, and a hexadecimal id of 16 digits or more, may stand behind letters: it begins behind the last that is none of
// its digits. Other words only look so: load1abcdef.
//
// The bounds are least ones, so that what masked digits make shorter is no id unless it was one. Where digits are
// masked, the groups of a MAC address may be longer, too.

// idMask stands for an id, if ids are masked. It is none itself.
const idMask = "id"

const (
	leastHex   = 7  // a short commit id of git
	leastTail  = 16 // half a trace id
	leastPairs = 6  // of a MAC address; an EUI-64 and a fingerprint have more
)

// replaceIDs appends text without links, in the normal form, with ids and numbers replaced.
func (n *Normalizer) replaceIDs(dst []byte, start int, text []byte) []byte {
	if n.params.IDs == "keep" {
		return n.replaceNumbers(dst, start, text)
	}
	done := 0
	for at := 0; at < len(text); {
		word := n.idWordLen(text[at:])
		if before, id := n.findID(text[at:], word); id > 0 {
			at += before
			dst = n.replaceNumbers(dst, start, text[done:at])
			dst = n.separate(append(n.separate(dst, start), idMask...), start)
			at += id
			done = at
			continue
		}
		at += max(word, behind(text, at)-at)
	}
	return n.replaceNumbers(dst, start, text[done:])
}

// idWordLen returns the length of the word at the beginning of text. A script without spaces ends it. Where numbers are
// masked, what is left of 1,2 joins the words around it, so it does so here.
func (n *Normalizer) idWordLen(text []byte) int {
	end := n.links.wordLen(text)
	for n.params.Digits == "mask" && end > 0 && end < len(text) && (text[end] == '.' || text[end] == ',') {
		last, _ := utf8.DecodeLastRune(text[:end])
		if n.first.class(last) != digit || n.digitsLen(text[end+1:]) == 0 {
			break
		}
		end += 1 + n.links.wordLen(text[end+1:])
	}
	return end
}

// findID returns where the id in the word of this length, at the beginning of text, begins, and the length of the id, or 0.
func (n *Normalizer) findID(text []byte, word int) (before, length int) {
	if length = n.idLen(text, word); length > 0 {
		return 0, length
	}
	before = n.withoutHexTail(text[:word])
	if before == 0 || before == word {
		return 0, 0
	}
	if length = n.uuidLen(text[before:]); length > 0 {
		return before, length
	}
	if digits, letters, _ := n.hex(text[before:word]); digits > 0 && letters > 0 && digits+letters >= leastTail {
		return before, word - before
	}
	return 0, 0
}

// withoutHexTail returns the length of a word up to the last letter that is no hexadecimal digit.
func (n *Normalizer) withoutHexTail(word []byte) int {
	for len(word) > 0 {
		r, size := utf8.DecodeLastRune(word)
		if (r < 'a' || r > 'f') && r != '.' && r != ',' && n.first.class(r) != digit {
			break
		}
		word = word[:len(word)-size]
	}
	return len(word)
}

// idLen returns the length of the id at the beginning of text, where a word of this length stands, or 0.
func (n *Normalizer) idLen(text []byte, word int) int {
	if word == 0 {
		return 0
	}
	if length := max(n.uuidLen(text), n.macLen(text)); length > 0 {
		return length
	}
	digits, letters, rest := n.hex(text[:word])
	if rest == 0 && digits > 0 && letters > 0 && digits+letters >= leastHex {
		return word
	}
	if at := word - rest; digits > 0 && letters == 0 && rest > 1 && text[at] == 'x' {
		if _, letters, rest = n.hex(text[at+1 : word]); letters > 0 && rest == 0 {
			return word
		}
	}
	return 0
}

// uuidLen returns the length of the UUID at the beginning of text, or 0.
func (n *Normalizer) uuidLen(text []byte) int {
	end := 0
	for group, least := range [...]int{8, 4, 4, 4, 12} {
		if group > 0 {
			if end == len(text) || text[end] != '-' {
				return 0
			}
			end++
		}
		word := n.idWordLen(text[end:])
		if digits, letters, rest := n.hex(text[end : end+word]); rest > 0 || digits+letters < least {
			return 0
		}
		end += word
	}
	return end
}

// macLen returns the length of the MAC address at the beginning of text, or 0.
func (n *Normalizer) macLen(text []byte) (length int) {
	for pairs, end := 1, 0; ; pairs++ {
		word := n.idWordLen(text[end:])
		digits, letters, rest := n.hex(text[end : end+word])
		if rest > 0 || digits+letters < 2 || digits+letters > 2 && n.params.Digits != "mask" {
			return length
		}
		end += word
		if pairs >= leastPairs {
			length = end
		}
		if end == len(text) || text[end] != ':' && text[end] != '-' {
			return length
		}
		end++
	}
}

// hex returns with how many digits of any script and letters from a to f a word begins, and how many bytes follow.
func (n *Normalizer) hex(word []byte) (digits, letters, rest int) {
	for i := 0; i < len(word); {
		r, size := utf8.DecodeRune(word[i:])
		switch {
		case n.first.class(r) == digit:
			digits++
		case r >= 'a' && r <= 'f':
			letters++
		case r == '.' || r == ',': // in a number
		default:
			return digits, letters, len(word) - i
		}
		i += size
	}
	return digits, letters, 0
}

// withoutCutID returns the length of text, which was cut, without the last word if it may be an id now.
func (n *Normalizer) withoutCutID(text []byte) int {
	for at := 0; n.params.IDs == "mask" && at < len(text); {
		word := n.idWordLen(text[at:])
		if before, id := n.findID(text[at:], word); id > 0 && at+before+id == len(text) {
			return at + before
		}
		at += max(word, behind(text, at)-at)
	}
	return len(text)
}
