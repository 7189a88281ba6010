package text

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"unicode"
	"unicode/utf8"

	uax29 "github.com/clipperhouse/uax29/v2/words"
)

// unspaced recognises the characters of the scripts that put no space between words. UAX #29 leaves these out of its
// letters, and leaves their words to dictionaries. The digits of these scripts do not count among them, as they form
// words like any others.
type unspaced struct {
	all  runeSet
	solo runeSet // characters that never join what is before them, nor what is behind them unless that is a mark
}

// unspacedScripts all begin beyond U+0800, so that the first byte of their characters is 0xe0 or more.
func unspacedScripts() []*unicode.RangeTable {
	return []*unicode.RangeTable{
		unicode.Ideographic, unicode.Han, unicode.Hiragana, unicode.Katakana,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Ahom,
		unicode.Tai_Le, unicode.New_Tai_Lue, unicode.Tai_Tham, unicode.Tai_Viet,
	}
}

func newUnspaced() *unspaced {
	u := &unspaced{}
	u.all.set(unspacedScripts()...)
	u.all.clear(unicode.Nd, unicode.No)
	u.solo = u.all
	u.solo.clear(unicode.Katakana, unicode.M, unicode.Lm, unicode.Lt)
	return u
}

// has says whether r is of one of the scripts, or a byte of what may be text in one of them.
func (u *unspaced) has(r rune) bool {
	if r < 1<<16 {
		return u.all.has(r)
	}
	return isUnspaced(r)
}

// isUnspaced does the same without tables.
func isUnspaced(r rune) bool { return isByteLetter(r) || isOfUnspaced(r) }

// isOfUnspaced says whether r is of one of the scripts.
func isOfUnspaced(r rune) bool {
	return unicode.In(r, unspacedScripts()...) && !unicode.In(r, unicode.Nd, unicode.No)
}

// in says whether some code point of text is of one of the scripts.
func (u *unspaced) in(text []byte) bool {
	for i := lenBelow(text, 0xe0); i < len(text); {
		if i+lane <= len(text) {
			x := binary.LittleEndian.Uint64(text[i:])
			candidates := x & (x << 1) & (x << 2) & highs // 0xe0 and more
			if candidates == 0 {
				i += lane
				continue
			}
			i += bits.TrailingZeros64(candidates) / 8
		}
		r, size := utf8.DecodeRune(text[i:])
		if u.has(r) {
			return true
		}
		i += size
	}
	return false
}

// fewSolos is the length of a run of solo characters for which slide costs about as much as add for each.
const fewSolos = 5 * 3

// addSegments adds the segments of a word, as UAX #29 cuts it. A character of the scripts, with the marks on it, weighs
// half a word. A run of Katakana, and any segment of another script, weighs a whole word.
func (w *windows) addSegments(start, end int, u *unspaced) {
	r, size := utf8.DecodeRune(w.text[start:end])
	for start < end {
		if end-start > fewSolos && u.solo.has(r) && w.slides() {
			start = w.slide(start, end, u)
			r, size = utf8.DecodeRune(w.text[start:end])
		}
		behind, sizeBehind := utf8.DecodeRune(w.text[start+size : end])
		if u.solo.has(r) && (start+size == end || u.solo.has(behind)) {
			w.add(start, start+size, 1)
			start += size
			r, size = behind, sizeBehind
			continue
		}
		// at the end of a text there is neither an error nor length 0
		length, _, _ := uax29.SplitFunc(w.text[start:end], true)
		weight := wordWeight
		if u.has(r) && !isByteLetter(r) && !unicode.Is(unicode.Katakana, r) {
			weight = 1
		}
		w.add(start, start+length, weight)
		start += length
		r, size = utf8.DecodeRune(w.text[start:end])
	}
}

// slides says whether the window lacks one character to be full, and holds nothing but characters.
func (w *windows) slides() bool {
	return w.weight == w.full-1 && w.weight == int(w.next-w.first) && w.hash == XXHash && w.visit == nil
}

// slide does what add does for a run of solo characters, from start on, and returns where it stopped. The window must
// slide, and still does afterwards: a shingle ends with each character, and one character leaves.
func (w *windows) slide(start, end int, u *unspaced) int {
	w.dst = slices.Grow(w.dst, w.full+(end-start)/3)
	items, before := w.dst[len(w.dst):], w.full-1
	for i := w.first; i != w.next; i++ {
		items = append(items, w.items[i%most].hash)
	}
	entered := u.hashSolos(items[before:cap(items)], w.text[start:end])
	if entered > 0 {
		items = items[:before+entered]
		w.slid(items[entered:], entered)
		w.dst = w.dst[:len(w.dst)+combine(items, w.full)]
	}
	return start + 3*entered
}

// hashSolos hashes the solo characters at the beginning of text, whose first one is solo, as long as each has three bytes
// and the one behind it is another of them. dst must have room for as many as text has. It returns their number.
func (u *unspaced) hashSolos(dst []uint64, text []byte) (n int) {
	const size, bytes = 3, 1<<24 - 1
	if len(text) < size+lane/2 || text[0]>>4 != 0xe {
		return 0
	}
	here := binary.LittleEndian.Uint32(text) & bytes
	for ; n < len(dst) && len(text) >= size+lane/2; n++ {
		text = text[size:]
		behind := binary.LittleEndian.Uint32(text)
		r := behind&0xf<<12 | behind>>2&0xfc0 | behind>>16&0x3f
		if behind&0xc0c0f0 != 0x8080e0 || u.solo[r/64]>>(r%64)&1 == 0 {
			break
		}
		dst[n] = fold(uint64(here)^secret0, secret1)
		here = behind & bytes
	}
	return n
}

// slid replaces the items of the window by the hashes of those it now holds, after others have entered and left.
func (w *windows) slid(hashes []uint64, entered int) {
	w.first += uint(entered)
	w.next += uint(entered)
	w.shingles += entered
	w.sum = 0
	for i, hash := range hashes {
		w.items[(w.first+uint(i))%most] = item{hash: hash, weight: 1} // nobody asks where it starts
		w.sum = w.sum*base + hash
	}
}

// A runeSet is a set of code points of the basic plane: bit r is the code point r.
type runeSet [1 << 16 / 64]uint64

// has also accepts the code points beyond the plane: none of them is in the set.
func (s *runeSet) has(r rune) bool { return uint32(r) < 1<<16 && s[r/64]>>(r%64)&1 != 0 }

func (s *runeSet) set(tables ...*unicode.RangeTable) {
	for _, table := range tables {
		eachRune(table, func(r uint32) { s[r/64] |= 1 << (r % 64) })
	}
}

func (s *runeSet) clear(tables ...*unicode.RangeTable) {
	for _, table := range tables {
		eachRune(table, func(r uint32) { s[r/64] &^= 1 << (r % 64) })
	}
}

func eachRune(table *unicode.RangeTable, do func(r uint32)) {
	for _, span := range table.R16 {
		for r := uint32(span.Lo); r <= uint32(span.Hi); r += uint32(span.Stride) {
			do(r)
		}
	}
}
