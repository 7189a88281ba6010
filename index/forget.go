package index

func (rec *Forget) apply(r *Replica, at Stamp) Effect {
	r.clocks.appended(at.LogAppendTime, rec.Wall)
	r.forget(rec.Target)
	return Effect{Applied: true}
}

func (rec *Forget) fold(h running, _ *Replica) running {
	return h.mix(uint64(rec.Target.Offset)).mix(uint64(rec.Target.Entry))
}

// forget has a document that its output refused go to rejected, and die. A document that was fed stays what it is for
// those behind it: a feeder runs ahead of refusals, and how far ahead is chance (design 4, rules 11 and 15).
func (r *Replica) forget(target Position) {
	r.requests.forget(target)
	for _, p := range r.partitions {
		for i := range p.held {
			v := &p.held[i]
			if v.Position != target {
				continue
			}
			if v.Forgotten = true; !p.wasFed(v.Offset) {
				r.takeBack(v)
			}
		}
	}
	if at, ok := r.window.Find(target); ok {
		if d := at.Document(); !r.partitions[d.Source].wasFed(d.Entry.Offset) {
			at.Kill()
		}
	}
}
