package text

import (
	"slices"
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
