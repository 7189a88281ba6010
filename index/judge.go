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
	turn      turn           // the entry at hand has it
	stays     bool           // the entry at hand does not enter, by the rule
	again     look           // of a document that enters again
	narrowing bool           // the window may be beyond bounds that were narrowed
}

// decide decides about one entry and remembers it. The caller makes sure that the entry was not judged before, and has
// moved the clocks. If records are wanted, ok is false, and the same call goes on where this one ended.
func (j *judge) decide(source uint32, at entry.Position, e *entry.Entry) (v Verdict, ok bool) {
	ok = j.take(at, func() bool { return j.verdict(source, e) })
	return j.turn.verdict, ok
}

// take has an entry its turn: the documents that are beyond a bound leave, it is judged, and enters if it is to. It
// returns false if records are wanted.
func (j *judge) take(at entry.Position, judged func() bool) bool {
	t := &j.turn
	if !t.open {
		j.beginTurn(at)
		t.open = true
	}
	for ; t.step < stepDone; t.step++ {
		ok := true
		switch {
		case t.step == stepJudge:
			ok = judged()
		case t.step == stepLeave || t.step == stepTrim && t.enters:
			ok = j.room(0, 0)
		case t.enters:
			ok = j.enter()
		}
		if !ok {
			return false
		}
	}
	t.open = false
	j.find.window.Files().Next()
	return true
}

// verdict gives the verdict about an entry. It changes nothing, and returns false, if records are wanted.
func (j *judge) verdict(source uint32, e *entry.Entry) bool {
	t, before := &j.turn, *j.stats
	j.stats.Judged++
	t.verdict = Verdict{Offset: e.Offset, Position: j.at, Content: e.Content}
	if e.Empty() {
		j.stats.Unique++
		return true
	}
	best, ok, cut := j.best(e)
	var root found
	if ok {
		root, _ = j.find.root(&best)
	}
	if j.find.window.Files().Wants() {
		*j.stats = before
		return false
	}
	t.document = window.Document{Position: j.at, Applied: j.find.clocks.now(), Source: source, Entry: *e, Judged: j.at}
	t.verdict.Cut = cut
	if ok {
		j.duplicate(&best, &root)
		return true
	}
	j.stats.Unique++
	j.stats.UniqueCut += uint64(wire.Flag(cut))
	j.enters(nil)
	return true
}

// duplicate gives the verdict that the entry at hand is a copy of root, by the document that it is most similar to.
func (j *judge) duplicate(best, root *found) {
	t := &j.turn
	j.stats.Doubtful += uint64(wire.Flag(j.find.params.Duplicates.Doubtful(best.method, best.similarity)))
	t.verdict.Match = j.find.match(best, root)
	if t.verdict.Reemitted = j.repeat(root, &t.document); t.verdict.Reemitted {
		j.stats.Reemitted++
	} else {
		j.stats.Duplicate++
	}
	if j.find.params.Duplicates.CompareCopies && !j.stays {
		if best.method == compare.Identical && best.document.First == root.document.First {
			j.find.looked.links.LeaveAll(j.find.buckets.Tables())
		}
		j.enters(root)
	}
}

// enters says that the document of the turn enters, as a copy of root if there is one.
func (j *judge) enters(root *found) {
	t := &j.turn
	if t.enters, t.copied = true, root != nil; t.copied {
		t.document.Root = root.document.First
		j.find.window.NoteReentry(&root.document, root.place.Number())
	} else {
		j.find.looked.links.Everywhere()
	}
	t.document.Links = j.find.looked.links
}

// enter puts the document of the turn into the window. It returns false if records are wanted.
func (j *judge) enter() bool {
	d := &j.turn.document
	if !j.room(1, EntryBytes(j.find.params, &d.Entry)+d.Links.Bytes()) {
		return false
	}
	if d.First = j.find.window.End(); !j.turn.copied {
		d.Root = d.First
	}
	j.find.window.Insert(d)
	if !j.wantsAll {
		j.find.entered()
	}
	return true
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
		if j.find.window.Files().Wants() {
			continue // what is compared now would be compared again
		}
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
