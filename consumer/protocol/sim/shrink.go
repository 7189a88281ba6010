package sim

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

// smaller are kinds of histories in which less may happen.
func (p Params) smaller() []Params {
	var of []Params
	for _, change := range []func(*Params){
		func(q *Params) { q.Steps /= 2 }, func(q *Params) { q.Steps = q.Steps * 9 / 10 },
		func(q *Params) { q.Partitions = 1 },
		func(q *Params) { q.Sessions = 1 }, func(q *Params) { q.Members-- }, func(q *Params) { q.Documents /= 2 },
		func(q *Params) { q.Documents-- },
		func(q *Params) { q.Contents-- }, func(q *Params) { q.Gaps = false }, func(q *Params) { q.Rejects = false },
		func(q *Params) { q.Leaves = false },
		func(q *Params) { q.Refuses = 0 }, func(q *Params) { q.Untimely = false },
		func(q *Params) { q.SetOffsets = false }, func(q *Params) { q.DeleteOffsets = false },
		func(q *Params) { q.LoseOffsets = false },
		func(q *Params) { q.DeleteHead = false },
		func(q *Params) { q.LoseTail = false }, func(q *Params) { q.Recreate = false },
		func(q *Params) { q.Snapshots = false },
		func(q *Params) { q.Strangers = false }, func(q *Params) { q.Divergence = false },
		func(q *Params) { q.Routings = false },
		func(q *Params) { q.Changes = false }, func(q *Params) { q.Erasures = false },
		func(q *Params) { q.Count, q.Age = 0, 0 },
		func(q *Params) { q.KeepAll, q.Refresh, q.Reemit = false, false, 0 }, func(*Params) {},
	} {
		q := p
		change(&q)
		if q.Members > 0 && q.Documents > 0 && q.Contents > 1 && q.Steps > 0 {
			of = append(of, q)
		}
	}
	return of
}
