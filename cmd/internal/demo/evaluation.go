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

// evaluation holds verdicts against the exact Jaccard similarity of each document to every one kept before it, when all
// are there. It keeps the shingles of each document, some 2 kB. It is not safe for concurrent use.
type evaluation struct {
	threshold int // ten-thousandths, as in the index
	ruler     *eval.Ruler
	sets      [][]uint64
	matches   []int          // by document: the one that it is a duplicate of, kept or unknown
	numbers   map[string]int // number of each kept document, by ID
	most      int            // pairs of unequal documents that are looked at
}

// In place of the number of a match.
const (
	kept    = -1
	unknown = -2
)

// mostPairs is how many pairs of unequal documents are looked at. More take minutes.
const mostPairs = 20_000_000

// result is what an evaluation found. A share is nil if it is a share of nothing.
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
	return &evaluation{
		threshold: int(math.Round(threshold * eval.Scale)), ruler: eval.NewRuler(text.DefaultParams(), shingling),
		numbers: map[string]int{}, most: mostPairs,
	}, nil
}

// add takes one verdict. Verdicts must be added in the order of the journal, rejected documents not at all.
func (e *evaluation) add(j judgement) {
	match := kept
	if !j.Duplicate {
		e.numbers[j.ID] = len(e.sets)
	} else if number, known := e.numbers[j.Match]; known {
		match = number
	} else {
		match = unknown
	}
	e.sets = append(e.sets, e.ruler.Set(nil, []byte(j.Text)))
	e.matches = append(e.matches, match)
}

// found measures the verdicts. It returns false if that would take too long.
func (e *evaluation) found() (out result, ok bool) {
	for tenth := range 6 {
		out.Degrees = append(out.Degrees, degree{From: float64(tenth+5) / 10, To: min(1, float64(tenth+6)/10)})
	}
	nearest, ok := e.nearest()
	if !ok {
		return result{}, false
	}
	rightly := 0
	for number, match := range e.matches {
		out.count(nearest[number], match != kept, e.reaches(nearest[number]))
		switch {
		case match == unknown:
			out.Strangers++
		case match >= 0:
			out.Duplicates++
			if shared, union := sketch.Jaccard(e.sets[number], e.sets[match]); e.reaches(eval.Pair{Shared: shared, Union: union}) {
				rightly++
			}
		}
	}
	out.Precision = share(rightly, out.Duplicates)
	out.Recall = share(out.Found, out.Copies)
	return out, true
}

// reaches compares in integers, as the index does.
func (e *evaluation) reaches(p eval.Pair) bool { return p.Shared > 0 && p.AtLeast(e.threshold) }

// nearest returns the similarity of each document to the nearest one that was kept before it, if that is at least one
// half or the threshold. Equal documents are joined once, so their number costs nothing.
func (e *evaluation) nearest() (nearest []eval.Pair, ok bool) {
	sets, equal := e.distinct()
	first := make([]int, len(sets)) // the first that was kept
	for class, numbers := range equal {
		first[class] = len(e.sets)
		if i := slices.IndexFunc(numbers, func(n int) bool { return e.matches[n] == kept }); i >= 0 {
			first[class] = numbers[i]
		}
	}
	nearest = make([]eval.Pair, len(e.sets))
	see := func(a, b int, p eval.Pair) {
		for _, number := range equal[b] {
			if n := &nearest[number]; first[a] < number && p.Shared*n.Union >= n.Shared*p.Union {
				*n = p
			}
		}
	}
	for class, set := range sets {
		see(class, class, eval.Pair{Shared: len(set), Union: len(set)})
	}
	join := eval.NewJoin(sets, min(eval.Scale/2, e.threshold))
	probe, pairs, total := join.NewProbe(), []eval.Pair(nil), 0
	for i := range join.Len() {
		pairs = probe.Append(pairs[:0], i)
		if total += len(pairs); total > e.most {
			return nil, false
		}
		for _, p := range pairs {
			see(p.A, p.B, p)
			see(p.B, p.A, p)
		}
	}
	return nearest, true
}

// distinct returns the sets that differ, and the numbers of the documents that have each of them, in order.
func (e *evaluation) distinct() (sets [][]uint64, equal [][]int) {
	numbers := make([]int, len(e.sets))
	for i := range numbers {
		numbers[i] = i
	}
	slices.SortStableFunc(numbers, func(a, b int) int { return slices.Compare(e.sets[a], e.sets[b]) })
	for len(numbers) > 0 {
		set := e.sets[numbers[0]]
		same := 1
		for same < len(numbers) && slices.Equal(e.sets[numbers[same]], set) {
			same++
		}
		sets, equal = append(sets, set), append(equal, numbers[:same])
		numbers = numbers[same:]
	}
	return sets, equal
}

// count counts a document whose nearest is this one, and whether that is a copy of it.
func (r *result) count(nearest eval.Pair, duplicate, reaches bool) {
	found := 0
	if duplicate {
		found = 1
	}
	if reaches {
		r.Copies++
		r.Found += found
	}
	if nearest.Shared == 0 || 2*nearest.Shared < nearest.Union {
		return
	}
	d := &r.Degrees[nearest.Shared*10/nearest.Union-5]
	d.Documents++
	d.Duplicate += found
}

func share(part, whole int) *float64 {
	if whole == 0 {
		return nil
	}
	s := float64(part) / float64(whole)
	return &s
}
