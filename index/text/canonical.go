package text

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"
)

// canon brings text into its canonical form: without invisible characters, NFKC, full case folding, NFKC again, and
// optionally without accents. What it returns is valid until the next call.
type canon struct {
	fold         transform.SpanningTransformer
	stripAccents bool
	valid        []byte // the text with bad bytes replaced
	seen         []byte // the text without invisible characters
	folded       []byte
	composed     []byte
	bare         []byte // decomposed, without accents
}

func newCanon(stripAccents bool) *canon {
	return &canon{fold: cases.Fold(), stripAccents: stripAccents}
}

// form returns the canonical form of any bytes.
func (c *canon) form(src []byte) []byte {
	src = c.foldAndCompose(c.visible(c.validate(src)))
	if c.stripAccents {
		src = c.withoutAccents(src)
	}
	return src
}

// validate replaces each bad byte by a space. U+FFFD would have the same effect, as both separate and neither composes.
func (c *canon) validate(src []byte) []byte {
	if utf8.Valid(src) {
		return src
	}
	c.valid = append(c.valid[:0], src...)
	for i := 0; i < len(src); {
		r, size := utf8.DecodeRune(src[i:])
		if r == utf8.RuneError && size == 1 {
			c.valid[i] = ' '
		}
		i += size
	}
	return c.valid
}

// foldAndCompose folds, and composes twice, because folding may leave marks out of order or uncomposed, may make
// letters of marks, and may leave a joiner between them.
func (c *canon) foldAndCompose(src []byte) []byte {
	src = c.compose(src)
	same, _ := c.fold.Span(src, true) // an error only means that something changes
	if same == len(src) {
		return src
	}
	c.folded = append(c.folded[:0], src[:same]...)
	c.folded = slices.Grow(c.folded, len(src)-same+utf8.UTFMax)
	c.folded, _, _ = transform.Append(c.fold, c.folded, src[same:]) // valid UTF-8 folds without error
	foldCherokee(c.folded[same:])
	return c.compose(c.visible(c.folded))
}

// foldCherokee corrects, in place, what x/text/cases makes of Cherokee. Cherokee letters fold to the capitals, as these
// were encoded first, but x/text also turns the capitals into small letters (golang/go#46101), so that the two cases
// would never become equal.
func foldCherokee(s []byte) {
	for i := 0; i+2 < len(s); i++ {
		if s[i] != 0xea && s[i] != 0xe1 {
			continue
		}
		r, _ := utf8.DecodeRune(s[i:])
		switch {
		case r >= 0xab70 && r <= 0xabbf:
			utf8.EncodeRune(s[i:], r-0xab70+0x13a0)
		case r >= 0x13f8 && r <= 0x13fd:
			utf8.EncodeRune(s[i:], r-0x13f8+0x13f0)
		}
	}
}

// recompose does what form does, for text whose parts are in canonical form.
func (c *canon) recompose(src []byte) []byte {
	if c.stripAccents {
		return c.withoutAccents(src) // long runs of marks get and lose joiners, which count as accents
	}
	return c.compose(src)
}

func (c *canon) compose(src []byte) []byte {
	if norm.NFKC.QuickSpan(src) == len(src) {
		return src
	}
	c.composed = norm.NFKC.Append(c.composed[:0], src...)
	return c.composed
}

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
