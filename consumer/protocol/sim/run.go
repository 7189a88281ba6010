package sim

// Result is how a history ended.
type Result struct {
	Steps   int
	Failure string   // what was broken; empty: nothing
	Trace   []string // a line a step, if it was asked for
}

// Run makes up the history of a seed.
func Run(p Params, seed uint64, trace bool) Result {
	w := New(p, seed)
	w.tracing = trace
	return w.run()
}

func (w *World) run() Result {
	for tries := 0; w.steps < w.params.Steps && w.failure == "" && w.over == "" && tries < 8*w.params.Steps; tries++ {
		if w.step() {
			w.steps++
		}
		if w.plan != nil && w.progress().Finished {
			w.params.Steps = min(w.params.Steps, w.steps+afterwards)
		}
	}
	w.faults = false
	w.note("no more faults")
	w.finish()
	if w.failure == "" && w.over == "" {
		w.checkEnd()
	}
	if w.failure == "" {
		w.checkReplicas()
		w.checkAudits()
	}
	return Result{Steps: w.steps, Failure: w.failure, Trace: w.trace}
}

// afterwards is how many steps with faults follow when a backfill is finished.
const afterwards = 40

// patience is how many steps may pass after the last fault, and how many in a row may do nothing: no wait is endless.
const patience = 20_000

func (w *World) finish() {
	for idle, last := 0, w.steps+patience; w.failure == "" && w.over == "" && !w.finished(); {
		if w.step() {
			w.steps++
			idle = 0
		} else {
			idle++
		}
		if idle > patience || w.steps > last {
			w.bad("somebody waits for ever")
		}
	}
}

// finished says that all is forwarded and committed, and nothing is on its way.
func (w *World) finished() bool {
	if len(w.air) > 0 || len(w.open) > 0 {
		return false
	}
	if w.plan != nil {
		return w.progress().Finished
	}
	for _, m := range w.fillers {
		if m != nil && m.alive && m.feeder != nil {
			return false
		}
	}
	for _, p := range w.parts {
		end := p.end()
		if p.visible < int64(len(p.entries)) || p.owner < 0 || p.committed.offset < end || p.committed.metadata == "" {
			return false
		}
		s := w.slots[p.owner].joined
		if s == nil || !s.alive {
			return false
		}
		if a := s.shares[p.number].assignment(); a == nil || a.Base < end || a.HasUnjournaled() {
			return false
		}
	}
	return true
}

// end is the offset after the last document.
func (p *part) end() int64 {
	for o := len(p.entries) - 1; o >= 0; o-- {
		if !p.gap(int64(o)) {
			return int64(o) + 1
		}
	}
	return 0
}

// kind is something that may happen, and how often beside the others.
type kind struct {
	weight int
	fault  bool // it does not happen any more when all is to come to its end
	step   func(*World) bool
}

func kinds(p Params) []kind {
	of := []kind{
		{460, false, (*World).stepSession},
		{240, false, (*World).stepReplica},
		{130, false, (*World).stepAir},
		{25, false, (*World).stepTransaction},
		{30, false, (*World).stepSource},
		{30, false, (*World).stepRebalance},
		{20, false, (*World).stepStart},
		{8, false, (*World).stepRejoin},
		{15, false, (*World).stepTime},
		{5, true, (*World).stepKeeper},
		{4, true, (*World).stepClaim},
		{1, true, (*World).stepDamage},
		{7, true, (*World).stepKill},
		{17, true, (*World).stepPerson},
		{6, true, (*World).stepRoute},
		{3, true, (*World).stepForeign},
		{2, true, (*World).stepStray},
	}
	if p.Backfill {
		of = append(of, kind{120, false, (*World).stepFeeder}, kind{6, true, (*World).stepCompact})
	}
	if p.Fills > 0 {
		of = append(of, kind{150, false, (*World).stepFiller}, kind{4, true, (*World).stepCompact})
	}
	if p.Changes {
		of = append(of, kind{10, true, (*World).stepChange})
	}
	if p.Erasures {
		of = append(of, kind{12, true, (*World).stepErase})
	}
	if p.Files {
		of = append(of, kind{60, false, (*World).stepFiles})
	}
	return of
}

// step lets something happen; it is false if that could not happen now.
func (w *World) step() bool {
	x := w.n(w.weight)
	for i := range w.kinds {
		k := &w.kinds[i]
		if x -= k.weight; x < 0 {
			return (w.faults || !k.fault) && k.step(w)
		}
	}
	return false
}

// mishap is true where something goes wrong that mostly goes well: once out of so often, while there are faults.
func (w *World) mishap(outOf int) bool { return w.faults && w.n(outOf) == 0 }

func (w *World) stepTime() bool {
	w.now += int64(w.n(20))
	return true
}

func (w *World) stepForeign() bool { return w.params.Strangers && w.stepStranger() }
