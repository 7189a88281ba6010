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
		if w.replayed() {
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
		return w.replayed()
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
	class  Mishap
	step   func(*World) bool
}

// fault says that it does not happen any more when all is to come to its end.
func (k *kind) fault() bool { return k.class != Free }

func kinds(p Params) []kind {
	of := []kind{
		{460, Free, (*World).stepSession},
		{240, Free, (*World).stepReplica},
		{130, Free, (*World).stepAir},
		{25, Free, (*World).stepTransaction},
		{30, Free, (*World).stepSource},
		{30, Free, (*World).stepRebalance},
		{20, Free, (*World).stepStart},
		{8, Free, (*World).stepRejoin},
		{15, Free, (*World).stepTime},
		{5, Capture, (*World).stepKeeper},
		{4, Claim, (*World).stepClaim},
		{1, Damage, (*World).stepDamage},
		{7, Crash, (*World).stepKill},
		{17, Person, (*World).stepPerson},
		{6, Person, (*World).stepRoute},
		{3, Stranger, (*World).stepForeign},
		{2, Stray, (*World).stepStray},
	}
	if p.Backfill {
		of = append(of, kind{120, Free, (*World).stepFeeder}, kind{6, Person, (*World).stepCompact})
	}
	if p.Fills > 0 {
		of = append(of, kind{150, Free, (*World).stepFiller}, kind{4, Person, (*World).stepCompact})
	}
	if p.Changes {
		of = append(of, kind{10, Person, (*World).stepChange})
	}
	if p.Erasures {
		of = append(of, kind{12, Person, (*World).stepErase})
	}
	return of
}

// step lets something happen; it is false if that could not happen now.
func (w *World) step() bool {
	if w.told != nil {
		return w.told.lets(w)
	}
	x := w.n(w.weight)
	for i := range w.kinds {
		k := &w.kinds[i]
		if x -= k.weight; x < 0 {
			return (w.faults || !k.fault()) && k.step(w)
		}
	}
	return false
}

// mishap is true where something goes wrong that mostly goes well: once out of so often, while there are faults.
func (w *World) mishap(class Mishap, outOf int) bool {
	return w.faults && w.unlucky(class, outOf)
}

func (w *World) stepTime() bool {
	if w.told != nil {
		return false // nothing depends on it in a small world
	}
	w.now += int64(w.n(20))
	return true
}

func (w *World) stepForeign() bool { return w.params.Strangers && w.stepStranger() }
