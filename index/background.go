package index

import (
	"github.com/unecho/unecho/index/sketch"
	"github.com/unecho/unecho/index/text"
)

// Background is how similar documents are that are no copies of each other, as measured: see decision 61.
//
// Any two texts of a language have some shingles in common by chance, the more the shorter the shingles. And a few
// pairs are akin, because they have a sentence or a form in common: one of 100,000 among news, one of 1,000 among
// advertisements and lines of logs.
func background(s text.Shingling) []sketch.Share {
	return []sketch.Share{{Share: 1, Similarity: chance(s)}, {Share: kinShare, Similarity: kinSimilarity}}
}

const (
	kinShare      = 3e-4
	kinSimilarity = 0.3
)

// chance returns the similarity that unlike texts have by chance: English news of 1.6 kB in shingles of 1, 2, ... words
// or characters. Longer shingles have the last one.
func chance(s text.Shingling) float64 {
	size, of := s.Words(), []float64{0.10, 0.013, 0.003}
	if s.Chars() > 0 {
		size, of = s.Chars(), []float64{0.9, 0.65, 0.31, 0.135, 0.072, 0.045, 0.024, 0.015, 0.01, 0.007}
	}
	return of[min(size, len(of))-1]
}
