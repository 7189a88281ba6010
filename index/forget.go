package index

import "github.com/unecho/unecho/index/entry"

func (rec *Forget) apply(r *Replica, at Stamp) Effect {
	r.clocks.appended(at.LogAppendTime, rec.Wall)
	r.requests.forget(rec.Target)
	r.judge.forget(rec.Target)
	return Effect{Applied: true}
}

func (rec *Forget) fold(h running, _ *Replica) running {
	return h.mix(uint64(rec.Target.Offset)).mix(uint64(rec.Target.Entry))
}

// forget has a document that its output refused go to rejected, and die. A document that was fed stays what it is for
// those behind it: a feeder runs ahead of refusals, and how far ahead is chance (design 4, rules 11 and 15).
func (j *judge) forget(target entry.Position) {
	rows := j.find.sources.rows
	for _, p := range rows {
		for i := range p.held {
			v := &p.held[i]
			if v.Position != target {
				continue
			}
			if v.Forgotten = true; !p.wasFed(v.Offset) {
				j.takeBack(v)
			}
		}
	}
	if at, ok := j.find.window.Find(target); ok {
		if d, _ := at.Document(); !rows[d.Source].wasFed(d.Entry.Offset) {
			at.Kill()
		}
	}
}
