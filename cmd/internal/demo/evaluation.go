package demo

import (
	"fmt"
	"math"
	"slices"

	"github.com/unecho/unecho/index/eval"
	"github.com/unecho/unecho/index/sketch"
	"github.com/unecho/unecho/index/text"
)

// judgement is one verdict, with the text it was given for.
type judgement struct {
	ID        string // identifies the document: its coordinates
	Text      string
	Duplicate bool
	Match     string // the ID of the document it is a duplicate of
}

// evaluation measures verdicts against the exact Jaccard similarity of each document to every one kept before it. It
// costs some 70 us to 150 us and 5 kB per document, so do not measure the speed of a run while evaluating it. It is not
// safe for concurrent use.
type evaluation struct {
	threshold int // ten-thousandths, as in the index
	ruler     *eval.Ruler
	kept      *nearest
	numbers   map[string]int // number of each kept document, by ID
	result    result
	rightly   int // judged duplicate, with a match that is similar enough
}

// result is what an evaluation found so far. A share is nil if it is a share of nothing.
type result struct {
	Precision *float64 // share of the documents judged duplicate whose match is truly as similar as the threshold asks
	Recall    *float64 // share of the documents as similar to a kept one as the threshold asks that were judged duplicate
	Degrees   []degree // the same by the similarity to the nearest kept document

	Duplicates int // judged duplicate, with a kept document as the match
	Copies     int // documents at least as similar to a kept one as the threshold asks
	Found      int // of the Copies, those judged duplicate
	Strangers  int // judged duplicate of a document that was never added, so not measured; 0 if all were added
}

// degree counts the documents whose similarity to the nearest kept one is at least From and less than To; the last
// degree is that of identical sets of shingles.
type degree struct {
	From      float64 `json:"from"`
	To        float64 `json:"to"`
	Documents int     `json:"documents"`
	Duplicate int     `json:"duplicate"` // number of these that were judged duplicate
}

// newEvaluation measures against a threshold and shingles as in the filter's settings.
func newEvaluation(threshold float64, shingle string) (*evaluation, error) {
	shingling, err := text.ParseShingling(shingle)
	if err != nil {
		return nil, fmt.Errorf("build evaluation: %w", err)
	}
	e := &evaluation{
		threshold: int(math.Round(threshold * 10000)), ruler: eval.NewRuler(text.DefaultParams(), shingling),
		kept: newNearest(min(0.5, threshold)), numbers: map[string]int{},
	}
	for tenth := range 6 {
		e.result.Degrees = append(e.result.Degrees, degree{From: float64(tenth+5) / 10, To: min(1, float64(tenth+6)/10)})
	}
	return e, nil
}

// add counts one verdict. Verdicts must be added in the order of the journal, rejected documents not at all.
func (e *evaluation) add(j judgement) {
	set := e.ruler.Set(nil, []byte(j.Text))
	shared, union := e.kept.best(set)
	e.countDegree(shared, union, j.Duplicate)
	if e.reaches(shared, union) {
		e.result.Copies++
		if j.Duplicate {
			e.result.Found++
		}
	}
	if !j.Duplicate {
		e.numbers[j.ID] = e.kept.add(set)
		return
	}
	match, known := e.numbers[j.Match]
	if !known {
		e.result.Strangers++
		return
	}
	e.result.Duplicates++
	if e.reaches(sketch.Jaccard(set, e.kept.sets[match])) {
		e.rightly++
	}
}

// reaches compares in integers, as the index does.
func (e *evaluation) reaches(shared, union int) bool {
	return sketch.AtLeast(uint32(shared), uint32(union), e.threshold)
}

func (e *evaluation) countDegree(shared, union int, duplicate bool) {
	tenth := shared*10/union - 5
	if tenth < 0 {
		return
	}
	e.result.Degrees[tenth].Documents++
	if duplicate {
		e.result.Degrees[tenth].Duplicate++
	}
}

// found returns what was measured so far.
func (e *evaluation) found() result {
	out := e.result
	out.Degrees = slices.Clone(e.result.Degrees)
	out.Precision = share(e.rightly, out.Duplicates)
	out.Recall = share(out.Found, out.Copies)
	return out
}

func share(part, whole int) *float64 {
	if whole == 0 {
		return nil
	}
	s := float64(part) / float64(whole)
	return &s
}
