package setting

import (
	"regexp"
	"strings"
	"unicode"
)

// Nearest returns the candidate that key was probably meant to be: one with nearly the same last word, or its beginning,
// in the same section, or with that word in another one. Of equal ones the first wins.
func Nearest(key string, candidates []string) (string, bool) {
	section, name := CutLast(key)
	best, bestScore := "", -1
	for _, c := range candidates {
		s, n := CutLast(c)
		d := apart(Fold(name), Fold(n))
		if d > max(1, len(name)/3) || s != section && d > 1 {
			continue
		}
		if score := 16*d + Distance(section, s); bestScore < 0 || score < bestScore {
			best, bestScore = c, score
		}
	}
	return best, bestScore >= 0
}

// apart is the distance of two words, or 1 where one begins with the other. Words of one or two letters are near nothing.
func apart(a, b string) int {
	short := min(len(a), len(b))
	switch {
	case a == b:
		return 0
	case short < 3:
		return maxCompared
	case strings.HasPrefix(a, b) || strings.HasPrefix(b, a):
		return 1
	}
	return Distance(a, b)
}

// Fold leaves out of a word what people write differently: bootstrap.servers, bootstrap_servers and bootstrapServers
// are one.
func Fold(word string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("._-", r) {
			return -1
		}
		return unicode.ToLower(r)
	}, word)
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

// Whole compiles a regular expression that is to fit whole texts.
func Whole(pattern string) (*regexp.Regexp, error) {
	if _, err := regexp.Compile(pattern); err != nil { // in parentheses, "a)|(b" would be one
		return nil, err
	}
	return regexp.Compile(`^(?:` + pattern + `)$`)
}

// NameRune says whether a name may hold a character, as Kafka has it for topics.
func NameRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '_' || r == '-'
}

// IsName says whether a text has no other characters than names may have.
func IsName(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return !NameRune(r) })
}
