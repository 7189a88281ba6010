package sim

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// What is small enough for every run of the tests; `simulate -explore all` takes them all.
var explored = []string{"network", "twice"}

// Small worlds are explored whole, and nothing breaks in any order of what can happen.
func TestExplore(t *testing.T) {
	for _, s := range Smalls() {
		if !slices.Contains(explored, s.Name) {
			continue
		}
		e := Explore(s, 100_000, func(Explored) {})
		if e.Failure != "" {
			t.Fatalf("exploring %s finds a failure: %s; it comes by\n%s", s.Name, e.Failure, strings.Join(e.Trace, "\n"))
		}
		if !e.Whole || e.Ends == 0 || e.States < 1000 {
			t.Errorf("%s: %d states, %d of them ends, whole %v", s.Name, e.States, e.Ends, e.Whole)
		}
		t.Logf("%s: %d states, %d moves, depth %d", s.Name, e.States, e.Moves, e.Depth)
	}
}

// Where two histories come to one state the same can happen next, and leads to the same states: else the name of a
// state would leave out what matters, and Explore would miss what comes of it. Another way of exploring finds as many
// states.
func TestStatesTellAll(t *testing.T)     { tryStates(t, 120) }
func TestStatesTellAllLong(t *testing.T) { tryStates(t, 1000) }

func tryStates(t *testing.T, most int) {
	const every = 3
	for _, s := range Smalls() {
		seen := map[state]map[state][]pick{}
		hits := 0
		for todo := [][]pick{nil}; len(todo) > 0 && len(seen) < most; {
			next := s.after(todo[0])
			todo = todo[1:]
			for _, name := range sorted(next) {
				picks := next[name]
				known, ok := seen[name]
				if !ok {
					seen[name] = s.after(picks)
					todo = append(todo, picks)
					continue
				}
				if hits++; hits%every == 0 && !slices.Equal(sorted(known), sorted(s.after(picks))) {
					t.Fatalf("%s: two histories come to one state, and go on in different ways", s.Name)
				}
			}
		}
		if hits < most/6 {
			t.Errorf("%s: only %d histories met", s.Name, hits)
		}
	}
}

// after is what can happen after a history, and the history then. After none the world begins.
func (s *Small) after(picks []pick) map[state][]pick {
	next := map[state][]pick{}
	told := script{picks: slices.Clone(picks)}
	w := (*World)(nil)
	for more := true; more; more = told.advance(len(picks)) {
		happened := picks == nil
		if w == nil {
			w = s.again(&told, len(picks))
		} else {
			told.at = len(picks)
		}
		if picks != nil {
			happened = w.step()
		}
		if happened {
			next[w.state()] = append([]pick{}, told.picks...)
			w = nil
		}
	}
	return next
}

// again is a world after its first choices.
func (s *Small) again(told *script, choices int) *World {
	told.at, told.left = 0, s.Limits
	w := begin(s.Params, told.choices())
	for told.at < choices {
		w.step()
	}
	return w
}

func sorted(of map[state][]pick) []state {
	return slices.SortedFunc(maps.Keys(of), func(a, b state) int { return slices.Compare(a[:], b[:]) })
}
