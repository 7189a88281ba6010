package setting

import "strings"

// Nearest returns the candidate that key was probably meant to be: one with the same or nearly the same last word, in
// the same or nearly the same section. Of equal ones the first wins.
func Nearest(key string, candidates []string) (string, bool) {
	section, name := CutLast(key)
	best, bestScore := "", -1
	for _, c := range candidates {
		s, n := CutLast(c)
		d := Distance(name, n)
		if d > len(name)/3+1 || d >= len(n) {
			continue
		}
		if s != section && d > 1 {
			continue
		}
		if score := 16*d + Distance(section, s); bestScore < 0 || score < bestScore {
			best, bestScore = c, score
		}
	}
	return best, bestScore >= 0
}

// CutLast cuts a key before its last word.
func CutLast(key string) (section, name string) {
	if i := strings.LastIndexByte(key, '.'); i >= 0 {
		return key[:i], key[i+1:]
	}
	return "", key
}

// maxCompared bounds the bytes of words that are compared; no setting has a longer name.
const maxCompared = 64

// Distance returns the number of letters to insert, delete, change or swap with their neighbour to turn a into b.
func Distance(a, b string) int {
	a, b = a[:min(len(a), maxCompared)], b[:min(len(b), maxCompared)]
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := last[j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			row[j] = min(change, last[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
