package text

import (
	"fmt"
	"strconv"
	"strings"
)

// Bounds of a shingle's size.
const (
	MaxWords = 16
	MaxChars = 64
)

type unit uint8

const (
	words unit = iota + 1
	chars
)

// A Shingling says what a text is cut into. Make it with ParseShingling; the zero Shingling yields no shingles.
type Shingling struct {
	unit unit
	size int
}

// ParseShingling reads word:N (runs of N words, 1 to 16) or char:K (runs of K code points, 1 to 64).
func ParseShingling(s string) (Shingling, error) {
	name, number, _ := strings.Cut(s, ":")
	size, err := strconv.Atoi(number)
	plain := err == nil && strconv.Itoa(size) == number // neither +3 nor 03, so that a setting is written in one way only
	switch {
	case name == "word" && plain && size >= 1 && size <= MaxWords:
		return Shingling{words, size}, nil
	case name == "char" && plain && size >= 1 && size <= MaxChars:
		return Shingling{chars, size}, nil
	}
	return Shingling{}, fmt.Errorf("parse shingle %q: possible are word:N with N from 1 to %d, and char:K with K from 1 to %d",
		s, MaxWords, MaxChars)
}

// String is what ParseShingling reads.
func (s Shingling) String() string {
	switch s.unit {
	case words:
		return "word:" + strconv.Itoa(s.size)
	case chars:
		return "char:" + strconv.Itoa(s.size)
	}
	return "none"
}

// AppendHashes appends the hash of each shingle of a normalised text, in the order of the text: a shingle that occurs twice
// is appended twice. A text shorter than one shingle is one shingle; an empty text has none. The result depends on nothing
// but the text and s (see Version). dst needs room for one hash more for each word or code point beyond the first of a
// shingle; nothing else is allocated.
func (s Shingling) AppendHashes(dst []uint64, normalized []byte) []uint64 {
	start := len(dst)
	switch s.unit {
	case words:
		dst = appendWords(dst, normalized)
	case chars:
		dst = appendChars(dst, normalized)
	}
	return dst[:start+combine(dst[start:], s.size)]
}

// combine turns the hashes of items, words or characters, into those of the shingles, in place, and returns how many these
// are.
func combine(items []uint64, size int) int {
	if len(items) == 0 {
		return 0
	}
	size = min(size, len(items))
	var sum uint64
	for _, item := range items[:size-1] {
		sum = sum*base + item
	}
	leaving, weight := uint64(0), power(base, size)
	for i, entering := range items[size-1:] {
		sum = sum*base + (entering - leaving*weight)
		leaving = items[i]
		items[i] = mix(sum)
	}
	return len(items) - size + 1
}
