package synthetic

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/unecho/unecho/index/eval"
	"github.com/unecho/unecho/index/sketch"
)

// tolerance is the greatest difference between the similarity of an edited copy and the wanted one. One word at the end
// changes the similarity by some .004, one in the middle by .02.
const tolerance = 0.005

// ruler measures the similarity of texts to a base text.
type ruler struct {
	*eval.Ruler
	base, set []uint64
}

func (r *ruler) setBase(document string) { r.base = r.Set(r.base, []byte(document)) }

func (r *ruler) measure(document string) (shared, union int) {
	r.set = r.Set(r.set, []byte(document))
	return sketch.Jaccard(r.base, r.set)
}

// editor makes edited copies.
type editor struct {
	scribe *scribe // writes what is added
	random *rand.Rand
	ruler  *ruler
}

// edit changes words, and perhaps sentences, until the copy has the wanted similarity to the original. It returns the
// similarity reached.
func (e *editor) edit(a article, wanted float64) (article, float64) {
	e.ruler.setBase(a.text())
	if e.random.IntN(2) == 0 {
		a.title = e.scribe.sentence(e.scribe.pick(e.scribe.lexicon.titles))
	}
	sentences := e.random.IntN(2) == 0 // whether whole sentences are changed, too
	shared, union := len(e.ruler.base), len(e.ruler.base)
	reached := 1.0
	for range 40 {
		gap := reached - wanted
		if gap <= tolerance && reached < 1 {
			break
		}
		next := article{title: a.title, sentences: slices.Clone(a.sentences)}
		switch {
		case gap < e.step(reached):
			e.credit(&next, int(math.Round(float64(shared)/wanted))-union)
		case sentences && gap > 0.1 && e.random.IntN(2) == 0:
			e.changeSentence(&next)
		default:
			e.changeWords(&next, e.wordsFor(reached, wanted))
		}
		s, u := e.ruler.measure(next.text())
		if now := float64(s) / float64(u); now >= wanted-tolerance {
			a, shared, union, reached = next, s, u, now
		}
	}
	return a, reached
}

// step returns how much one more changed word reduces a similarity: the slope of the formula at wordsFor.
func (e *editor) step(from float64) float64 {
	return 1.5 * (1 + from) * (1 + from) / float64(len(e.ruler.base))
}

// wordsFor returns how many single words to change to get from one similarity near another: each changes three
// shingles, so m of n words leave (n-3m)/(n+3m).
func (e *editor) wordsFor(from, to float64) int {
	words := func(j float64) float64 { return float64(len(e.ruler.base)) * (1 - j) / (3 * (1 + j)) }
	return max(1, int(0.8*(words(to)-words(from))))
}

// changeWords replaces words by others of their kind.
func (e *editor) changeWords(a *article, count int) {
	for tries := 0; count > 0 && tries < 1000; tries++ {
		i := e.random.IntN(len(a.sentences))
		words := strings.Fields(a.sentences[i])
		k := e.random.IntN(len(words))
		core := strings.Trim(words[k], `.,:;?"`)
		kin := e.scribe.lexicon.kinOf(e.scribe.topic, core)
		if len(kin) == 0 {
			continue
		}
		word := e.scribe.pick(kin)
		words[k] = strings.Replace(words[k], core, word, 1)
		if k > 0 && (words[k-1] == "a" || words[k-1] == "an") {
			words[k-1] = strings.TrimSuffix(indefinite(word), " ")
		}
		a.sentences[i] = strings.Join(words, " ")
		count--
	}
}

// changeSentence drops a sentence, adds one, or moves one.
func (e *editor) changeSentence(a *article) {
	i := e.random.IntN(len(a.sentences))
	switch e.random.IntN(3) {
	case 0:
		a.sentences = slices.Delete(a.sentences, i, i+1)
	case 1:
		a.sentences = slices.Insert(a.sentences, i, e.scribe.sample(1)...)
	case 2:
		moved := a.sentences[i]
		a.sentences = slices.Delete(a.sentences, i, i+1)
		a.sentences = slices.Insert(a.sentences, e.random.IntN(len(a.sentences)+1), moved)
	}
}

// credit adds a last line of this many words: each adds one shingle and removes none.
func (e *editor) credit(a *article, words int) {
	if words <= 0 {
		words = 1
	}
	line := []string{"Updated"}
	if words > 1 {
		line[0] = "Reporting:"
	}
	for len(line) < words {
		line = append(line, e.scribe.surname())
	}
	a.sentences = append(a.sentences, strings.Join(line, " ")+".")
}
