package naive

import (
	"slices"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/compare"
)

// erase lets the targets be dead and overwrites what they were recognised by.
func (t *Twin) erase(at index.Stamp, r *index.Erase) bool {
	if !t.inForce(r.Header) || len(r.Targets) > index.MostErased {
		return false
	}
	t.arrive(at, r.Wall)
	t.without(func(first *request) bool { return slices.Contains(r.Targets, first.verdict.Position) })
	for _, first := range t.requests {
		if m := &first.verdict.Match; m.Method != compare.NoMatch && slices.Contains(r.Targets, m.Position) {
			m.ID = ""
		}
	}
	for _, d := range t.window.documents {
		if slices.Contains(r.Targets, d.position) {
			d.dead = true
			d.entry = d.entry.Clone()
			d.entry.Content = 0
			clear(d.entry.Evidence)
			clear(d.entry.ID)
		}
	}
	return true
}
