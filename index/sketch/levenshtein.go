package sketch

import (
	"math/bits"
	"unicode/utf8"
)

// A Levenshtein compares texts by the least number of runes to insert, delete or replace that turns one into the other.
// It holds buffers, so each goroutine has its own. The zero Levenshtein is ready.
//
// The distances fill a table with a row for each rune of one text and a column for each rune of the other. Neighbours
// in it differ by at most 1, so 64 rows of a column are two words of bits, and the next column follows from them in
// some twenty operations (Myers, "A fast bit-vector algorithm for approximate string matching", 1999; in blocks, Hyyrö,
// "A bit-vector algorithm for computing Levenshtein and Damerau edit distances", 2003):
//
//	            columns: runes of b
//	          ┌──────┬───────────────┐
//	64 rows   │ band │               │   a stripe is computed from left to right, and leaves at
//	          ├──┬───┴──┬────────────┤   its lower edge two bits for each column: what the next
//	64 rows   │  │ band │            │   stripe continues from
//	          └──┴──────┴────────────┘
//
// Only a band around the diagonal is computed. A path that leaves the band has to come back, and costs more than the
// band is wide (Ukkonen, "Algorithms for approximate string matching", 1985). Beyond its edges each step is assumed to
// cost 1, which is never too little. The band begins narrow and widens until the distance fits in it, or it is certain
// that the threshold does not allow that many edits.
type Levenshtein struct {
	other map[rune]uint32 // the numbers given to runes beyond ASCII
	a, b  []uint32        // the texts as numbers of runes
	equal []uint64        // for each number, the rows of the stripe that have it
	// one bit per column, at the lower edge of the stripe: the value is 1 greater, or less, than in the column to its
	// left
	more, fewer []uint64
}

const (
	stripe     = 64
	firstWidth = 32
	wider      = 4 // factor by which the band widens; all narrower bands together then cost less than half of the last one
)

// Similarity returns 1 - distance / length of the longer text, both in runes, as an exact fraction num/den. A threshold
// given in ten thousandths bounds the work: a pair that does not reach it yields 0/den. Two empty texts are not
// similar: 0/1. A byte that is not UTF-8 counts as one U+FFFD.
//
// The time grows with the length of the text times the number of edits: see Cells.
func (l *Levenshtein) Similarity(a, b []byte, tenThousandths int) (num, den uint32) {
	l.number(a, b)
	longer := max(len(l.a), len(l.b))
	if longer == 0 {
		return 0, 1
	}
	allowed := DistanceAt(tenThousandths, longer)
	distance := l.distance(allowed)
	if distance > allowed {
		return 0, uint32(longer)
	}
	return uint32(longer - distance), uint32(longer)
}

// Cells returns how many cells of the table are computed at most for texts of up to this length that are this many
// edits apart, when this many are allowed. It counts all bands up to the one that is wide enough, each with the words
// in which it begins and ends.
func Cells(longer, edits, allowed int) (n int) {
	for width := firstWidth; width < allowed; width *= wider {
		n += longer * (width + stripe)
		if edits <= width {
			return n
		}
	}
	return n + longer*(allowed+stripe)
}

// number replaces the runes of the texts by small numbers, equal ones for equal runes.
func (l *Levenshtein) number(a, b []byte) {
	clear(l.other)
	l.a, l.b = l.appendNumbers(l.a[:0], a), l.appendNumbers(l.b[:0], b)
	n := utf8.RuneSelf + len(l.other)
	if len(l.equal) < n {
		l.equal = make([]uint64, n)
	}
}

func (l *Levenshtein) appendNumbers(dst []uint32, text []byte) []uint32 {
	for len(text) > 0 {
		if c := text[0]; c < utf8.RuneSelf {
			dst, text = append(dst, uint32(c)), text[1:]
			continue
		}
		r, width := utf8.DecodeRune(text)
		number, known := l.other[r]
		if !known {
			if l.other == nil {
				l.other = map[rune]uint32{}
			}
			number = uint32(utf8.RuneSelf + len(l.other))
			l.other[r] = number
		}
		dst, text = append(dst, number), text[width:]
	}
	return dst
}

