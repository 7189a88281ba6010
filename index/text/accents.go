package text

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// isAccent says whether r is a mark that is dropped when accents are dropped: a nonspacing mark that Unicode assigns to
// no single script (Inherited), such as the acute, the diaeresis, or the vowel signs and the hamza of Arabic. The marks
// of Thai, Hebrew or the scripts of India belong to their script and stay. So do the voicing marks of Kana, because
// they make other letters.
func isAccent(r rune) bool {
	const voiced, semiVoiced = 0x3099, 0x309a
	return r >= 0x300 && r != voiced && r != semiVoiced && unicode.Is(unicode.Mn, r) && unicode.Is(unicode.Inherited, r)
}

// dotlessI lacks a mark where other letters have one too many. As i, it is one letter with İ, I and i, as capitals of
// Turkish ask for.
const dotlessI = 'ı'

// withoutAccents decomposes the text, drops the accents, makes i of the dotless one, and composes the rest.
func (c *canon) withoutAccents(src []byte) []byte {
	if asciiLen(src) == len(src) {
		return src
	}
	c.bare = norm.NFD.Append(c.bare[:0], src...)
	kept := c.bare[:0]
	for i := 0; i < len(c.bare); {
		r, size := utf8.DecodeRune(c.bare[i:])
		switch {
		case r == dotlessI:
			kept = append(kept, 'i')
		case !isAccent(r):
			kept = append(kept, c.bare[i:i+size]...)
		}
		i += size
	}
	return c.compose(kept)
}
