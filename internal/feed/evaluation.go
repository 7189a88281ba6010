package feed

import (
	"fmt"
	"math"
	"slices"

	"github.com/unecho/unecho/index/sketch"
)

// Judgement is one verdict, with the text it was given for.
type Judgement struct {
	ID        string // identifies the document: its coordinates
	Text      string
	Duplicate bool
	Match     string // the ID of the document it is a duplicate of
}

// Evaluation measures verdicts against the exact Jaccard similarity of each document to every one kept before it. It
// costs some 70 us to 150 us and 5 kB per document, so do not measure the speed of a run while evaluating it. It is not
// safe for concurrent use.
type Evaluation struct {
	threshold int // ten-thousandths, as in the index
	ruler     *ruler
	kept      *nearest
	numbers   map[string]int // number of each kept document, by ID
	result    Result
	rightly   int // judged duplicate, with a match that is similar enough
}

// Result is what an Evaluation found so far. A share is nil if it is a share of nothing.
type Result struct {
	Precision *float64 // share of the documents judged duplicate whose match is truly as similar as the threshold asks
	Recall    *float64 // share of the documents as similar to a kept one as the threshold asks that were judged duplicate
	Degrees   []Degree // the same by the similarity to the nearest kept document

	Duplicates int // judged duplicate, with a kept document as the match
	Copies     int // documents at least as similar to a kept one as the threshold asks
	Found      int // of the Copies, those judged duplicate
	Strangers  int // judged duplicate of a document that was never added, so not measured; 0 if all were added
}

// Degree counts the documents whose similarity to the nearest kept one is at least From and less than To; the last
// Degree is that of identical sets of shingles.
type Degree struct {
	From      float64 `json:"from"`
	To        float64 `json:"to"`
	Documents int     `json:"documents"`
	Duplicate int     `json:"duplicate"` // number of these that were judged duplicate
}

// NewEvaluation measures against a threshold and shingles as in the filter's settings.
func NewEvaluation(threshold float64, shingle string) (*Evaluation, error) {
	r, err := newRuler(shingle)
	if err != nil {
		return nil, fmt.Errorf("build evaluation: %w", err)
	}
	e := &Evaluation{
		threshold: int(math.Round(threshold * 10000)), ruler: r,
		kept: newNearest(min(0.5, threshold)), numbers: map[string]int{},
	}
	for tenth := range 6 {
		e.result.Degrees = append(e.result.Degrees, Degree{From: float64(tenth+5) / 10, To: min(1, float64(tenth+6)/10)})
	}
	return e, nil
}

// Add counts one verdict. Verdicts must be added in the order of the journal, rejected documents not at all.
func (e *Evaluation) Add(j Judgement) {
	e.ruler.set = e.ruler.shingles(e.ruler.set, j.Text)
	set := slices.Clone(e.ruler.set)
	shared, union := e.kept.best(set)
	e.degree(shared, union, j.Duplicate)
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
func (e *Evaluation) reaches(shared, union int) bool {
	return sketch.AtLeast(uint32(shared), uint32(union), e.threshold)
}

func (e *Evaluation) degree(shared, union int, duplicate bool) {
	tenth := shared*10/union - 5
	if tenth < 0 {
		return
	}
	e.result.Degrees[tenth].Documents++
	if duplicate {
		e.result.Degrees[tenth].Duplicate++
	}
}

// Result returns what was measured so far.
func (e *Evaluation) Result() Result {
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