// distance returns the exact distance up to allowed. If it is greater, it returns some greater number.
func (l *Levenshtein) distance(allowed int) int {
	a, b := trim(l.a, l.b)
	if len(a) > len(b) {
		a, b = b, a // fewer and longer stripes
	}
	if len(a) == 0 || len(b)-len(a) > allowed {
		return len(b)
	}
	for width := max(firstWidth, len(b)-len(a)); width < allowed; width *= wider {
		if d := l.within(a, b, width); d <= width {
			return d
		}
	}
	return l.within(a, b, allowed)
}

// trim drops the common beginning and end of both texts.
func trim(a, b []uint32) (x, y []uint32) {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return a, b
}

// within returns the distance if it is at most width, and otherwise a greater number. It does not look at paths outside
// the band.
func (l *Levenshtein) within(a, b []uint32, width int) int {
	words := (len(b) + 63) / 64
	l.more, l.fewer = grow(l.more, words), grow(l.fewer, words)
	for i := range l.more {
		l.more[i], l.fewer[i] = ^uint64(0), 0
	}
	score := 0 // value at the lower edge of the stripe above, to the left of the band
	from := 0
	longer := len(b) - len(a)
	left := (width - longer) / 2 // columns of the band to the left of the diagonal
	right := left + longer
	for top := 0; top < len(a); top += stripe {
		bottom := min(top+stripe, len(a))
		// The band begins and ends with a word of columns.
		next := max(0, top-left) / 64
		for ; from < next; from++ {
			score += bits.OnesCount64(l.more[from]) - bits.OnesCount64(l.fewer[from])
		}
		to := min(words, (bottom+right)/64+1)
		score += bottom - top // along the left edge of the band
		l.fill(a[top:bottom], b, from, to)
		if l.least(score, from, to) > width {
			return width + 1
		}
	}
	for ; from < words; from++ {
		score += bits.OnesCount64(l.more[from]) - bits.OnesCount64(l.fewer[from])
	}
	return score
}

// fill computes a stripe in the given words of columns.
func (l *Levenshtein) fill(rows, b []uint32, from, to int) {
	for i, r := range rows {
		l.equal[r] |= 1 << i
	}
	c := column{up: ^uint64(0), lift: stripe - len(rows)}
	for word := from; word < to; word++ {
		columns := b[word*64 : min(word*64+64, len(b))]
		l.more[word], l.fewer[word] = c.advance(l.equal, columns, l.more[word], l.fewer[word])
	}
	for _, r := range rows {
		l.equal[r] = 0
	}
}

// column is a stripe in one column: one bit per row that is set if the value is 1 greater, or less, than in the row
// above.
type column struct {
	up, down uint64
	lift     int // distance of the lowest row from the highest bit
}

// advance computes up to 64 columns to the right. The arguments have one bit per column, the first one lowest, set
// where the row above the stripe is 1 more, or fewer, than in the column to the left. The results are the same for the
// stripe's lowest row.
func (c *column) advance(equal []uint64, columns []uint32, more, fewer uint64) (moreOut, fewerOut uint64) {
	const highest = 1 << 63
	up, down, lift := c.up, c.down, c.lift&63
	for _, r := range columns {
		same := equal[r]
		vertical := same | down
		same |= fewer & 1
		diagonal := (same&up + up ^ up) | same
		greater := down | ^(diagonal | up)
		less := up & diagonal
		moreOut = moreOut>>1 | greater<<lift&highest
		fewerOut = fewerOut>>1 | less<<lift&highest
		greater = greater<<1 | more&1
		less = less<<1 | fewer&1
		more, fewer = more>>1, fewer>>1
		up = less | ^(vertical | greater)
		down = greater & vertical
	}
	c.up, c.down = up, down
	unused := (64 - len(columns)) & 63
	return moreOut >> unused, fewerOut >> unused
}

// least returns a lower bound of all distances at the lower edge of a stripe. From there on distances only grow.
func (l *Levenshtein) least(score, from, to int) int {
	least := score
	for word := from; word < to; word++ {
		fewer := bits.OnesCount64(l.fewer[word])
		least = min(least, score-fewer)
		score += bits.OnesCount64(l.more[word]) - fewer
	}
	return least
}

func grow(words []uint64, n int) []uint64 {
	if cap(words) < n {
		return make([]uint64, n)
	}
	return words[:n]
}
