package tune

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/eval"
)

// Wrong is a document about which the settings and the labels do not agree. Its JSON is a promise to scripts.
type Wrong struct {
	A          string  `json:"a"` // that stays, and came before
	B          string  `json:"b"`
	Similarity float64 `json:"similarity"` // as the service measures it
	Why        string  `json:"why"`

	a, b int // numbers of the documents
}

// wrongs keeps the most similar of many pairs, of equally similar ones the first.
type wrongs struct {
	most int
	kept []Wrong
}

func (w *wrongs) add(x Wrong) {
	at, _ := slices.BinarySearchFunc(w.kept, x, func(y, x Wrong) int {
		if y.Similarity >= x.Similarity {
			return -1
		}
		return 1
	})
	if at == w.most {
		return
	}
	if len(w.kept) == w.most {
		w.kept = w.kept[:w.most-1]
	}
	w.kept = slices.Insert(w.kept, at, x)
}

type judged struct {
	*Documents
	verdicts  []index.Verdict
	standings []eval.Standing
	most      int // of each kind that are listed
}

// positives lists duplicates of what they are not labelled with, the most similar first.
func (j judged) positives() []Wrong {
	list := wrongs{most: j.most, kept: []Wrong{}}
	for i := range j.verdicts {
		if s, v := j.standings[i], &j.verdicts[i]; s.Left && !s.Right {
			list.add(Wrong{Similarity: value(v.Match.Similarity), Why: "not labelled", a: v.CopyOf(), b: i})
		}
	}
	return j.named(list.kept)
}

// missed lists documents that should have left, each with the most similar of those that stay and are labelled with it,
// the most similar first. Levenshtein ratios take long: of many, those of the highest Jaccard similarity are listed.
func (j judged) missed(truth []eval.Pair, known []int) ([]Wrong, error) {
	if j.most == 0 {
		return []Wrong{}, nil
	}
	verify := j.judge.Duplicates.Verify
	if verify == "levenshtein" {
		verify = "jaccard"
	}
	rank, err := j.measure(verify)
	if err != nil {
		return nil, err
	}
	nearest := map[int]Wrong{}
	for _, p := range truth {
		if s := j.standings[p.B]; s.Right || !s.Due || j.standings[p.A].Left {
			continue
		}
		similarity := rank(p.A, p.B)
		if w, met := nearest[p.B]; !met || similarity > w.Similarity {
			nearest[p.B] = Wrong{Similarity: similarity, a: p.A, b: p.B}
		}
	}
	list, first := wrongs{most: j.most, kept: []Wrong{}}, map[int]int{}
	for i, s := range j.standings {
		w, met := nearest[i]
		if !met && s.Due && !s.Right { // others connect them
			w, met = Wrong{Similarity: rank(first[known[i]], i), a: first[known[i]], b: i}, true
		}
		if met {
			list.add(w)
		}
		if _, stays := first[known[i]]; !stays && !s.Left {
			first[known[i]] = i
		}
	}
	return j.explained(list.kept)
}

// explained sets why documents were missed, and how similar they are.
func (j judged) explained(missed []Wrong) ([]Wrong, error) {
	measure, err := j.measure(j.judge.Duplicates.Verify)
	if err != nil {
		return nil, err
	}
	compare, err := index.NewComparer(j.judge)
	if err != nil {
		return nil, err
	}
	for i := range missed {
		w := &missed[i]
		w.Similarity, w.Why = measure(w.a, w.b), j.why(w, compare)
	}
	slices.SortStableFunc(missed, func(x, y Wrong) int { return cmp.Compare(y.Similarity, x.Similarity) })
	return j.named(missed), nil
}

func (j judged) why(w *Wrong, comparer *compare.Comparer) string {
	a, b := &j.entries[w.a], &j.entries[w.b]
	comparer.Begin(a)
	_, _, similar := comparer.Compare(b)
	switch {
	case a.Empty() || b.Empty():
		return "nothing to compare"
	case a.Scope != b.Scope:
		return "of different scopes"
	case j.standings[w.b].Left:
		return "left for another"
	case !similar:
		return "not similar enough"
	case !shares(a.Keys, b.Keys):
		return "they share no band"
	case !j.verdicts[w.b].Cut:
		return "others share their bands too"
	}
	return "left out by a bound"
}

// shares says whether two documents have a band key in common.
func shares(a, b []byte) bool {
	for i := 0; i < len(a); i += entry.KeyBytes {
		if bytes.Equal(a[i:i+entry.KeyBytes], b[i:i+entry.KeyBytes]) {
			return true
		}
	}
	return false
}

// named sets the names of documents.
func (j judged) named(all []Wrong) []Wrong {
	for i := range all {
		all[i].A, all[i].B = j.numbers.called(j.refs[all[i].a]), j.numbers.called(j.refs[all[i].b])
	}
	return all
}

// measure returns the function that measures similarity by a word of duplicates.verify, whatever the threshold and the
// scopes; documents without text are similar to none.
func (d *Documents) measure(verify string) (func(a, b int) float64, error) {
	p := d.judge
	s := &p.Duplicates
	s.Signed = index.Signed{Threshold: s.Threshold, Verify: s.Verify}
	s.Threshold, s.Verify = 1e-4, verify // a pair below the threshold may be measured too low
	c, err := index.NewComparer(p)
	return func(a, b int) float64 {
		x, y := d.entries[a], d.entries[b]
		if x.Empty() || y.Empty() {
			return 0
		}
		y.Scope = x.Scope
		c.Begin(&x)
		similarity, _, _ := c.Compare(&y)
		return value(similarity)
	}, err
}

func value(s compare.Similarity) float64 { return float64(s.Num) / float64(max(1, s.Den)) }
