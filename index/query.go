package index

import (
	"slices"

	"github.com/unecho/unecho/index/entry"
)

// Lookup returns up to most representatives that stand for a document at least as similar to e as the threshold: the
// most similar first, and of equally similar ones the one judged first. Copy is the number that e would get as a copy.
// Lookup changes no later verdict and no counter, but it uses the replica's scratch memory, so it must not run at the
// same time as another call. e is an entry signed under the replica's settings; an empty one matches nothing.
func (r *Replica) Lookup(e *entry.Entry, most int) []Match {
	if e.Empty() || len(e.Keys) != r.keys || most < 1 {
		return nil
	}
	before := r.stats
	defer func() { r.stats = before }()
	all := r.find.all(e)
	slices.SortFunc(all, func(f, g found) int {
		switch {
		case f.better(&g):
			return -1
		case g.better(&f):
			return 1
		}
		return 0
	})
	var matches []Match
	for i := range all {
		root, ok := r.find.root(&all[i])
		if ok && len(matches) < most && !slices.ContainsFunc(matches,
			func(m Match) bool { return m.Position == root.document.Judged }) {
			matches = append(matches, r.find.match(&all[i], &root))
		}
	}
	return matches
}

// all returns every candidate at or above the threshold, within the budget of one entry.
func (x *finder) all(e *entry.Entry) (all []found) {
	s := x.survey(e)
	for f := (found{}); x.advance(&s, &f); {
		if x.measure(&s, &f) && x.verify.Reaches(f.similarity) {
			all = append(all, f)
		}
	}
	return all
}
