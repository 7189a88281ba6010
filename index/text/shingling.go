package text

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
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
// but the text and s (see Version).
func (s Shingling) AppendHashes(dst []uint64, normalized []byte) []uint64 {
	if len(normalized) == 0 {
		return dst
	}
	switch s.unit {
	case words:
		return appendWords(dst, normalized, s.size)
	case chars:
		return appendChars(dst, normalized, s.size)
	}
	return dst
}

func appendWords(dst []uint64, text []byte, size int) []uint64 {
	var ring [MaxWords]uint64 // hashes of the last words
	var sum uint64
	leaving := power(base, size)
	count := 0
	for len(text) > 0 {
		end, hash := firstWord(text)
		sum = sum*base + hash - ring[(count-size)&(MaxWords-1)]*leaving
		ring[count&(MaxWords-1)] = hash
		count++
		if count >= size {
			dst = append(dst, mix(sum))
		}
		text = text[min(end+1, len(text)):]
	}
	if count < size {
		dst = append(dst, mix(sum))
	}
	return dst
}

func appendChars(dst []uint64, text []byte, size int) []uint64 {
	var ring [MaxChars]uint64
	var sum uint64
	leaving := power(base, size)
	count := 0
	for len(text) > 0 {
		r, width := utf8.DecodeRune(text)
		hash := mix(uint64(r))
		sum = sum*base + hash - ring[(count-size)&(MaxChars-1)]*leaving
		ring[count&(MaxChars-1)] = hash
		count++
		if count >= size {
			dst = append(dst, mix(sum))
		}
		text = text[width:]
	}
	if count < size {
		dst = append(dst, mix(sum))
	}
	return dst
}
