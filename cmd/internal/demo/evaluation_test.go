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
			n.degrees = e.found().Degrees
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
			n.compare(t, e.found())
		})
	}
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
	got := e.found()
	if got.Recall != nil || got.Precision == nil || *got.Precision != 0 {
		t.Errorf("%+v, want no recall and precision 0", got)
	}
	e.add(judgement{ID: "d", Text: "One"})
	e.add(judgement{ID: "e", Text: "one!", Duplicate: true, Match: "d"})
	if got := e.found(); got.Recall == nil || *got.Recall != 1 || *got.Precision != 0.5 || got.Degrees[5].Duplicate != 1 {
		t.Errorf("%+v, want recall 1 and precision 1/2", got)
	}
	if _, err := newEvaluation(0.8, "words"); err == nil {
		t.Error("no error for unknown shingles")
	}
}

// TestNearestIsExact tries sets that nearly meet the floor, and hashes that collide in their low bits.
func TestNearestIsExact(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	for _, floor := range []float64{0.1, 0.5, 0.8, 1} {
		n := newNearest(floor)
		for range 400 {
			set := make([]uint64, 0, 12)
			for range random.IntN(12) {
				set = append(set, uint64(random.IntN(14))<<30) // four different low words
			}
			slices.Sort(set)
			set = slices.Compact(set)
			want, over := 0, 1
			for _, other := range n.sets {
				if s, u := sketch.Jaccard(set, other); float64(s) >= floor*float64(u) && s*over > want*u {
					want, over = s, u
				}
			}
			if s, u := n.best(set); s*over != want*u {
				t.Fatalf("floor %v, %x: %d/%d, want %d/%d", floor, set, s, u, want, over)
			}
			n.add(set)
		}
	}
}

func BenchmarkEvaluation(b *testing.B) {
	f := newArticles(b, synthetic.DefaultParams())
	documents := make([]synthetic.Document, 3000)
	for i := range documents {
		documents[i] = f.At(i)
	}
	var e *evaluation
	i := 0
	for b.Loop() {
		if i%len(documents) == 0 {
			b.StopTimer()
			var err error
			if e, err = newEvaluation(0.8, "word:3"); err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
		}
		d := documents[i%len(documents)]
		e.add(judgement{
			ID: d.ID, Text: d.Text, Duplicate: d.Truth.Similarity >= 0.8,
			Match: fmt.Sprintf("article-%06d", d.Truth.Of),
		})
		i++
	}
}
