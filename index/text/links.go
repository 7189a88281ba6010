package text

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// A link is a URL or an e-mail address in a text, and the mask that replaces it when links are masked.
type link struct {
	from, to int
	mask     string
}

// Triggers: strings by which a link is found. Each text is searched once for each of them; the place of the next one is
// remembered.
const (
	atSign = iota
	scheme
	www
	triggers
)

// linkFinder finds links in a text in canonical form with its punctuation. A few characters on both sides of a trigger
// decide whether there is a link, so that removing the links leaves a text without any:
//
//	@      between two characters of addresses: an address, with those and ._%+- before, and .-@ behind it; between a
//	       letter of a script without spaces and a European one: an address, which begins with it
//	://    behind a letter or digit of ASCII: a URL, with those and + before it
//	www.   in front of a word character: a URL, with the letters and digits of ASCII before it
//
// A character of addresses is a word character, but none of a script without spaces: there a word would go on with the
// clause around it. On each side of @ they are all European, or none of them is: so an address ends where a particle of
// Korean follows it. European are numbers, and letters of Latin, Greek and Cyrillic. A URL ends before the first white
// space, one of <>"`{}|\^, or a letter that is not European. Punctuation at its end is not part of it.
type linkFinder struct {
	text    []byte
	classes *mapper
	at      [triggers]int
}

func (f *linkFinder) begin(text []byte, classes *mapper) {
	f.text, f.classes = text, classes
	f.at = [triggers]int{-1, -1, -1}
}

// next returns the first link that begins at floor or later; floor must never fall. If there is none, it returns a link
// at the end of the text.
func (f *linkFinder) next(floor int) link {
	for {
		first := 0
		for i := range f.at {
			if f.seek(i, floor); f.at[i] < f.at[first] {
				first = i
			}
		}
		at := f.at[first]
		if at == len(f.text) {
			return link{from: at, to: at}
		}
		if found := f.around(first, floor, at); found.to > 0 {
			return found
		}
		f.seek(first, at+1)
	}
}

// seek moves a trigger to its first occurrence at floor or later, or to the end of the text.
func (f *linkFinder) seek(trigger, floor int) {
	if f.at[trigger] >= floor {
		return
	}
	i := bytes.Index(f.text[floor:], []byte([triggers]string{"@", "://", "www."}[trigger]))
	if f.at[trigger] = floor + i; i < 0 {
		f.at[trigger] = len(f.text)
	}
}

// around returns the link around a trigger, if there is one.
func (f *linkFinder) around(trigger, floor, at int) link {
	before, text := f.text[floor:at], f.text
	switch trigger {
	case atSign:
		if f.joinsAddress(before, firstRune(text[at+1:])) {
			return link{at - f.mailboxLen(before), at + 1 + f.domainLen(text[at+1:]), mailMask}
		}
	case scheme:
		if len(before) > 0 && alphanumeric(before[len(before)-1]) {
			return link{at - schemeLen(before), f.urlEnd(at + len("://")), urlMask}
		}
	case www:
		if f.inWord(firstRune(text[at+len("www."):])) {
			return link{at - schemeLen(before), f.urlEnd(at + len("www.")), urlMask}
		}
	}
	return link{}
}

func firstRune(s []byte) rune {
	r, _ := utf8.DecodeRune(s)
	return r
}

// joinsAddress says whether @ between before and r makes an address.
func (f *linkFinder) joinsAddress(before []byte, r rune) bool {
	last, _ := utf8.DecodeLastRune(before)
	return f.inAddress(r) && (f.inAddress(last) || f.inWord(last) && f.isEuropean(r))
}

func (f *linkFinder) isEuropean(r rune) bool {
	return f.classes.class(r) == digit || f.inWord(r) && (r < utf8.RuneSelf ||
		unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Inherited))
}

// inAddress leaves out, beside the scripts, the marks of length and repetition that they have in common.
func (f *linkFinder) inAddress(r rune) bool {
	const ideographic = 0x3000
	return f.inWord(r) && (r < utf8.RuneSelf || !isUnspaced(r) && (r < ideographic || !unicode.Is(unicode.Common, r)))
}

// inWord is false for the U+FFFD of an empty text.
func (f *linkFinder) inWord(r rune) bool { return f.classes.isLetter(r) }

// inSide says whether r may stand on a side of @ where letters are European, or not.
func (f *linkFinder) inSide(r rune, european bool) bool {
	return f.inAddress(r) && (f.isEuropean(r) == european || f.classes.class(r) == digit || unicode.Is(unicode.Inherited, r))
}

// wordLen returns the length of the characters of addresses at the beginning of text.
func (f *linkFinder) wordLen(text []byte) int {
	end := 0
	for end < len(text) {
		r, size := utf8.DecodeRune(text[end:])
		if !f.inAddress(r) {
			break
		}
		end += size
	}
	return end
}

// mailboxLen returns how many bytes at the end of before are the name of a mailbox.
func (f *linkFinder) mailboxLen(before []byte) int {
	rest := before
	last, _ := utf8.DecodeLastRune(before)
	european := f.isEuropean(last)
	for len(rest) > 0 {
		r, size := utf8.DecodeLastRune(rest)
		if !f.inSide(r, european) && (r >= utf8.RuneSelf || bytes.IndexByte([]byte("._%+-"), byte(r)) < 0) {
			break
		}
		rest = rest[:len(rest)-size]
	}
	return len(before) - len(rest)
}

func (f *linkFinder) domainLen(text []byte) int {
	end, european := 0, f.isEuropean(firstRune(text))
	for end < len(text) {
		r, size := utf8.DecodeRune(text[end:])
		if !f.inSide(r, european) && r != '.' && r != '-' && r != '@' {
			break
		}
		end += size
	}
	return len(bytes.TrimRight(text[:end], ".-@"))
}

// schemeLen returns how many bytes at the end of before can be the scheme of a URL.
func schemeLen(before []byte) int {
	n := 0
	for n < len(before) && (alphanumeric(before[len(before)-1-n]) || before[len(before)-1-n] == '+') {
		n++
	}
	return n
}

// alphanumeric checks for small letters and digits only: canonical text has no capitals.
func alphanumeric(c byte) bool { return c-'a' < 26 || c-'0' < 10 }

func (f *linkFinder) urlEnd(from int) int {
	end := from
	for end < len(f.text) {
		r, size := utf8.DecodeRune(f.text[end:])
		if !f.inURL(r) {
			break
		}
		end += size
	}
	return from + len(bytes.TrimRight(f.text[from:end], ".,;:!?')]"))
}

func (f *linkFinder) inURL(r rune) bool {
	if r < utf8.RuneSelf {
		return r > ' ' && bytes.IndexByte([]byte("<>\"`{}|\\^"), byte(r)) < 0
	}
	return f.isEuropean(r)
}
