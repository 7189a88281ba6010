package naive

import (
	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
)

// levenshtein compares two texts rune by rune. Texts of random histories are short: none reaches compare.ComparedText.
func (t *Twin) levenshtein(a, b *entry.Entry) (compare.Similarity, compare.Method) {
	x, errX := entry.DecompressText(nil, a.Evidence)
	y, errY := entry.DecompressText(nil, b.Evidence)
	if a.Kind != entry.Text || b.Kind != entry.Text || errX != nil || errY != nil {
		t.stats.Unreadable++
		return compare.Similarity{}, compare.NoMatch
	}
	longer := max(len([]rune(string(x))), len([]rune(string(y))))
	return compare.Similarity{Num: uint32(longer - edits([]rune(string(x)), []rune(string(y)))), Den: uint32(longer)},
		compare.Levenshtein
}

// edits returns the least number of runes to insert, delete or replace that turns a into b (Wagner and Fischer, 1974).
func edits(a, b []rune) int {
	row := make([]int, len(b)+1) // distances from the part of a read so far to each prefix of b
	for j := range row {
		row[j] = j
	}
	for i, x := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j, y := range b {
			replaced := diagonal
			if x != y {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// edits returns how many edits of so many runes are allowed.
func (t *Twin) edits(runes int) int {
	n := 0
	for n < runes && t.near(compare.Similarity{Num: uint32(runes - n - 1), Den: uint32(runes)}, compare.Levenshtein) {
		n++
	}
	return n
}
