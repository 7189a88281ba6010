package text

import (
	"crypto/sha1"
	"encoding/binary"
	"math/big"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"
	uax29 "github.com/clipperhouse/uax29/v2/words"
	"github.com/twmb/murmur3"
)

// naive hashes shingles by the formulas of the package comment.
func naive(s Shingling, text string) []uint64 {
	items := naiveItems(s, text)
	var out []uint64
	for first := range items {
		weight, last := 0, first
		for ; last < len(items); last++ {
			if weight += items[last].weight; weight >= s.naiveFull() {
				out = append(out, naiveShingle(s, text, items[first:last+1]))
				break
			}
		}
	}
	if len(out) == 0 && len(items) > 0 {
		out = append(out, naiveShingle(s, text, items))
	}
	return out
}

func (s Shingling) naiveFull() int {
	if s.unit == auto {
		return 2 * s.size
	}
	return s.size
}

type naiveItem struct{ start, end, weight int }

func naiveItems(s Shingling, text string) (items []naiveItem) {
	if text == "" {
		return nil
	}
	if text[0] == ' ' {
		return []naiveItem{{0, len(text), 1}}
	}
	if s.unit == chars {
		for start := 0; start < len(text); {
			width := map[bool]int{true: 1}[text[start] < 0xc0]
			for _, from := range []byte{0xc0, 0xe0, 0xf0} {
				if text[start] >= from {
					width = 2 + map[byte]int{0xc0: 0, 0xe0: 1, 0xf0: 2}[from]
				}
			}
			end := min(start+width, len(text))
			items = append(items, naiveItem{start, end, 1})
			start = end
		}
		return items
	}
	start := 0
	for _, word := range strings.Split(text, " ") {
		switch {
		case s.unit == words:
			items = append(items, naiveItem{start, start + len(word), 1})
		case strings.ContainsFunc(word, isByteLetter) && !strings.ContainsFunc(word, naiveUnspaced):
			items = append(items, naiveBytes(start, word)...)
		case !strings.ContainsFunc(word, naiveUnspaced):
			items = append(items, naiveItem{start, start + len(word), 2})
		default:
			for segments := uax29.FromString(word); segments.Next(); {
				r, _ := utf8.DecodeRuneInString(segments.Value())
				weight := 2
				if naiveUnspaced(r) && !unicode.Is(unicode.Katakana, r) {
					weight = 1
				}
				items = append(items, naiveItem{start + segments.Start(), start + segments.End(), weight})
			}
		}
		start += len(word) + 1
	}
	return items
}

// naiveBytes cuts rows of bytes that are longer than a word out of one.
func naiveBytes(start int, word string) (items []naiveItem) {
	at := 0
	add := func(end, weight int) {
		if at < end {
			items = append(items, naiveItem{start + at, start + end, weight})
		}
		at = end
	}
	for _, row := range regexp.MustCompile("[\U00010600-\U000106ff]{17,}").FindAllStringIndex(word, -1) {
		for add(row[0], 2); at < row[1]; {
			add(at+4, 1)
		}
	}
	add(len(word), 2)
	return items
}

func naiveShingle(s Shingling, text string, items []naiveItem) uint64 {
	all := text[items[0].start:items[len(items)-1].end]
	switch {
	case s.hash == Murmur3:
		return murmur3.StringSum64(all)
	case s.hash == XXH64:
		return xxhash.Sum64String(all)
	case s.hash == SHA1:
		sum := sha1.Sum([]byte(all))
		return binary.LittleEndian.Uint64(sum[:8])
	case s.unit == chars:
		return naiveMix(naiveHash(all))
	}
	var sum uint64
	for _, item := range items {
		sum = sum*0xff51afd7ed558ccd + naiveHash(text[item.start:item.end])
	}
	return naiveMix(sum)
}

// naiveHash multiplies without bounds, in big integers.
func naiveHash(text string) uint64 {
	var sum uint64
	for len(text) > 16 {
		sum = (sum + naivePiece(text[:16])) * 0x165667919e3779f9
		text = text[16:]
	}
	return sum + naivePiece(text)
}

func naivePiece(text string) uint64 {
	padded := append([]byte(text), make([]byte, 16-len(text))...)
	a := new(big.Int).SetUint64(binary.LittleEndian.Uint64(padded) ^ 0xbe4ba423396cfeb8)
	b := new(big.Int).SetUint64(binary.LittleEndian.Uint64(padded[8:]) ^ 0x1cad21f72c81017c)
	product := a.Mul(a, b).FillBytes(make([]byte, 16))
	return binary.BigEndian.Uint64(product) ^ binary.BigEndian.Uint64(product[8:])
}

func naiveUnspaced(r rune) bool {
	return unicode.In(r, unspacedScripts()...) && !unicode.In(r, unicode.Nd, unicode.No)
}

func naiveMix(x uint64) uint64 {
	x ^= x >> 37
	x *= 0x165667919e3779f9
	return x ^ x>>32
}
