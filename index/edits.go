package index

import (
	"fmt"

	"github.com/unecho/unecho/index/sketch"
	"github.com/unecho/unecho/index/text"
)

// plannedByEdits says whether bands are planned from what a Levenshtein similarity leaves of the shingles.
func (p SimilarityParams) plannedByEdits() bool {
	return p.Verify == verifyLevenshtein && !p.byDistance() && p.Plan != planArea && p.Bands == 0 && p.Rows == 0
}

// plannedThreshold is the Jaccard similarity of shingles that bands are planned for: the threshold, or what edits by chance leave
// of the shingles there.
func (p SimilarityParams) plannedThreshold() (float64, error) {
	if !p.plannedByEdits() {
		return p.Threshold, nil
	}
	expected, _, ok := p.SharedAt(p.Threshold)
	if !ok {
		return 0, fmt.Errorf("plan bands: verify: levenshtein says nothing of the words of %s", p.Shingle)
	}
	return expected, nil
}

// SharedAt is the Jaccard similarity of the shingles of two documents of a similarity, where one follows from the other: the same,
// except that verify: levenshtein leaves it to where the edits fall. Then it is what edits by chance leave, and the least
// that any do; of words nothing follows.
func (p SimilarityParams) SharedAt(similarity float64) (expected, least float64, ok bool) {
	if p.Verify != verifyLevenshtein {
		return similarity, similarity, true
	}
	size := p.chars()
	if size == 0 {
		return 0, 0, false
	}
	return sketch.RunSimilarity(similarity, size), sketch.LeastRunSimilarity(similarity, size), true
}

// chars is the size of shingles that are runs of characters, 0 of others.
func (p SimilarityParams) chars() int {
	shingling, err := text.ParseShingling(p.Shingle)
	if err != nil {
		return 0
	}
	return shingling.Chars()
}

// Repeated says whether a shingle counts as often as it occurs. For verify: levenshtein it always does, as each character
// does there: a text that repeats itself has few shingles otherwise, and little edits change many of them.
func (p SimilarityParams) Repeated() bool {
	return p.Weighted || p.Verify == verifyLevenshtein && !p.byDistance()
}

// Compared is what of a normalised text is compared: all of it, or its front (FrontOf) for verify: levenshtein.
func (p SimilarityParams) Compared(normalized []byte) []byte {
	if p.Verify == verifyLevenshtein {
		return FrontOf(normalized)
	}
	return normalized
}
