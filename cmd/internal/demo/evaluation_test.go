package demo

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/unecho/unecho/index/eval"
	"github.com/unecho/unecho/index/eval/synthetic"
	"github.com/unecho/unecho/index/sketch"
)

// TestEvaluationAgainstCounting judges articles badly, at random, and counts by the definitions what the evaluation
// measures.
func TestEvaluationAgainstCounting(t *testing.T) {
	for _, threshold := range []float64{0.3, 0.8, 1} {
		t.Run(fmt.Sprint(threshold), func(t *testing.T) {
			e, err := newEvaluation(threshold, "word:3")
			if err != nil {
				t.Fatal(err)
			}
			n := naive{threshold: threshold, kept: map[string][]uint64{}, ruler: e.ruler}
			n.degrees = evaluated(t, e).Degrees
			f := newArticles(t, synthetic.Params{Documents: 160, Seed: 3, Exact: 0.2, Edited: 0.5, Lookalike: 0.2})
			random := rand.New(rand.NewPCG(1, 1))
			for d, ok := f.Next(); ok; d, ok = f.Next() {
				j := judgement{ID: d.ID, Text: d.Text}
				if len(n.ids) > 0 && random.IntN(2) == 0 {
					j.Duplicate, j.Match = true, n.ids[random.IntN(len(n.ids))]
					if d.Truth.Of >= 0 && random.IntN(2) == 0 {
						j.Match = fmt.Sprintf("article-%06d", d.Truth.Of) // rightly, if the original was kept
					}
				}
				n.add(j)
				e.add(j)
			}
			n.compare(t, evaluated(t, e))
		})
	}
}

func evaluated(t *testing.T, e *evaluation) result {
	t.Helper()
	got, ok := e.found()
	if !ok {
		t.Fatal("too many pairs")
	}
	return got
}

func newArticles(t testing.TB, p synthetic.Params) *synthetic.Articles {
	t.Helper()
	articles, err := synthetic.NewArticles(p)
	if err != nil {
		t.Fatal(err)
	}
	return articles
}

type naive struct {
	threshold float64
	ids       []string
	kept      map[string][]uint64
	ruler     *eval.Ruler
	degrees   []degree

	rightly, duplicates, copies, found, strangers int
}

func (n *naive) add(j judgement) {
	set := n.ruler.Set(nil, []byte(j.Text))
	best := 0.0
	for _, other := range n.kept {
		best = max(best, jaccard(set, other))
	}
	for i := range n.degrees {
		if best >= n.degrees[i].From && (best < n.degrees[i].To || best == 1 && i == 5) {
			n.degrees[i].Documents++
			if j.Duplicate {
				n.degrees[i].Duplicate++
			}
		}
	}
	if best >= n.threshold {
		n.copies++
		if j.Duplicate {
			n.found++
		}
	}
	if !j.Duplicate {
		n.kept[j.ID] = set
		n.ids = append(n.ids, j.ID)
		return
	}
	match, ok := n.kept[j.Match]
	if !ok {
		n.strangers++
		return
	}
	n.duplicates++
	if jaccard(set, match) >= n.threshold {
		n.rightly++
	}
}

func jaccard(a, b []uint64) float64 {
	shared, union := sketch.Jaccard(a, b)
	return float64(shared) / float64(union)
}

func (n *naive) compare(t *testing.T, got result) {
	t.Helper()
	if n.rightly == 0 || n.strangers == 0 || n.found == 0 || n.found == n.copies {
		t.Fatalf("the history tries too little: %+v", n)
	}
	if !slices.Equal(got.Degrees, n.degrees) {
		t.Errorf("degrees %+v\nwant %+v", got.Degrees, n.degrees)
	}
	if got.Duplicates != n.duplicates || got.Copies != n.copies || got.Found != n.found || got.Strangers != n.strangers {
		t.Errorf("got %+v, want %+v", got, n)
	}
	if *got.Precision != float64(n.rightly)/float64(n.duplicates) || *got.Recall != float64(n.found)/float64(n.copies) {
		t.Errorf("precision %v, recall %v, want those of %+v", *got.Precision, *got.Recall, n)
	}
}

func TestEvaluationOfNothing(t *testing.T) {
	e, err := newEvaluation(0.8, "word:3")
	if err != nil {
		t.Fatal(err)
	}
	e.add(judgement{ID: "a", Text: " "})
	e.add(judgement{ID: "b", Text: "\t\n"})
	e.add(judgement{ID: "c", Text: "", Duplicate: true, Match: "a"}) // two empty texts are not similar
	got := evaluated(t, e)
	if got.Recall != nil || got.Precision == nil || *got.Precision != 0 {
		t.Errorf("%+v, want no recall and precision 0", got)
	}
	e.add(judgement{ID: "d", Text: "One"})
	e.add(judgement{ID: "e", Text: "one!", Duplicate: true, Match: "d"})
	if got := evaluated(t, e); got.Recall == nil || *got.Recall != 1 || *got.Precision != 0.5 || got.Degrees[5].Duplicate != 1 {
		t.Errorf("%+v, want recall 1 and precision 1/2", got)
	}
	if _, err := newEvaluation(0.8, "words"); err == nil {
		t.Error("no error for unknown shingles")
	}
}

// Equal documents cost nothing, however many there are; of others that are alike, too many are left alone.
func TestEvaluationOfMuchTheSame(t *testing.T) {
	e, err := newEvaluation(0.8, "word:1")
	if err != nil {
		t.Fatal(err)
	}
	e.most = 6
	for i := range 9 {
		e.add(judgement{ID: fmt.Sprint(i), Text: "one two three", Duplicate: i > 0, Match: "0"})
	}
	for _, more := range []string{"", " five", " six"} {
		e.add(judgement{ID: more, Text: "one two three four" + more})
	}
	if got := evaluated(t, e); got.Found != 8 || *got.Recall != 0.8 {
		t.Errorf("%+v, want 8 of 10 copies found", got)
	}
	e.most = 5
	if got, ok := e.found(); ok {
		t.Errorf("found %+v", got)
	}
}
