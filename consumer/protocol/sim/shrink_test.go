package sim

import (
	"reflect"
	"slices"
)

// Shrink looks for a shorter history that breaks something as well, by trying smaller kinds of histories with many
// seeds. The result is the shortest it found, with what finds it again.
func Shrink(p Params, seed uint64) (Params, uint64, Result) {
	best := Run(p, seed, false)
	for again := true; again; {
		again = false
		for _, smaller := range p.smaller() {
			s, r, ok := firstFailure(smaller, seed, best.Steps)
			if ok {
				p, seed, best, again = smaller, s, r, true
				break
			}
		}
	}
	return p, seed, best
}

// shrinkSeeds is how many histories of a kind are tried.
const shrinkSeeds = 400

func firstFailure(p Params, from uint64, below int) (uint64, Result, bool) {
	for s := from; s < from+shrinkSeeds; s++ {
		if r := Run(p, s, false); r.Failure != "" && r.Steps < below {
			return s, r, true
		}
	}
	return 0, Result{}, false
}

// smaller are kinds of histories in which less may happen, one field after the other, and at last the same kind. A number
// gets smaller, and only to zero where that leaves something out.
func (p Params) smaller() (of []Params) {
	left := []string{"Refuses", "Fills", "Count", "Age", "Reemit", "Order"}
	for i, field := range reflect.VisibleFields(reflect.TypeFor[Params]()) {
		for _, tenths := range []int64{5, 9} {
			q := p
			if f := reflect.ValueOf(&q).Elem().Field(i); field.Type.Kind() == reflect.Bool {
				f.SetBool(false)
			} else if f.SetInt(f.Int() * tenths / 10); f.IsZero() && !slices.Contains(left, field.Name) {
				continue
			}
			if q != p && q.Contents > 1 && q.Backfill == p.Backfill {
				of = append(of, q)
			}
		}
	}
	return append(of, p)
}
