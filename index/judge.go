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
	r.at, r.reentries = at, MostReentries
	r.room(0, 0)
	r.stats.Judged++
	v := Verdict{Offset: e.Offset, Position: at, Content: e.Content}
	if e.Empty() {
		r.stats.Unique++
		return v
	}
	d := document{position: at, applied: r.clocks.now(), source: source, entry: *e, judged: at}
	best, ok := r.best(e)
	if !ok {
		r.stats.Unique++
		r.enter(&d, nil)
		return v
	}
	root, _ := r.root(&best)
	v.Match = r.match(&best, &root)
	if v.Reemitted = r.repeat(&root, &d); v.Reemitted {
		r.stats.Reemitted++
	} else {
		r.stats.Duplicate++
	}
	if r.params.KeepsAll() {
		r.enter(&d, &root)
	}
	return v
}

// enter puts a document into the window, as a copy of root if there is one.
func (r *Replica) enter(d *document, root *found) {
	r.room(1, EntryBytes(r.params, &d.entry))
	d.first = r.window.end
	if d.root = d.first; root != nil {
		d.root = root.document.first
	}
	r.window.insert(d)
	r.room(0, 0)
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
		if ok && best.method == Identical && best.document.judged.Before(f.document.judged) {
			continue // it cannot be better
		}
		began = r.measure(&f, e, began)
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

// measure finds how similar a candidate is to e. The verifier begins with e when it is needed first; began says that it was.
func (r *Replica) measure(f *found, e *entry.Entry, began bool) bool {
	if f.document.entry.Content == e.Content {
		f.similarity, f.method = Similarity{Num: 1, Den: 1}, Identical
		return began
	}
	if !began {
		r.verify.begin(e)
	}
	r.candidate = f.document.entry // in place: a candidate of its own would be allocated for each
	f.similarity, f.method = r.verify.similarity(&r.candidate), r.verify.method()
	return true
}

// eligible says whether a candidate can be matched: it is of the scope of e, and alive as its representative is.
func (r *Replica) eligible(f *found, e *entry.Entry) bool {
	if f.document.entry.Scope != e.Scope || !r.alive(f) {
		return false
	}
	if !f.document.copied() {
		return true
	}
	root, ok := r.root(f)
	return ok && r.alive(&root)
}

// alive says that a document was not forgotten, did not fall, and is not too old.
func (r *Replica) alive(f *found) bool {
	d, seen := &f.document, f.document.applied
	if last, ok := f.segment.changes.repeated(f.i); ok {
		seen = last
	}
	return !f.segment.changes.isDead(f.i) && !r.window.old(r.clocks.now(), seen) &&
		!r.partitions[d.source].fell(d.position, d.entry.Offset)
}

// root is the representative of what was found; ok is false if it has left the window.
func (r *Replica) root(f *found) (root found, ok bool) {
	if !f.document.copied() {
		return *f, true
	}
	number := f.document.root
	if number < r.window.oldest {
		number = r.window.places[number] // 0, which left before, if it did not enter again
	}
	if number < r.window.oldest {
		return found{}, false
	}
	return r.found(number), true
}

func (r *Replica) reaches(s Similarity) bool { return !s.Less(r.least) }

func (f *found) better(g *found) bool {
	if f.similarity.Less(g.similarity) {
		return false
	}
	return g.similarity.Less(f.similarity) || f.document.judged.Before(g.document.judged)
}

// match says what the next copy that is as similar as f is a copy of.
func (r *Replica) match(f, root *found) Match {
	d := &root.document
	p := r.partitions[d.source]
	return Match{
		Source: p.source, Topic: p.name, Offset: d.entry.Offset, Position: d.judged, Time: d.entry.Time, ID: string(d.entry.ID),
		Similarity: f.similarity, Method: f.method, Copy: uint64(root.segment.changes.copied(root.i)) + 2,
	}
}
