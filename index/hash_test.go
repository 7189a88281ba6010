package index

import (
	"testing"

	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
)

// Everything that members could decide differently about a document changes the hash by which they are compared.
func TestHashTellsEachPartOfAVerdict(t *testing.T) {
	matched := Verdict{Offset: 1, Content: 2, Match: Match{
		Method: compare.Jaccard, Position: entry.Position{Offset: 3, Entry: 4}, Similarity: compare.Similarity{Num: 5, Den: 6}, Copy: 7,
	}}
	for what, change := range map[string]func(v *Verdict){
		"offset": func(v *Verdict) { v.Offset++ }, "content": func(v *Verdict) { v.Content++ },
		"let through": func(v *Verdict) { v.Reemitted = true },
		"cut":         func(v *Verdict) { v.Cut = true }, "method": func(v *Verdict) { v.Match.Method = compare.Estimate },
		"match":              func(v *Verdict) { v.Match.Position.Offset++ },
		"entry of the match": func(v *Verdict) { v.Match.Position.Entry++ },
		"shared":             func(v *Verdict) { v.Match.Similarity.Num++ },
		"of":                 func(v *Verdict) { v.Match.Similarity.Den++ },
		"copy":               func(v *Verdict) { v.Match.Copy++ },
	} {
		other := matched
		if change(&other); running(0).verdict(&other) == running(0).verdict(&matched) {
			t.Errorf("%s: the hash is the same", what)
		}
	}
	if unique, cut := (Verdict{Offset: 1}), (Verdict{Offset: 1, Cut: true}); running(0).verdict(&unique) == running(0).
		verdict(&cut) {
		t.Error("unique and cut: the hash is the same")
	}
}
