package index

import "github.com/unecho/unecho/index/entry"

// found is a candidate that reached the threshold.
type found struct {
	segment    *segment
	i          int
	similarity Similarity
	method     Method
}

// judge decides about one entry and remembers it. The caller has made sure that it was not judged before.
func (r *Replica) judge(source uint32, at Position, e *entry.Entry) Verdict {
	r.clocks.document(e.Time)
	now := r.clocks.now()
	r.window.expire(now)
	r.stats.Judged++
	v := Verdict{Offset: e.Offset, Position: at, Content: e.Content}
	if e.Empty() {
		r.stats.Unique++
		return v
	}
	if best, ok := r.best(e); ok {
		r.stats.Duplicate++
		best.segment.copies[best.i]++
		v.Match = r.match(&best)
		return v
	}
	r.stats.Unique++
	r.window.insert(e, document{
		position: at, applied: now, offset: e.Offset, content: e.Content, scope: e.Scope,
		bytes: EntryBytes(r.params, e), source: source,
	})
	r.window.expire(now)
	return v
}

// best returns the most similar candidate at or above the threshold; of equally similar ones the one judged first.
func (r *Replica) best(e *entry.Entry) (best found, ok bool) {
	r.others = r.others[:0]
	cut := r.window.candidates(e.Keys, r.params.Similarity.MaxCandidates, func(s *segment, i int) {
		d := &s.docs[i]
		if s.dead[i] || d.scope != e.Scope || r.partitions[d.source].fell(d.position, d.offset) {
			return
		}
		r.stats.Candidates++
		if d.content != e.Content {
			r.others = append(r.others, found{segment: s, i: i})
			return
		}
		f := found{segment: s, i: i, similarity: Similarity{Num: 1, Den: 1}, method: Identical}
		if !ok || f.better(&best) {
			best, ok = f, true
		}
	})
	r.stats.Cut += uint64(cut)
	return r.verified(e, best, ok)
}

// verified compares the candidates that are not identical. One that comes after an identical one cannot be better.
func (r *Replica) verified(e *entry.Entry, best found, ok bool) (found, bool) {
	began := false
	for _, f := range r.others {
		if ok && best.method == Identical && best.position().Before(f.position()) {
			continue
		}
		if !began {
			r.verify.begin(e)
			began = true
		}
		candidate, err := f.segment.entry(f.i, r.keys)
		if err != nil {
			continue // cannot be: the slab is our own encoding
		}
		f.similarity, f.method = r.verify.similarity(&candidate), r.verify.method()
		if r.reaches(f.similarity) && (!ok || f.better(&best)) {
			best, ok = f, true
		}
	}
	return best, ok
}

func (r *Replica) reaches(s Similarity) bool {
	return uint64(s.Num)*10000 >= uint64(r.threshold)*uint64(s.Den)
}

func (f *found) position() Position { return f.segment.docs[f.i].position }

func (f *found) better(g *found) bool {
	if f.similarity.Less(g.similarity) {
		return false
	}
	return g.similarity.Less(f.similarity) || f.position().Before(g.position())
}

func (r *Replica) match(f *found) Match {
	d := &f.segment.docs[f.i]
	p := r.partitions[d.source]
	m := Match{
		Source: p.source, Topic: p.name, Offset: d.offset, Position: d.position,
		Similarity: f.similarity, Method: f.method, Copy: uint64(f.segment.copies[f.i]) + 1,
	}
	if e, err := f.segment.entry(f.i, r.keys); err == nil {
		m.Time, m.ID = e.Time, string(e.ID)
	}
	return m
}
