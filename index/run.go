package index

import "github.com/unecho/unecho/index/entry"

// apply judges the entries of a run, except for those that were judged before.
func (run *Run) apply(r *Replica, at Stamp) Effect {
	number, known := r.sources.known(run.Source)
	if !known || r.sources.rows[number].Epoch != run.Epoch || !r.underway.begun && !run.wellFormed(r.keys) {
		return Effect{}
	}
	r.underway.begun = true
	r.clocks.appended(at.LogAppendTime, run.Wall)
	p := r.sources.rows[number]
	p.raise(run.Base)
	for h := &r.underway; h.entry < len(run.Entries); h.entry++ {
		i := h.entry
		r.lookAhead(run)
		e := &run.Entries[i]
		if e.Offset < p.Base {
			continue
		}
		if _, held := p.find(e.Offset); held {
			continue
		}
		r.clocks.document(e.Time)
		v, ok := r.requests.judge(&r.judge, number, entry.Position{Offset: at.Offset, Entry: int32(i)}, e)
		if !ok {
			return Effect{}
		}
		v.Late = r.clocks.late(e.Time)
		p.hold(v)
		r.judged = append(r.judged, v)
	}
	if len(r.judged) == 0 {
		return Effect{Applied: true}
	}
	return Effect{Applied: true, Judged: r.judged}
}

// wellFormed returns false for a run with band keys of another length than the settings give, in bytes. None of our signers
// wrote such a run.
func (run *Run) wellFormed(keys int) bool {
	for i := range run.Entries {
		if e := &run.Entries[i]; !e.Empty() && len(e.Keys) != keys {
			return false
		}
	}
	return true
}

func (run *Run) entry(i int) *entry.Entry {
	if i < len(run.Entries) && !run.Entries[i].Empty() {
		return &run.Entries[i]
	}
	return nil
}

func (run *Run) size() int { return len(run.Entries) }

func (run *Run) source(*Verdict) entry.Source { return run.Source }

func (run *Run) fold(h running, r *Replica) running {
	h = h.mix(uint64(run.Base)).mix(uint64(r.find.popular.size))
	for i := range run.Entries {
		h = h.request(&run.Entries[i].Request)
	}
	return h
}
