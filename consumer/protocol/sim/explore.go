package sim

import "slices"

// Explored is what Explore has seen.
type Explored struct {
	States  int    // different ones
	Ends    int    // of them: all is forwarded and committed, nothing is on its way
	Moves   int    // from one state to another
	Depth   int    // moves from the beginning to the farthest
	Steps   int    // simulated; a state is come to by telling its history again
	Whole   bool   // the frontier is empty: there are no other states
	Failure string // what was broken; empty: nothing
	Trace   []string
}

// logEvery is how many new states progress is told of.
const logEvery = 20_000

// Explore goes through all histories of a small world: whatever can happen next happens, in every state, until no
// state is new, something is broken, or there are as many states as wanted. In each state the checks of all histories
// hold, and where all are seen, there is a way from each to the end without a further mishap.
func Explore(s Small, most int, progress func(Explored)) Explored {
	e := explorer{params: s.Params, limits: s.Limits, known: map[state]int32{}, progress: progress}
	e.whole(most)
	return e.Explored
}

// explorer goes depth first. Level n is what happens as the n-th, its choices begin at levels[n].
type explorer struct {
	Explored
	params   Params
	limits   Limits
	progress func(Explored)
	script   script
	levels   []int
	path     []int32 // the states above
	known    map[state]int32
	came     []origin // by state
	ends     []int32
	free     []move // that cost nothing
}

// origin is how a state was come to first.
type origin struct {
	from  int32
	picks string
}

type move struct{ from, to int32 }

func (e *explorer) whole(most int) {
	e.levels = []int{0}
	for w := (*World)(nil); e.States < most; {
		if w == nil {
			w = e.again(&e.script, e.levels)
		}
		left := e.script.left
		happened := e.happen(&w, &e.script)
		isNew := happened && w.failure == "" && e.arrive(w, left == e.script.left)
		if w.failure != "" {
			e.fail(w.failure, e.script.picks)
			return
		}
		if isNew {
			continue
		}
		up, ok := e.next()
		if !ok {
			e.Whole = true
			e.hopeless()
			return
		}
		if happened || up {
			w = nil // it has gone on, or is to go back
		}
	}
}

// next turns to the next that can happen, on this level or on one above; it is false if there is none.
func (e *explorer) next() (up, ok bool) {
	for !e.script.advance(e.levels[len(e.levels)-1]) {
		up = true
		e.levels = e.levels[:len(e.levels)-1]
		if len(e.levels) == 0 {
			return up, false
		}
		e.path = e.path[:len(e.path)-1]
	}
	e.script.at = e.levels[len(e.levels)-1]
	return up, true
}

// again tells a history up to the last level, which it leaves open.
func (e *explorer) again(s *script, levels []int) *World {
	s.at, s.left = 0, e.limits
	var w *World
	for range len(levels) - 1 {
		if e.happen(&w, s); w.failure != "" {
			panic("sim: a history told again breaks something")
		}
	}
	return w
}

// happen is the beginning of the world, or what comes next.
func (e *explorer) happen(w **World, s *script) bool {
	e.Steps++
	if *w == nil {
		*w = begin(e.params, s.choices())
		return true
	}
	return (*w).step()
}

// arrive notes a move, and is true if its state is new.
func (e *explorer) arrive(w *World, atNoCost bool) bool {
	e.Moves++
	name := w.state()
	id, seen := e.known[name]
	from := int32(-1)
	if len(e.path) > 0 {
		from = e.path[len(e.path)-1]
	}
	if !seen {
		id = int32(e.States)
		e.known[name] = id
		e.came = append(e.came, origin{from: from, picks: describePicks(e.script.picks[e.levels[len(e.levels)-1]:])})
		e.note(w, id)
	}
	if atNoCost && from >= 0 {
		e.free = append(e.free, move{from: from, to: id})
	}
	return !seen
}

// note goes down to a new state.
func (e *explorer) note(w *World, id int32) {
	e.Depth = max(e.Depth, len(e.path))
	e.path = append(e.path, id)
	e.levels = append(e.levels, len(e.script.picks))
	if e.States++; e.States%logEvery == 0 {
		e.progress(e.Explored)
	}
	if w.finished() {
		e.ends = append(e.ends, id)
		e.Ends++
		w.checkEnd()
	}
}

// fail tells the history that breaks something, a line a step.
func (e *explorer) fail(failure string, picks []pick) {
	e.Failure = failure
	s := script{picks: picks}
	for w := e.again(&s, []int{0, 0}); ; {
		w.tracing = true
		if s.at == len(picks) {
			e.Trace = append(w.trace, "VIOLATION: "+failure)
			return
		}
		w.steps++
		e.happen(&w, &s)
	}
}

// hopeless looks for a state from which there is no way to the end but by a mishap.
func (e *explorer) hopeless() {
	starts := make([]int32, e.States+1) // of the moves to a state, in order
	for _, m := range e.free {
		starts[m.to+1]++
	}
	for i := range e.States {
		starts[i+1] += starts[i]
	}
	from, at := make([]int32, len(e.free)), slices.Clone(starts)
	for _, m := range e.free {
		from[at[m.to]] = m.from
		at[m.to]++
	}
	ends := make([]bool, e.States)
	for todo := e.ends; len(todo) > 0; {
		id := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !ends[id] {
			ends[id] = true
			todo = append(todo, from[starts[id]:starts[id+1]]...)
		}
	}
	if id := slices.Index(ends, false); id >= 0 {
		e.fail("somebody waits for ever", e.to(int32(id)))
	}
}

// to is a history that ends in a state.
func (e *explorer) to(id int32) (picks []pick) {
	var parts []string
	for ; id >= 0; id = e.came[id].from {
		parts = append(parts, e.came[id].picks)
	}
	for i := len(parts) - 1; i >= 0; i-- {
		for k := 0; k < len(parts[i]); k += 2 {
			picks = append(picks, pick{parts[i][k], parts[i][k+1]})
		}
	}
	return picks
}

func describePicks(picks []pick) string {
	b := make([]byte, 0, 2*len(picks))
	for _, p := range picks {
		b = append(b, p.took, p.of)
	}
	return string(b)
}
