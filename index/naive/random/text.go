package random

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// texts writes documents and near copies of them.
type texts struct {
	r        *rand.Rand
	families [][]string // originals, as words
	words    int        // number of words used so far, so that families share none
}

// next returns a new text, or a copy of an earlier one, edited or not. It may be empty.
func (x *texts) next() string {
	if x.r.IntN(25) == 0 {
		return pick(x.r, "", " ", "?!", "\t--\n")
	}
	if len(x.families) == 0 || x.r.IntN(100) < 8 {
		x.families = append(x.families, x.original())
	}
	// Recent families are chosen more often; a small window would otherwise hold none of the originals.
	back := min(x.r.IntN(len(x.families)), x.r.IntN(len(x.families)), x.r.IntN(len(x.families)))
	return x.edit(x.families[len(x.families)-1-back])
}

// original returns a text of 9n words, or two more. With word shingles of one or three there are then 9n shingles, and
// n words replaced at the end leave 8n of 10n shared: a similarity of exactly 0.8. Some originals have fewer words than
// a shingle.
func (x *texts) original() []string {
	words := make([]string, 9*(1+x.r.IntN(4))+pick(x.r, 0, 2))
	if x.r.IntN(10) == 0 {
		words = words[:1+x.r.IntN(3)]
	}
	for i := range words {
		words[i] = x.word()
	}
	return words
}

func (x *texts) word() string {
	x.words++
	return fmt.Sprintf("w%d", x.words)
}

func (x *texts) edit(original []string) string {
	words := append([]string(nil), original...)
	switch x.r.IntN(12) {
	case 0, 8, 9: // as it was
	case 1, 10: // unchanged once it is normalised
		return "  " + strings.ToUpper(strings.Join(words, ", ")) + "!"
	case 2: // one word anywhere
		words[x.r.IntN(len(words))] = x.word()
	case 3: // rotated; with the seam written twice it has the same set of shingles but another text
		turn := x.r.IntN(len(words))
		words = append(append(words[turn:len(words):len(words)], words[:turn]...), words[turn:min(turn+2, len(words))]...)
	case 4: // another order
		x.r.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
	default: // an end of known length
		for i := len(words) - x.r.IntN(len(words)/3+1); i < len(words); i++ {
			words[i] = x.word()
		}
	}
	return strings.Join(words, " ")
}
