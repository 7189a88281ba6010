package index

import (
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/window"
	"github.com/unecho/unecho/index/wire"
)

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
	d := window.Document{Position: at, Applied: r.clocks.now(), Source: source, Entry: *e, Judged: at}
	best, ok, cut := r.best(e)
	if v.Cut = cut; !ok {
		r.stats.Unique++
		r.stats.UniqueCut += uint64(wire.Flag(cut))
		r.enter(&d, nil)
		return v
	}
	r.stats.Doubtful += uint64(wire.Flag(r.params.Similarity.Doubtful(best.method, best.similarity)))
	root, _ := r.root(&best)
	v.Match = r.match(&best, &root)
	if v.Reemitted = r.repeat(&root, &d); v.Reemitted {
		r.stats.Reemitted++
	} else {
		r.stats.Duplicate++
	}
	if r.params.KeepsAll() && !r.chains.Equal() {
		if best.method == Identical && best.document.First == root.document.First {
			r.looked.links.LeaveAll(r.window.Tables())
		}
		r.enter(&d, &root)
	}
	return v
}

// enter puts a document into the window, as a copy of root if there is one.
func (r *Replica) enter(d *window.Document, root *found) {
	if root != nil {
		r.window.Placed(&root.document, root.place.Number())
	} else {
		r.looked.links.Everywhere()
	}
	d.Links = r.looked.links
	r.room(1, EntryBytes(r.params, &d.Entry)+d.Links.Bytes())
	d.First = r.window.End()
	if d.Root = d.First; root != nil {
		d.Root = root.document.First
	}
	r.window.Insert(d)
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
		if ok && best.method == Identical && best.document.Older(&f.document) {
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
	p := r.partitions[d.Source]
	return Match{
		Source: p.source, Topic: p.name, Offset: d.Entry.Offset, Position: d.Judged, Time: d.Entry.Time,
		ID:         string(d.Entry.ID),
		Similarity: f.similarity, Method: f.method, Copy: uint64(root.place.Copies()) + 2,
	}
}
