package index

import "github.com/unecho/unecho/index/entry"

// apply begins an epoch of a source partition.
func (rec *Reposition) apply(r *Replica, at Stamp) Effect {
	number, known := r.sources.byID[rec.Source]
	if !known && rec.Epoch != 1 || known && rec.Epoch != r.sources.rows[number].Epoch+1 {
		return Effect{}
	}
	if !known {
		number = uint32(len(r.sources.rows))
		r.sources.add(&partition{source: rec.Source, among: rec.Partitions})
	}
	r.clocks.appended(at.LogAppendTime, rec.Wall)
	p, here := r.sources.rows[number], entry.Position{Offset: at.Offset}
	p.dropFalls(r.find.oldest(here))
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
func (x *finder) oldest(now entry.Position) entry.Position {
	if x.window.Visible() == 0 {
		return now
	}
	_, d, _ := x.window.Front()
	return d.Position
}
