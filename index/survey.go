package index

import (
	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/window"
)

// found is a candidate. similarity and method are set once it is measured.
type found struct {
	place      window.Entered
	document   window.Document
	similarity compare.Similarity
	method     compare.Method
}

// budget is what judging one entry may still cost. It counts comparisons and not time, so it is the same on every
// member.
type budget struct {
	candidates int // candidates that may still be compared
	work       int // steps of duplicates.max_work
}

func (p *DuplicatesParams) budget() budget {
	return budget{candidates: p.MaxCandidates, work: p.MaxWork}
}

// survey compares an entry with its candidates, the most promising first, within a budget.
type survey struct {
	entry  *entry.Entry
	ranks  []rank // candidates still to be compared
	left   budget
	ahead  int // records that may be wanted at once; 0: as many as the budget has
	full   int // keys that have more documents than are met
	beyond int // candidates left out for max_candidates
	costly int // candidates left out for max_work

	pass func(number uint64) bool // candidates that are passed over; may be nil
}

func (x *finder) survey(e *entry.Entry) survey {
	x.look(e)
	return survey{entry: e, left: x.params.Duplicates.budget(), ranks: x.looked.ranks, full: x.looked.full}
}

// cut says whether documents were left out that might be similar enough.
func (s *survey) cut() bool { return s.full+s.unseen() > 0 }

// unseen returns how many candidates were left out.
func (s *survey) unseen() int { return s.beyond + s.costly }

// advance sets f to the next candidate that can be matched, and returns false when there is none or the budget is
// spent. Where records are wanted, it ends when so many are that the budget may be spent with them.
func (x *finder) advance(s *survey, f *found) bool {
	for i, k := range s.ranks {
		if wants := x.window.Files().Wanting(); wants > s.left.candidates || s.ahead > 0 && wants > s.ahead {
			break
		}
		if s.pass != nil && s.pass(uint64(k.ref())) || !x.promising(f, k, s.entry) {
			continue
		}
		if s.left.candidates == 0 {
			s.beyond += len(s.ranks) - i
			break
		}
		s.left.candidates--
		s.ranks = s.ranks[i+1:]
		return true
	}
	s.ranks = nil
	return false
}

// measure sets the similarity and method of a candidate. It returns false if that would cost more work than is left.
func (x *finder) measure(s *survey, f *found) (ok bool) {
	x.candidate = f.document.Entry // reused: a local copy would be allocated for each candidate
	if f.similarity, f.method, ok = x.verify.MeasureWithin(&x.candidate, &s.left.work); !ok {
		s.costly++
	}
	return ok
}

// found reads a document. It has no content if its record is wanted.
func (x *finder) found(at window.Ref) (f found) {
	f.place = x.window.At(at)
	f.document, _ = f.place.Document()
	return f
}

// promising says whether a candidate can be matched, and may be similar enough by the lengths of both. If so, it sets f to
// it. What is not promising is neither compared nor missed, so it counts against no bound.
func (x *finder) promising(f *found, k rank, e *entry.Entry) bool {
	if !x.eligible(f, k.ref(), e) {
		return false
	}
	x.candidate = f.document.Entry // reused: a local copy would be allocated for each candidate
	return x.verify.MayReach(&x.candidate, k.by())
}

// eligible says whether candidate at can be matched: it shares the scope with e, it is alive, and so is its
// representative. If so, it sets f to it. A candidate whose record is wanted is not eligible yet.
func (x *finder) eligible(f *found, at window.Ref, e *entry.Entry) bool {
	var read bool
	f.place = x.window.At(at)
	if f.document, read = f.place.Document(); !read || f.document.Entry.Scope != e.Scope || !x.alive(f) {
		return false
	}
	if !f.document.Copied() {
		return true
	}
	root, ok := x.root(f)
	return ok && x.alive(&root)
}

// alive says whether a document was not forgotten, did not fall, and is not too old.
func (x *finder) alive(f *found) bool {
	d := &f.document
	return !f.place.Dead() && !x.window.Old(x.clocks.now(), f.seen(x.window.Refreshes())) &&
		!x.sources.rows[d.Source].fell(d.Position, d.Entry.Offset)
}

// seen returns the stream time from which a document's age counts now, ms.
func (f *found) seen(refreshes bool) int64 {
	if last, ok := f.place.Repeated(); ok && refreshes {
		return last
	}
	return f.document.Applied
}

// root returns the representative of a found document; ok is false if it has left the window.
func (x *finder) root(f *found) (root found, ok bool) {
	if !f.document.Copied() {
		return *f, true
	}
	number, ok := x.window.Present(f.document.Root)
	if !ok {
		return found{}, false
	}
	return x.found(number), true
}

func (f *found) better(g *found) bool {
	if f.similarity.Less(g.similarity) {
		return false
	}
	return g.similarity.Less(f.similarity) || f.document.Older(&g.document)
}
