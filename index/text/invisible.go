package text

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// isInvisible says whether r does not count in a text because it shows nothing by itself. These are the characters that
// Unicode calls default ignorable (Default_Ignorable_Code_Point: the soft hyphen, zero width spaces and joiners, bidi
// controls, fillers of Hangul, variation selectors, tags), and the other format characters (interlinear annotation,
// joiners of hieroglyphs). Format characters that stand above a number, in Arabic, Syriac and Kaithi, are seen: they
// separate.
func isInvisible(r rune) bool {
	const softHyphen = 0xad // the first of them
	return r >= softHyphen && unicode.In(r, unicode.Cf, unicode.Variation_Selector,
		unicode.Other_Default_Ignorable_Code_Point) &&
		!unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

// joiner is the only invisible code point that composing itself puts into a text, between the thirtieth mark of a run
// and the next (UAX #15, section 13). Between two marks it counts; otherwise normalising twice would differ from
// normalising once.
const joiner = 0x34f

// visible returns valid text without invisible characters: text itself, or a copy in c.seen.
func (c *canon) visible(text []byte) []byte {
	from := firstInvisible(text)
	if from == len(text) {
		return text
	}
	c.seen = append(c.seen[:0], text[:from]...)
	joined := false // a joiner is to be written if a mark follows
	for i := from; i < len(text); {
		r, size := decode(text[i:])
		switch {
		case r == joiner:
			joined = joined || endsWithMark(c.seen)
		case !isInvisible(r):
			if joined && norm.NFKC.Properties(text[i:]).LeadCCC() != 0 {
				c.seen = utf8.AppendRune(c.seen, joiner)
			}
			joined = false
			c.seen = append(c.seen, text[i:i+size]...)
		}
		i += size
	}
	return c.seen
}

// firstInvisible returns where the first code point of valid text stands that may be invisible, or the length of text.
func firstInvisible(text []byte) int {
	for i := 0; i < len(text); {
		if text[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, size := decode(text[i:])
		if isInvisible(r) {
			return i
		}
		i += size
	}
	return len(text)
}

func endsWithMark(text []byte) bool {
	_, size := utf8.DecodeLastRune(text)
	return size > 0 && norm.NFKC.Properties(text[len(text)-size:]).TrailCCC() != 0
}
