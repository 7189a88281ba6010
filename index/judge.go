package index

import "github.com/unecho/unecho/index/entry"

// judge decides about one entry and remembers it. The caller makes sure that the entry was not judged before, and has
// moved the clocks.
func (r *Replica) judge(source uint32, at Position, e *entry.Entry) Verdict {
	r.beginTurn(at)
	r.room(0, 0)
	r.stats.Judged++
	v := Verdict{Offset: e.Offset, Position: at, Content: e.Content}
	if e.Empty() {
		r.stats.Unique++
		return v
	}
	d := document{position: at, applied: r.clocks.now(), source: source, entry: *e, judged: at}
	best, ok, cut := r.best(e)
	if v.Cut = cut; !ok {
		r.stats.Unique++
		r.stats.UniqueCut += uint64(flag(cut))
		r.enter(&d, nil)
		return v
	}
	r.stats.Doubtful += uint64(flag(r.params.Similarity.Doubtful(best.method, best.similarity)))
	root, _ := r.root(&best)
	v.Match = r.match(&best, &root)
	if v.Reemitted = r.repeat(&root, &d); v.Reemitted {
		r.stats.Reemitted++
	} else {
		r.stats.Duplicate++
	}
	if r.params.KeepsAll() && !r.chains.Equal() {
		if best.method == Identical && best.document.first == root.document.first {
			r.looked.links.leaveAll(len(r.window.tables))
		}
		r.enter(&d, &root)
	}
	return v
}

// enter puts a document into the window, as a copy of root if there is one.
func (r *Replica) enter(d *document, root *found) {
	if root != nil && root.document.again && r.window.places != nil {
		r.window.places[root.document.first] = root.segment.first + ref(root.i)
	}
	if root == nil {
		r.looked.links.everywhere()
	}
	d.links = r.looked.links
	r.room(1, EntryBytes(r.params, &d.entry)+d.links.bytes())
	d.first = r.window.end
	if d.root = d.first; root != nil {
		d.root = root.document.first
	}
	r.window.insert(d)
	if r.chains == nil || !r.chains.Every { // else each document is wanted that has a key
		r.entered()
	}
	r.room(0, 0)
}

// best returns the most similar candidate at or above the threshold; of equally similar ones the one judged first. cut
// says that none was found, but candidates were left out: e may be a copy all the same.
func (r *Replica) best(e *entry.Entry) (best found, ok, cut bool) {
	if r.chains != nil {
		return r.chain(e)
	}
	s := r.survey(e)
	for f := (found{}); r.advance(&s, &f); {
		r.stats.Candidates++
		if ok && best.method == Identical && best.document.older(&f.document) {
			continue // it cannot be better
		}
		if r.measure(&s, &f) && r.verify.Reaches(f.similarity) && (!ok || f.better(&best)) {
			best, ok = f, true
		}
	}
	r.count(&s)
	if !ok {
		r.stats.Cuts.count(&s)
	}
	return best, ok, !ok && s.cut()
}

// count adds to the counters what comparing an entry took.
func (r *Replica) count(s *survey) {
	r.stats.Full += uint64(s.full)
	r.stats.Unverified += uint64(s.unseen())
	r.stats.Dropped += uint64(r.looked.dropped)
	r.stats.Work += uint64(r.params.Similarity.MaxWork - s.left.work)
}

// match describes the representative root for the next copy, which is as similar to it as f is.
func (r *Replica) match(f, root *found) Match {
	d := &root.document
	p := r.partitions[d.source]
	return Match{
		Source: p.source, Topic: p.name, Offset: d.entry.Offset, Position: d.judged, Time: d.entry.Time,
		ID:         string(d.entry.ID),
		Similarity: f.similarity, Method: f.method, Copy: uint64(root.segment.changes.copied(root.i)) + 2,
	}
}
