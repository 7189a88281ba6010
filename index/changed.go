package index

import (
	"fmt"

	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/text"
)

// What a changed word costs a text depends on the length of the text: each shingle that holds the word is another one.
// So a text of few words with one of them changed is no duplicate by settings that suit articles.

// Of texts in words, a word has five letters and a space (English news), if shingles are of characters.
const wordLetters = 5

// mostShort bounds the words of a text that may be short.
const mostShort = 1000

// ChangedWord returns how similar a text of so many words is to the same with a word in its middle changed. It is 0 where
// the similarity is none of shingles of the text as a whole.
func (p DuplicatesParams) ChangedWord(words int) float64 {
	of := p.shinglesOf(words)
	changed := min(p.changed(), of)
	return float64(of-changed) / float64(max(1, of+changed))
}

// LeastWords returns from how many words on a text with one word changed is a duplicate, if it is found; 0 where that is
// not known: by a Levenshtein ratio, by the bits of a sketch, and at thresholds near 1.
func (p DuplicatesParams) LeastWords() int {
	if p.Verify == verifyLevenshtein || p.Verify == verifyEstimate && p.byDistance() {
		return 0
	}
	for words := 1; words <= mostShort; words++ {
		if of := p.shinglesOf(words); compare.Scale*(of-min(p.changed(), of)) >= int(p.Least().Num)*(of+min(p.changed(), of)) {
			return words
		}
	}
	return 0
}

// LeastShingles returns how many shingles the text of LeastWords has.
func (p DuplicatesParams) LeastShingles() int {
	if words := p.LeastWords(); words > 0 {
		return p.shinglesOf(words)
	}
	return 0
}

// ShortTexts says what a changed word costs; empty where that is not known.
func (p DuplicatesParams) ShortTexts() string {
	const few = 7
	least := p.LeastWords()
	if least == 0 {
		return ""
	}
	return fmt.Sprintf("by %s at %v a text with one changed word is a duplicate from %d words on; one of %d words keeps a "+
		"similarity of %.2f", p.Shingle, p.Threshold, least, few, p.ChangedWord(few))
}

// ShortAdvice says what suits short texts, by what was measured (deploy/docs/benchmarks.md, short texts): a setting by
// which more than one of twenty documents leaves wrongly is none. With a list of what is ignored long texts may be short, too.
func (p DuplicatesParams) ShortAdvice() string {
	if p.Ignored.Len() > 0 {
		return "only what duplicates.ignore leaves of a text counts: tune with pairs that you know"
	}
	return "for texts of some 12 words shingle: word:1 at threshold: 0.75 suits; of 7 words no setting that was " +
		"measured is right about 95 % of what leaves: tune with pairs that you know"
}

// shinglesOf returns how many shingles a text of so many words has.
func (p DuplicatesParams) shinglesOf(words int) int {
	s, err := text.ParseShingling(p.Shingle)
	switch {
	case err != nil:
		return 0
	case s.Chars() > 0:
		return max(1, (wordLetters+1)*words-s.Chars())
	}
	return max(1, words-s.Words()+1)
}

// changed returns how many shingles hold a word.
func (p DuplicatesParams) changed() int {
	s, err := text.ParseShingling(p.Shingle)
	switch {
	case err != nil:
		return 0
	case s.Chars() > 0:
		return s.Chars() + wordLetters - 1
	}
	return s.Words()
}
