package synthetic

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/unecho/unecho/index/eval"
	"github.com/unecho/unecho/index/text"
)

// ErrParams is returned by NewArticles for Params that Validate finds wrong.
var ErrParams = errors.New("settings of articles")

// Articles makes documents. It is not safe for concurrent use; two of the same Params make the same documents.
type Articles struct {
	params  Params
	lexicon *lexicon
	ruler   *ruler
	next    int
}

// NewArticles returns articles at the first one.
func NewArticles(p Params) (*Articles, error) {
	if mistakes := p.Validate(); len(mistakes) > 0 {
		return nil, fmt.Errorf("%w: %s", ErrParams, mistakes[0])
	}
	shingling, err := text.ParseShingling("word:3")
	if err != nil {
		return nil, fmt.Errorf("make articles: %w", err)
	}
	return &Articles{params: p, lexicon: newLexicon(), ruler: &ruler{Ruler: eval.NewRuler(text.DefaultParams(), shingling)}}, nil
}

// Next returns the next document, or false after the last.
func (all *Articles) Next() (Document, bool) {
	if all.next >= all.params.Documents {
		return Document{}, false
	}
	all.next++
	return all.At(all.next - 1), true
}

// At makes the document with any number, from 0, even beyond the last.
func (all *Articles) At(number int) Document {
	random, kind := all.draw(number)
	outlet := random.IntN(len(all.lexicon.outlets))
	d := Document{
		Number: number, ID: fmt.Sprintf("article-%06d", number), Time: published(number, random),
		Truth: Truth{Kind: kind, Of: -1},
	}
	var a article
	switch kind {
	case Exact, Edited:
		a, outlet = all.copied(&d, random, outlet)
	case Lookalike:
		a = newScribe(all.lexicon, random).bulletin()
	case Original:
		a = newScribe(all.lexicon, random).original()
	}
	d.Title, d.Text, d.Outlet = a.title, a.text(), all.lexicon.outlets[outlet]
	return d
}

// draw starts a document's own sequence of random numbers and returns the document's kind. The first document is an
// original, as there is nothing yet to copy.
func (all *Articles) draw(number int) (*rand.Rand, Kind) {
	const golden = 0x9e3779b97f4a7c15 // 2^64 / golden ratio: near numbers get far seeds
	random := rand.New(rand.NewPCG(all.params.Seed, uint64(number+1)*golden))
	switch u := random.Float64(); {
	case number == 0:
		return random, Original
	case u < all.params.Exact:
		return random, Exact
	case u < all.params.Exact+all.params.Edited:
		return random, Edited
	case u < all.params.Exact+all.params.Edited+all.params.Lookalike:
		return random, Lookalike
	}
	return random, Original
}

// copied makes the copy d is, of an original that it chooses and notes, and returns an outlet that is not the
// original's.
func (all *Articles) copied(d *Document, random *rand.Rand, outlet int) (article, int) {
	d.Truth.Of = all.earlier(d.Number, random)
	source, _ := all.draw(d.Truth.Of)
	if source.IntN(len(all.lexicon.outlets)) == outlet {
		outlet = (outlet + 1) % len(all.lexicon.outlets)
	}
	published(d.Truth.Of, source)
	s := newScribe(all.lexicon, source)
	a := s.original()
	d.Truth.Similarity = 1
	if d.Truth.Kind == Edited {
		s.random = random // the copy has the same topic and cast, but other random numbers
		a, d.Truth.Similarity = (&editor{scribe: s, random: random, ruler: all.ruler}).edit(a, wanted(d.Number))
	}
	return a, outlet
}

// earlier chooses an original before number. On a logarithmic scale, near ones are as likely as far ones.
func (all *Articles) earlier(number int, random *rand.Rand) int {
	distance := int(math.Pow(float64(number), random.Float64()))
	for of := number - max(1, distance); of > 0; of-- {
		if _, kind := all.draw(of); kind == Original {
			return of
		}
	}
	return 0
}

// wanted spreads the similarities of edited copies evenly from .5 to 1: the multiples of the golden ratio leave no gap.
func wanted(number int) float64 {
	_, fraction := math.Modf(float64(number) * math.Phi)
	return 0.5 + fraction/2
}

// published returns the document's time: a day of the year's second week, one document every half minute or so.
func published(number int, random *rand.Rand) time.Time {
	start := time.Date(2026, time.January, 5, 6, 0, 0, 0, time.UTC)
	return start.Add(time.Duration(number)*30*time.Second + time.Duration(random.IntN(30_000))*time.Millisecond)
}
