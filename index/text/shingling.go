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
	auto
)

// A Shingling says how a text is cut into pieces, and how the pieces become numbers. Make it with ParseShingling; the
// zero Shingling yields no shingles.
type Shingling struct {
	unit     unit
	size     int
	hash     Hash
	unspaced *unspaced // for auto only
	ignored  Ignored
}

// ParseShingling reads word:N (runs of N words, 1 to 16), char:K (runs of K code points, 1 to 64) or auto:N (runs of N
// words, or of as much text where words have no space between them).
func ParseShingling(s string) (Shingling, error) {
	name, number, _ := strings.Cut(s, ":")
	size, err := strconv.Atoi(number)
	plain := err == nil && strconv.Itoa(size) == number // refuse +3 and 03, so that a setting has one spelling only
	switch {
	case name == "word" && plain && size >= 1 && size <= MaxWords:
		return Shingling{unit: words, size: size}, nil
	case name == "char" && plain && size >= 1 && size <= MaxChars:
		return Shingling{unit: chars, size: size}, nil
	case name == "auto" && plain && size >= 1 && size <= MaxWords:
		return Shingling{unit: auto, size: size, unspaced: newUnspaced()}, nil
	}
	return Shingling{}, fmt.Errorf(
		"parse shingle %q: possible are word:N and auto:N with N from 1 to %d, and char:K with K from 1 to %d",
		s, MaxWords, MaxChars)
}

// String returns what ParseShingling reads. It does not name the hash.
func (s Shingling) String() string {
	switch s.unit {
	case words:
		return "word:" + strconv.Itoa(s.size)
	case chars:
		return "char:" + strconv.Itoa(s.size)
	case auto:
		return "auto:" + strconv.Itoa(s.size)
	}
	return "none"
}

// Chars returns the size of a shingle that is a run of characters, and 0 for any other.
func (s Shingling) Chars() int {
	if s.unit != chars {
		return 0
	}
	return s.size
}

// Words returns the size of a shingle that is a run of words, and 0 for any other.
func (s Shingling) Words() int {
	if s.unit == chars {
		return 0
	}
	return s.size
}

// Hashed returns s with another hash.
func (s Shingling) Hashed(h Hash) Shingling {
	s.hash = h
	return s
}

// Ignoring returns s without the shingles that do not count.
func (s Shingling) Ignoring(x Ignored) Shingling {
	s.ignored = x
	return s
}

// AppendHashes appends the hash of each shingle of a normalised text that counts (see Ignored.Without), in the order of the text. A shingle that
// occurs twice is appended twice. A text shorter than one shingle is one shingle, and so is a text without words, which begins
// with a space. An empty text has none. The result depends only on the text and s (see Version). AppendHashes allocates
// nothing if dst has room for one hash per word or code point, one more, and another 64.
func (s Shingling) AppendHashes(dst []uint64, normalized []byte) []uint64 {
	start := len(dst)
	dst = s.appendAll(dst, normalized)
	return dst[:start+len(s.ignored.Without(dst[start:]))]
}

func (s Shingling) appendAll(dst []uint64, normalized []byte) []uint64 {
	switch {
	case s.unit == 0 || len(normalized) == 0:
		return dst
	case isWordless(normalized):
		return append(dst, s.hashWordless(normalized))
	case s.hash != XXHash:
		return appendWindows(dst, normalized, s)
	case s.unit == chars:
		return appendChars(dst, normalized, s.size)
	case s.unit == auto && s.unspaced.in(normalized):
		return appendWindows(dst, normalized, s)
	}
	start := len(dst)
	dst = appendWords(dst, normalized)
	return dst[:start+combine(dst[start:], s.size)]
}

// hashWordless hashes a shingle that is one item.
func (s Shingling) hashWordless(text []byte) uint64 {
	if s.hash != XXHash {
		return s.hash.published(text)
	}
	return mix(hash(text, 0, len(text)))
}

// maxFours is the largest size for which combineFours, whose work grows with it, is faster than combineEach.
const maxFours = 4

// combine turns the hashes of words into those of shingles, in place, and returns how many there are.
func combine(items []uint64, size int) int {
	if len(items) == 0 {
		return 0
	}
	size = min(size, len(items))
	shingles, done := len(items)-size+1, 0
	if blocks := shingles / lane; blocks > 0 && hasAVX512() {
		combineBlocks(&items[0], blocks, size)
		done = blocks * lane
	} else if fours := shingles / 4; fours > 0 && size <= maxFours && hasAVX2() {
		combineFours(&items[0], fours, size)
		done = fours * 4
	}
	if done < shingles {
		combineEach(items[done:], size)
	}
	return shingles
}

// combineEach combines size items or more.
func combineEach(items []uint64, size int) {
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
}
