package index

import (
	"fmt"

	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/sketch"
	"github.com/unecho/unecho/index/text"
)

// plannedByEdits says whether bands are planned from the share of shingles that two texts of a given Levenshtein
// similarity still have in common.
func (p DuplicatesParams) plannedByEdits() bool {
	p = p.asSigned()
	return p.Verify == verifyLevenshtein && !p.byDistance() && p.Plan != planArea && p.Bands == 0 && p.Rows == 0
}

// plannedThreshold is the Jaccard similarity of shingles that bands are planned for. It is the threshold itself; if
// plannedByEdits, it is what randomly placed edits leave of the shingles at the threshold.
func (p DuplicatesParams) plannedThreshold() (float64, error) {
	p = p.asSigned()
	if !p.plannedByEdits() {
		return p.Threshold, nil
	}
	expected, _, ok := p.SharedAt(p.Threshold)
	if !ok {
		return 0, fmt.Errorf("verify: levenshtein says nothing of the words of %s", p.Shingle)
	}
	return expected, nil
}

// SharedAt returns the Jaccard similarity of the shingles of two documents that have a given similarity. They are the
// same, except under verify: levenshtein, where it depends on where the edits fall: expected is for edits at random
// places, least for the worst places. ok is false if the shingles are words, because then nothing follows.
func (p DuplicatesParams) SharedAt(similarity float64) (expected, least float64, ok bool) {
	if p.Verify != verifyLevenshtein {
		return similarity, similarity, true
	}
	size := p.chars()
	if size == 0 {
		return 0, 0, false
	}
	return sketch.RunSimilarity(similarity, size), sketch.LeastRunSimilarity(similarity, size), true
}

// chars returns the size of shingles that are runs of characters, and 0 for other shingles.
func (p DuplicatesParams) chars() int {
	shingling, err := text.ParseShingling(p.Shingle)
	if err != nil {
		return 0
	}
	return shingling.Chars()
}

// Repeated says whether a shingle counts as often as it occurs. Under verify: levenshtein it does, because there every
// character counts: a text that repeats itself would otherwise have few shingles, and small edits would change many of
// them.
func (p DuplicatesParams) Repeated() bool {
	return p.Weighted || p.asSigned().Verify == verifyLevenshtein && !p.byDistance()
}

// Compared returns the part of a normalised text that is compared: all of it, or under verify: levenshtein its front
// (compare.FrontOf).
func (p DuplicatesParams) Compared(normalized []byte) []byte {
	if p.asSigned().Verify == verifyLevenshtein {
		return compare.FrontOf(normalized)
	}
	return normalized
}
