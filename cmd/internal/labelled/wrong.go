package labelled

import (
	"cmp"
	"slices"

	"github.com/unecho/unecho/index/eval"
	"github.com/unecho/unecho/index/sketch"
)

// Wrong is a pair about which the settings and the labels do not agree. Its JSON is a promise to scripts.
type Wrong struct {
	A          string  `json:"a"`
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

// differ lists up to most pairs that were found and are not labelled, and up to most that are labelled and were not
// found, the most similar first. Levenshtein ratios take long: of many pairs, those of the highest Jaccard similarity
// are listed.
func (d *Documents) differ(trial *eval.Trial, found, truth []eval.Pair, most int) (positives, missed []Wrong) {
	rank := d.measure(trial, d.similarity.Verify)
	if d.similarity.Verify == "levenshtein" {
		rank = d.measure(trial, "jaccard")
	}
	lists := map[bool]*wrongs{true: {most: most, kept: []Wrong{}}, false: {most: most, kept: []Wrong{}}}
	eval.Differ(found, truth, func(p eval.Pair, met, is bool) {
		if met != is && most > 0 {
			lists[met].add(Wrong{Similarity: rank(p.A, p.B), Why: "not labelled", a: p.A, b: p.B})
		}
	})
	measure, verified := d.measure(trial, d.similarity.Verify), d.verified(trial)
	for met, list := range lists { // in no order: neither depends on the other
		for i := range list.kept {
			w := &list.kept[i]
			w.A, w.B, w.Similarity = d.names[w.a], d.names[w.b], measure(w.a, w.b)
			if !met {
				w.Why = d.whyMissed(eval.Pair{A: w.a, B: w.b}, verified)
			}
		}
		slices.SortStableFunc(list.kept, func(x, y Wrong) int { return cmp.Compare(y.Similarity, x.Similarity) })
	}
	return lists[true].kept, lists[false].kept
}

func (d *Documents) whyMissed(p eval.Pair, verified func(a, b int) bool) string {
	switch {
	case len(d.sets[p.A]) == 0 || len(d.sets[p.B]) == 0:
		return "nothing to compare"
	case d.scopes[p.A] != d.scopes[p.B]:
		return "of different scopes"
	case !verified(p.A, p.B):
		return "not similar enough"
	}
	return "they share no band"
}

// measure returns the function that measures similarity as similarity.verify says; documents without text are similar to
// none.
func (d *Documents) measure(trial *eval.Trial, verify string) func(a, b int) float64 {
	var l sketch.Levenshtein
	of := map[string]func(a, b int) (num, den uint32){
		"estimate":    trial.Estimate,
		"levenshtein": func(a, b int) (num, den uint32) { return l.Similarity(d.texts[a], d.texts[b], 0) },
		"jaccard": func(a, b int) (num, den uint32) {
			shared, union := sketch.Jaccard(d.sets[a], d.sets[b])
			return uint32(shared), uint32(union)
		},
	}[verify]
	return func(a, b int) float64 {
		if len(d.sets[a]) == 0 || len(d.sets[b]) == 0 {
			return 0
		}
		num, den := of(a, b)
		return float64(num) / float64(max(1, den))
	}
}
