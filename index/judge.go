package index

import "github.com/unecho/unecho/index/entry"

// found is a candidate that reached the threshold.
type found struct {
	segment    *segment
	i          int
	document   document
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
		v.Match = r.match(&best)
		return v
	}
	r.stats.Unique++
	r.window.insert(&document{position: at, applied: now, source: source, entry: *e})
	r.window.expire(now)
	return v
}

// best returns the most similar candidate at or above the threshold; of equally similar ones the one judged first. Up to
// max_candidates are verified, the most promising first.
func (r *Replica) best(e *entry.Entry) (best found, ok bool) {
	ranks, cut := r.window.candidates(e.Keys)
	r.stats.Cut += uint64(cut)
	began, verified := false, 0
	for i, rank := range ranks {
		f := r.found(rank.ref())
		if !r.eligible(&f, e) {
			continue
		}
		if verified++; verified > r.params.Similarity.MaxCandidates {
			r.stats.Unverified += uint64(len(ranks) - i)
			break
		}
		r.stats.Candidates++
		if ok && best.method == Identical && best.document.position.Before(f.document.position) {
			continue // it cannot be better
		}
		if f.document.entry.Content == e.Content {
			f.similarity, f.method = Similarity{Num: 1, Den: 1}, Identical
		} else {
			if !began {
				r.verify.begin(e)
				began = true
			}
			f.similarity, f.method = r.verify.similarity(&f.document.entry), r.verify.method()
		}
		if r.reaches(f.similarity) && (!ok || f.better(&best)) {
			best, ok = f, true
		}
	}
	return best, ok
}

func (r *Replica) found(at ref) (f found) {
	f.segment, f.i = r.window.at(at)
	f.document = f.segment.document(f.i)
	return f
}

// eligible says whether a candidate is alive and of the scope of e.
func (r *Replica) eligible(f *found, e *entry.Entry) bool {
	d := &f.document
	return !f.segment.changes.isDead(f.i) && d.entry.Scope == e.Scope &&
		!r.partitions[d.source].fell(d.position, d.entry.Offset)
}

func (r *Replica) reaches(s Similarity) bool { return !s.Less(r.least) }

func (f *found) better(g *found) bool {
	if f.similarity.Less(g.similarity) {
		return false
	}
	return g.similarity.Less(f.similarity) || f.document.position.Before(g.document.position)
}

// match counts one more copy of what was found, and says what it is a copy of.
func (r *Replica) match(f *found) Match {
	d := &f.document
	copies := f.segment.changes.copied(f.i) + 1
	f.segment.changes.setCopied(f.i, copies)
	p := r.partitions[d.source]
	return Match{
		Source: p.source, Topic: p.name, Offset: d.entry.Offset, Position: d.position, Time: d.entry.Time, ID: string(d.entry.ID),
		Similarity: f.similarity, Method: f.method, Copy: uint64(copies) + 1,
	}
}
