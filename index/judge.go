package index

import (
	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/window"
	"github.com/unecho/unecho/index/wire"
)

// judge decides about entries one by one, and remembers them.
type judge struct {
	find        *finder
	stats       *Stats
	reemitEvery int64 // duplicates.remember.reemit_every, ms; 0 lets no copy through
	rule        Rule  // nil for the verdicts of a service
	wantsAll    bool  // by the rule: each document is wanted that has a key

	at        entry.Position // journal position of the entry at hand
	turn      turn           // of the entry at hand
	stays     bool           // the entry at hand does not enter, by the rule
	again     look           // of a document that enters again
	narrowing bool           // the window may be beyond bounds that were narrowed
}

// decide decides about one entry and remembers it. The caller makes sure that the entry was not judged before, and has
// moved the clocks.
func (j *judge) decide(source uint32, at entry.Position, e *entry.Entry) Verdict {
	j.beginTurn(at)
	j.room(0, 0)
	j.stats.Judged++
	v := Verdict{Offset: e.Offset, Position: at, Content: e.Content}
	if e.Empty() {
		j.stats.Unique++
		return v
	}
	d := window.Document{Position: at, Applied: j.find.clocks.now(), Source: source, Entry: *e, Judged: at}
	best, ok, cut := j.best(e)
	if v.Cut = cut; !ok {
		j.stats.Unique++
		j.stats.UniqueCut += uint64(wire.Flag(cut))
		j.enter(&d, nil)
		return v
	}
	j.stats.Doubtful += uint64(wire.Flag(j.find.params.Duplicates.Doubtful(best.method, best.similarity)))
	root, _ := j.find.root(&best)
	v.Match = j.find.match(&best, &root)
	if v.Reemitted = j.repeat(&root, &d); v.Reemitted {
		j.stats.Reemitted++
	} else {
		j.stats.Duplicate++
	}
	if j.find.params.Duplicates.CompareCopies && !j.stays {
		if best.method == compare.Identical && best.document.First == root.document.First {
			j.find.looked.links.LeaveAll(j.find.buckets.Tables())
		}
		j.enter(&d, &root)
	}
	return v
}

// enter puts a document into the window, as a copy of root if there is one.
func (j *judge) enter(d *window.Document, root *found) {
	if root != nil {
		j.find.window.NoteReentry(&root.document, root.place.Number())
	} else {
		j.find.looked.links.Everywhere()
	}
	d.Links = j.find.looked.links
	j.room(1, EntryBytes(j.find.params, &d.Entry)+d.Links.Bytes())
	d.First = j.find.window.End()
	if d.Root = d.First; root != nil {
		d.Root = root.document.First
	}
	j.find.window.Insert(d)
	if !j.wantsAll {
		j.find.entered()
	}
	j.room(0, 0)
}

// best returns the most similar candidate at or above the threshold; of equally similar ones the one judged first. cut
// says that none was found, but candidates were left out: e may be a copy all the same.
func (j *judge) best(e *entry.Entry) (best found, ok, cut bool) {
	if j.rule != nil {
		return j.byRule(e)
	}
	s := j.find.survey(e)
	for f := (found{}); j.find.advance(&s, &f); {
		j.stats.Candidates++
		if ok && best.method == compare.Identical && best.document.Older(&f.document) {
			continue // it cannot be better
		}
		if j.find.measure(&s, &f) && j.find.verify.Reaches(f.similarity) && (!ok || f.better(&best)) {
			best, ok = f, true
		}
	}
	j.count(&s)
	if !ok {
		j.stats.Cuts.count(&s)
	}
	return best, ok, !ok && s.cut()
}

// count adds to the counters what comparing an entry took.
func (j *judge) count(s *survey) {
	j.stats.Full += uint64(s.full)
	j.stats.Unverified += uint64(s.unseen())
	j.stats.Dropped += uint64(j.find.looked.dropped)
	j.stats.Work += uint64(j.find.params.Duplicates.MaxWork - s.left.work)
}

// match describes the representative root for the next copy, which is as similar to it as f is.
func (x *finder) match(f, root *found) Match {
	d := &root.document
	p := x.sources.rows[d.Source]
	return Match{
		Source: p.source, Topic: p.name, Offset: d.Entry.Offset, Position: d.Judged, Time: d.Entry.Time,
		ID:         string(d.Entry.ID),
		Similarity: f.similarity, Method: f.method, Copy: uint64(root.place.Copies()) + 2,
	}
}
