package feed

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"time"
)

// ErrParams is returned by New for Params that Validate finds wrong.
var ErrParams = errors.New("feed settings")

// Feed makes documents. It is not safe for concurrent use; two feeds of the same Params make the same documents.
type Feed struct {
	params  Params
	lexicon *lexicon
	ruler   *ruler
	next    int
}

// New returns a feed at its first document.
func New(p Params) (*Feed, error) {
	if mistakes := p.Validate(); len(mistakes) > 0 {
		return nil, fmt.Errorf("%w: %s", ErrParams, mistakes[0])
	}
	r, err := newRuler("word:3")
	if err != nil {
		return nil, fmt.Errorf("build feed: %w", err)
	}
	return &Feed{params: p, lexicon: newLexicon(), ruler: r}, nil
}

// Next returns the next document, or false after the last.
func (f *Feed) Next() (Document, bool) {
	if f.next >= f.params.Documents {
		return Document{}, false
	}
	f.next++
	return f.At(f.next - 1), true
}

// Skip makes number the next document, to resume a feed.
func (f *Feed) Skip(number int) { f.next = number }

// At makes the document with any number, from 0, even beyond the end of the feed.
func (f *Feed) At(number int) Document {
	random, kind := f.draw(number)
	outlet := random.IntN(len(f.lexicon.outlets))
	d := Document{
		Number: number, ID: fmt.Sprintf("article-%06d", number), Time: published(number, random),
		Truth: Truth{Kind: kind, Of: -1},
	}
	var a article
	switch kind {
	case Exact, Edited:
		a, outlet = f.copied(&d, random, outlet)
	case Lookalike:
		a = newScribe(f.lexicon, random).bulletin()
	case Original, Unknown:
		a = newScribe(f.lexicon, random).original()
	}
	d.Title, d.Text, d.Outlet = a.title, a.text(), f.lexicon.outlets[outlet]
	return d
}

// draw starts a document's own sequence of random numbers and returns the document's kind. The first document is an
// original, as there is nothing yet to copy.
func (f *Feed) draw(number int) (*rand.Rand, Kind) {
	const golden = 0x9e3779b97f4a7c15 // 2^64 / golden ratio: near numbers get far seeds
	random := rand.New(rand.NewPCG(f.params.Seed, uint64(number+1)*golden))
	switch u := random.Float64(); {
	case number == 0:
		return random, Original
	case u < f.params.Exact:
		return random, Exact
	case u < f.params.Exact+f.params.Edited:
		return random, Edited
	case u < f.params.Exact+f.params.Edited+f.params.Lookalike:
		return random, Lookalike
	}
	return random, Original
}

// copied makes the copy d is, of an original that it chooses and notes, and returns an outlet that is not the
// original's.
func (f *Feed) copied(d *Document, random *rand.Rand, outlet int) (article, int) {
	d.Truth.Of = f.earlier(d.Number, random)
	source, _ := f.draw(d.Truth.Of)
	if source.IntN(len(f.lexicon.outlets)) == outlet {
		outlet = (outlet + 1) % len(f.lexicon.outlets)
	}
	published(d.Truth.Of, source)
	s := newScribe(f.lexicon, source)
	a := s.original()
	d.Truth.Similarity = 1
	if d.Truth.Kind == Edited {
		s.random = random // the copy has the same topic and cast, but other random numbers
		a, d.Truth.Similarity = (&editor{scribe: s, random: random, ruler: f.ruler}).edit(a, wanted(d.Number))
	}
	return a, outlet
}

// earlier chooses an original before number. On a logarithmic scale, near ones are as likely as far ones.
func (f *Feed) earlier(number int, random *rand.Rand) int {
	distance := int(math.Pow(float64(number), random.Float64()))
	for of := number - max(1, distance); of > 0; of-- {
		if _, kind := f.draw(of); kind == Original {
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
