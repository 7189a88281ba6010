package text

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"
)

const (
	// Version numbers what this package makes of a text: its normal form and its shingle hashes. It changes with them.
	Version = 2
	// Unicode is the version of the character tables in use.
	Unicode = norm.Version
)

// A Normalizer brings documents into the normal form of the package comment. It owns buffers that it uses again, so it is
// not safe for concurrent use: one for each signing goroutine.
type Normalizer struct {
	fold     transform.SpanningTransformer
	words    [1 << 16 / 64]uint64 // bit r: the code point r of the basic plane is part of a word
	valid    []byte               // the stretch, its bad bytes replaced
	folded   []byte
	composed []byte
}

// NewNormalizer makes a Normalizer.
func NewNormalizer() *Normalizer {
	n := &Normalizer{fold: cases.Fold()}
	for _, table := range []*unicode.RangeTable{unicode.L, unicode.M, unicode.N} {
		for _, span := range table.R16 {
			for r := uint32(span.Lo); r <= uint32(span.Hi); r += uint32(span.Stride) {
				n.words[r/64] |= 1 << (r % 64)
			}
		}
	}
	return n
}

// Append appends the normal form of src to dst and returns the extended slice; what dst held before is left alone. src and
// the spare room of dst must not overlap. The normal form may be longer than src: up to 11 times, for a text made of U+FDFA.
// Nothing is allocated for ASCII text once dst is large enough, nor for most other text that is in NFKC already.
func (n *Normalizer) Append(dst, src []byte) []byte {
	start := len(dst)
	dst = slices.Grow(dst, len(src))
	for len(src) > 0 {
		// An ASCII byte combines with nothing before it, so the text may be cut in front of each; but marks may follow.
		ascii := asciiLen(src)
		if ascii < len(src) && ascii > 0 {
			ascii--
		}
		dst = appendASCII(dst, start, src[:ascii])
		src = src[ascii:]
		other := stretchLen(src)
		dst = n.appendUnicode(dst, start, src[:other])
		src = src[other:]
	}
	return trim(dst, start)
}

// appendUnicode appends the words of a stretch. It is the whole truth about the normal form; appendASCII only agrees with it.
func (n *Normalizer) appendUnicode(dst []byte, start int, src []byte) []byte {
	if len(src) == 0 {
		return dst
	}
	src = n.canonical(n.validate(src))
	for len(src) > 0 {
		word := n.wordLen(src)
		dst = append(dst, src[:word]...)
		if src = src[word:]; len(src) == 0 {
			break
		}
		_, size := utf8.DecodeRune(src)
		src = src[size:]
		dst = separate(dst, start)
	}
	return dst
}

// validate replaces each bad byte by a space: U+FFFD would do the same, as both separate and neither composes.
func (n *Normalizer) validate(src []byte) []byte {
	if utf8.Valid(src) {
		return src
	}
	n.valid = append(n.valid[:0], src...)
	for i := 0; i < len(src); {
		r, size := utf8.DecodeRune(src[i:])
		if r == utf8.RuneError && size == 1 {
			n.valid[i] = ' '
		}
		i += size
	}
	return n.valid
}

// canonical is NFKC, folded, and NFKC again, as folding may leave marks out of order or uncomposed.
func (n *Normalizer) canonical(src []byte) []byte {
	src = n.compose(src)
	same, _ := n.fold.Span(src, true) // the error says only that something changes
	if same == len(src) {
		return src
	}
	n.folded = append(n.folded[:0], src[:same]...)
	n.folded = slices.Grow(n.folded, len(src)-same+utf8.UTFMax)
	n.folded, _, _ = transform.Append(n.fold, n.folded, src[same:]) // valid UTF-8 folds without error
	foldCherokee(n.folded[same:])
	return n.compose(n.folded)
}

// foldCherokee mends, in place, what x/text/cases makes of Cherokee, whose letters fold to the capitals, as they are the
// older ones: it turns the capitals into small letters as well (golang/go#46101), so that the two cases would never meet.
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

func (n *Normalizer) compose(src []byte) []byte {
	if norm.NFKC.QuickSpan(src) == len(src) {
		return src
	}
	n.composed = norm.NFKC.Append(n.composed[:0], src...)
	return n.composed
}

// wordLen is the number of bytes at the beginning of src that belong to a word.
func (n *Normalizer) wordLen(src []byte) int {
	for i := 0; i < len(src); {
		r, size := utf8.DecodeRune(src[i:])
		if !n.inWord(r) {
			return i
		}
		i += size
	}
	return len(src)
}

func (n *Normalizer) inWord(r rune) bool {
	if uint32(r) < 1<<16 {
		return n.words[r/64]>>(r%64)&1 != 0
	}
	return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r)
}

// separate ends the word that dst ends with, if any.
func separate(dst []byte, start int) []byte {
	if inWord(dst, start) {
		return append(dst, ' ')
	}
	return dst
}

func inWord(dst []byte, start int) bool { return len(dst) > start && dst[len(dst)-1] != ' ' }

func trim(dst []byte, start int) []byte {
	if len(dst) > start && dst[len(dst)-1] == ' ' {
		return dst[:len(dst)-1]
	}
	return dst
}
