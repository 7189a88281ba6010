package synthetic

import (
	"math/rand/v2"
	"slices"
	"strings"
)

// Boilerplate describes texts that have most of their words in common, and near copies of some of them. The words are
// those of a vocabulary of 20,000. A copy has five words replaced, spread over the text, always at the same places: so
// all texts of a family, which is an original and its copies, have a word-3 Jaccard similarity of .859 to each other.
type Boilerplate struct {
	Originals int
	Copies    int  // each of any original
	Common    int  // words of boilerplateWords that all texts have
	Anywhere  bool // any words are replaced in a copy, and not only its own
	Parts     bool // common and own words alternate in four runs; else the common ones come first
	Mixed     bool // originals and copies come in any order; else the copies come last
	Seed      uint64
}

// boilerplateWords is how many words such a text has.
const boilerplateWords = 200

const (
	boilerplateVocabulary = 20_000
	replacedWords         = 5
)

// Make makes the texts. families has the number of the family of each.
func (b Boilerplate) Make() (texts []string, families []int) {
	r := rand.New(rand.NewPCG(b.Seed, uint64(b.Common)))
	words := make([]string, boilerplateVocabulary)
	for i := range words {
		words[i] = randomWord(r, 3+r.IntN(7))
	}
	common := draw(r, words, b.Common)
	own, replaced := b.places()
	originals := make([][]string, b.Originals)
	for i := range originals {
		originals[i] = b.arrange(common, draw(r, words, boilerplateWords-b.Common), own)
		texts, families = append(texts, strings.Join(originals[i], " ")), append(families, i)
	}
	for range b.Copies {
		of := r.IntN(b.Originals)
		text := slices.Clone(originals[of])
		for _, at := range replaced {
			text[at] = words[r.IntN(len(words))]
		}
		texts, families = append(texts, strings.Join(text, " ")), append(families, of)
	}
	if b.Mixed {
		r.Shuffle(len(texts), func(i, k int) {
			texts[i], texts[k] = texts[k], texts[i]
			families[i], families[k] = families[k], families[i]
		})
	}
	return texts, families
}

// places tells which words of a text are its own, and which of them a copy has replaced.
func (b Boilerplate) places() (own, replaced []int) {
	runs := 1
	if b.Parts {
		runs = 2
	}
	for i := range boilerplateWords {
		if run := boilerplateWords / runs; i%run >= b.Common/runs {
			own = append(own, i)
		}
	}
	from := own
	if b.Anywhere {
		from = make([]int, boilerplateWords)
		for i := range from {
			from[i] = i
		}
	}
	for k := range replacedWords {
		step := len(from) / replacedWords
		replaced = append(replaced, from[k*step+step/2])
	}
	return own, replaced
}

// arrange makes a text of common words and those of its own.
func (b Boilerplate) arrange(common, words []string, own []int) []string {
	text := make([]string, 0, boilerplateWords)
	for i := range boilerplateWords {
		if len(words) > 0 && i == own[len(own)-len(words)] {
			text, words = append(text, words[0]), words[1:]
		} else {
			text, common = append(text, common[0]), common[1:]
		}
	}
	return text
}

func draw(r *rand.Rand, from []string, n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = from[r.IntN(len(from))]
	}
	return all
}

func randomWord(r *rand.Rand, letters int) string {
	word := make([]byte, letters)
	for i := range word {
		word[i] = 'a' + byte(r.IntN(26))
	}
	return string(word)
}
