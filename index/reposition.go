package index

// apply begins an epoch of a source partition.
func (rec *Reposition) apply(r *Replica, at Stamp) Effect {
	number, known := r.byID[rec.Source]
	if !known && rec.Epoch != 1 || known && rec.Epoch != r.partitions[number].Epoch+1 {
		return Effect{}
	}
	if !known {
		number = uint32(len(r.partitions))
		r.addPartition(&partition{source: rec.Source, among: rec.Partitions})
	}
	r.clocks.appended(at.LogAppendTime, rec.Wall)
	p, here := r.partitions[number], Position{Offset: at.Offset}
	p.dropFalls(r.oldest(here))
	if known && p.Epoch == 0 { // a fill named it
		p.among, p.Base = rec.Partitions, rec.Offset
	}
	from := min(rec.Offset, p.Base)
	r.requests.drop(func(q *request) bool { return q.source == number && q.offset >= from })
	p.reposition(here, rec)
	return Effect{Applied: true}
}

func (rec *Reposition) fold(h running, _ *Replica) running {
	return h.mix(uint64(rec.Epoch)).mix(uint64(rec.Offset))
}

// oldest returns the least journal position at which a remembered document entered, or now if there is none.
func (r *Replica) oldest(now Position) Position {
	if d, ok := r.window.Eldest(); ok {
		now = d.Position
	}
	return now
}
