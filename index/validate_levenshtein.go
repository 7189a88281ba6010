package index

import (
	"cmp"
	"fmt"

	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/index/sketch"
	"github.com/unecho/unecho/index/text"
)

// leastRows is the least number of rows of a band. With one row, every document that shares one of its slots is a
// candidate, and that is nearly every document.
const leastRows = 2

// validateLevenshtein refuses shingles for which no bands keep recall.
func (p *Params) validateLevenshtein() []setting.Mistake {
	if !p.Duplicates.plannedByEdits() || p.keepsRecall() {
		return nil
	}
	s := &p.Duplicates
	slots := cmp.Or(s.Slots, usualSlots)
	remedy := "write shingle: char:1, and raise threshold"
	if size := p.longest(); size > 0 {
		remedy = fmt.Sprintf("write shingle: char:%d", size)
	}
	size := s.chars()
	if size == 0 {
		return []setting.Mistake{setting.Wrong("shingle", s.Shingle,
			"are words, of which one edited letter changes several: verify: levenshtein would miss most of what it is meant "+
				"to find", remedy)}
	}
	return []setting.Mistake{setting.Wrong("shingle", s.Shingle, fmt.Sprintf(
		"are too long for verify: levenshtein: at the threshold of %v they leave a Jaccard similarity of some %.2f, for "+
			"which %d slots do not keep a recall of %v in bands of %d rows or more",
		s.Threshold, sketch.RunSimilarity(s.Threshold, size), slots, s.Recall, leastRows), remedy)}
}

// keepsRecall says whether the planned bands keep recall and still exclude most documents (leastRows).
func (p *Params) keepsRecall() bool {
	s := p.Duplicates
	s.Slots = cmp.Or(s.Slots, usualSlots)
	banding, err := s.Banding()
	return err == nil && banding.Rows >= leastRows
}

// longest returns the length of the longest runs of characters for which the plan keeps recall; 0 if there are none.
func (p *Params) longest() int {
	q := *p
	for size := text.MaxChars; size > 0; size-- {
		if q.Duplicates.Shingle = fmt.Sprintf("char:%d", size); q.keepsRecall() {
			return size
		}
	}
	return 0
}
