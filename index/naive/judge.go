package naive

import (
	"slices"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
)

// judge moves the clock, looks for the best match, and remembers the document if the settings say so. An empty document
// has nothing to compare: it is unique, and no later document is its copy.
func (t *Twin) judge(source entry.Source, e *entry.Entry, position entry.Position) index.Verdict {
	now := newTurn()
	t.room(0, 0, now)
	verdict := index.Verdict{Offset: e.Offset, Position: position, Content: e.Content}
	if e.Empty() {
		return verdict
	}
	d := &document{
		source: source, entry: e.Clone(), position: position, bytes: index.EntryBytes(t.params, e), entered: t.now(), copies: 1,
		emission: emission{source: source, offset: e.Offset, position: position, at: t.now()},
	}
	d.root = d
	found, cut := t.matches(e, true)
	verdict.Cut = cut && len(found) == 0
	t.linkAs(d, len(found) > 0)
	if len(found) > 0 {
		verdict.Match, verdict.Reemitted = t.match(found[0]), t.repeat(found[0].root, d)
		if d.root = found[0].root; found[0].method == compare.Identical && found[0].document == d.root {
			d.under, d.fine = nil, 0 // whatever would find it finds its representative
			d.bytes = index.EntryBytes(t.params, e)
		}
	}
	if d.root == d || t.params.Duplicates.CompareCopies {
		if d.root != d {
			t.stats.Kept++
		}
		t.room(1, d.bytes, now)
		t.enter(d)
		t.noteEntered()
		t.room(0, 0, now)
	}
	return verdict
}

// repeat counts d as one more copy of a representative, and returns whether it comes through as unique.
func (t *Twin) repeat(root, d *document) (through bool) {
	root.copies++
	if t.params.Refreshes() {
		root.repeated, root.last = true, t.now()
	}
	every := t.params.Duplicates.Remember.ReemitEvery.Milliseconds()
	if every == 0 || !root.emission.void && t.now()-root.emission.at < every {
		return false
	}
	if root.emission.void {
		t.stats.MadeUp++
	}
	root.emission = d.emission
	return true
}

// found is a candidate that reaches the threshold.
type found struct {
	*document
	similarity compare.Similarity
	method     compare.Method
}

// match describes the representative for the next copy.
func (t *Twin) match(f found) index.Match {
	d := f.root
	return index.Match{
		Source: d.source, Topic: t.partition(d.source).name, Offset: d.entry.Offset, Position: d.position,
		Time: d.entry.Time, ID: string(d.entry.ID), Similarity: f.similarity, Method: f.method, Copy: d.copies + 1,
	}
}

// Lookup returns up to most representatives in the index that stand for a document at least as similar to e as the
// threshold, the most similar first. It changes nothing.
func (t *Twin) Lookup(e *entry.Entry, most int) []index.Match {
	if e.Empty() {
		return nil
	}
	before := t.stats
	var all []index.Match
	matches, _ := t.matches(e, false)
	for _, f := range matches {
		if len(all) < most {
			all = append(all, t.match(f))
		}
	}
	t.stats = before
	return all
}

// matches returns the nearest document of each representative, in the order of nearby.
func (t *Twin) matches(e *entry.Entry, best bool) (nearest []found, cut bool) {
	nearby, cut := t.nearby(e, best)
	for _, f := range nearby {
		if !slices.ContainsFunc(nearest, func(n found) bool { return n.root == f.root }) {
			nearest = append(nearest, f)
		}
	}
	return nearest, cut
}

// nearby returns the candidates that reach the threshold: the most similar first, and of equally similar ones the one
// judged first. If only the best is wanted, candidates are left out that are younger than the best one so far and
// cannot be more similar: comparing them would cost work.
func (t *Twin) nearby(e *entry.Entry, best bool) (all []found, cut bool) {
	verify := t.verifier(e)
	promising, cut := t.candidates(e)
	candidates, work := t.params.Duplicates.MaxCandidates, t.params.Duplicates.MaxWork
	for i, d := range promising {
		if !t.matchable(d, e) || !t.mayReach(e, &d.entry) {
			continue
		}
		if candidates == 0 {
			t.stats.Unverified += len(promising) - i
			cut = true
			break
		}
		candidates--
		if best && len(all) > 0 && t.hopeless(all, d) {
			continue
		}
		cost := t.cost(&d.entry, e)
		if cost > work && d.entry.Content != e.Content {
			t.stats.TooCostly++
			cut = true
			continue
		}
		s, m := verify(d)
		if m != compare.Identical {
			work -= t.spent(cost, s)
		}
		if t.near(s, m) {
			all = append(all, found{document: d, similarity: s, method: m})
		}
	}
	slices.SortFunc(all, byNearness)
	return all, cut
}

// byNearness orders found documents: the most similar first, and of equally similar ones the older.
func byNearness(a, b found) int {
	switch {
	case b.similarity.Less(a.similarity):
		return -1
	case a.similarity.Less(b.similarity):
		return 1
	case a.older(b.document):
		return -1
	}
	return 1
}

// hopeless says whether the best document found so far is identical, and older than d.
func (*Twin) hopeless(all []found, d *document) bool {
	best := slices.MinFunc(all, byNearness)
	return best.method == compare.Identical && best.older(d)
}

// older says whether a document counts as the earlier one.
func (d *document) older(than *document) bool { return d.position.Before(than.position) }
