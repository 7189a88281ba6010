package index

import (
	"bytes"
	"math"
	"slices"

	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/window"
	"github.com/unecho/unecho/index/wire"
)

// A lookup has two parts, so that the replica is needed for the short one only. Inquire finds the candidates of a
// text and copies what they are compared by; Answer compares them, elsewhere and as long as that takes, for the same
// cost as judging an entry.

// nearby is how many of the most promising candidates are compared in full where none is similar enough.
const nearby = 8

// Inquiry is a text and copies of the documents that it may be like.
type Inquiry struct {
	entry      *entry.Entry
	least      compare.Similarity // of a duplicate, by the settings in force
	left       budget
	candidates []inquired // the most promising first
	promising  int        // candidates that might be similar enough; behind them are some that were ruled out
	cut        bool       // documents were left out that might be similar enough
	bands      int
}

// inquired is a candidate.
type inquired struct {
	document window.Document // its entry is a copy
	match    Match           // its representative; without similarity and method
	bands    []int           // in which it has the band key of the text
}

// Hit is a match of an Inquiry.
type Hit struct {
	Match
	Bands []int // bands in which the text and the document that it was compared with have the same key, from 0
}

// Answer is what an Inquiry came to.
type Answer struct {
	Hits     []Hit
	Nearest  *Hit // the most similar document that the text was compared with; nil if there are hits, or it shares nothing
	Compared int  // documents that the text was compared with
	Cut      bool // documents were left out that might be similar enough
	Bands    int  // of a text
	Least    compare.Similarity
}

// Lookup returns up to most representatives that stand for a document at least as similar to e as the threshold: the
// most similar first, and of equally similar ones the one judged first. Copy is the number that e would get as a copy.
// It is an inquiry that is answered at once, without the nearest document.
func (r *Replica) Lookup(e *entry.Entry, most int) []Hit {
	q, _ := r.inquire(e, math.MaxInt, 0)
	return q.answer(r.find.verify, most).Hits
}

// Inquire finds the documents that e may be like, within the budget of one entry, and copies them. e must stay as it
// is until the inquiry is answered. It is signed under the replica's settings; an empty one matches nothing. ok is false
// if the documents hold more than most bytes, or if something is wanted (Wanted). It changes no later verdict and no
// counter, but it uses the replica's scratch memory, so it must not run at the same time as another call.
func (r *Replica) Inquire(e *entry.Entry, most int) (q *Inquiry, ok bool) {
	return r.inquire(e, most, nearby)
}

// inquire copies documents that were ruled out, too, until there are so many near candidates.
func (r *Replica) inquire(e *entry.Entry, most, near int) (q *Inquiry, ok bool) {
	q = &Inquiry{entry: e, least: r.find.verify.Least(), left: r.find.params.Duplicates.budget(), bands: r.find.buckets.Bands()}
	if e.Empty() || len(e.Keys) != r.keys {
		return q, true
	}
	before := r.stats
	defer func() { r.stats = before }()
	s := r.find.survey(e)
	for f := (found{}); r.find.advance(&s, &f); {
		r.find.candidate = f.document.Entry
		identical := r.find.verify.Identical(&r.find.candidate)
		if !identical && r.find.verify.Cost(&r.find.candidate) > q.left.work {
			s.costly++ // it would not be compared
			continue
		}
		if most -= len(r.find.candidate.Evidence); most < 0 && !identical {
			return nil, false
		}
		if root, ok := r.find.root(&f); ok {
			q.candidates = append(q.candidates, r.find.inquired(&f, &root, e))
		}
	}
	if r.find.window.Files().Wants() {
		return nil, false
	}
	q.cut, q.promising = s.cut(), len(q.candidates)
	for _, k := range r.find.ruledOut(e, near-q.promising) {
		f := r.find.found(k.ref())
		root, ok := r.find.root(&f)
		if most -= len(f.document.Entry.Evidence); ok && most >= 0 {
			q.candidates = append(q.candidates, r.find.inquired(&f, &root, e))
		}
	}
	return q, !r.find.window.Files().Wants()
}

// inquired copies a candidate. One that is identical needs no evidence.
func (x *finder) inquired(f, root *found, e *entry.Entry) inquired {
	c := inquired{document: f.document, match: x.match(f, root)}
	own, keys := &c.document.Entry, f.place.Keys()
	for at := 0; at < len(keys); at += entry.KeyBytes {
		if bytes.Equal(e.Keys[at:at+entry.KeyBytes], keys[at:at+entry.KeyBytes]) {
			c.bands = append(c.bands, at/entry.KeyBytes)
		}
	}
	if own.ID = nil; own.Content == e.Content {
		own.Evidence = nil
	} else {
		own.Evidence = bytes.Clone(own.Evidence)
	}
	return c
}

// Answer compares the candidates of an inquiry, and returns up to most matches in the order of Lookup. The comparer
// must be of the replica's Params; only the threshold is the inquiry's.
func (q *Inquiry) Answer(by *compare.Comparer, most int) Answer {
	a := q.answer(by, most)
	if len(a.Hits) == 0 {
		q.nearest(by, &a)
	}
	return a
}

// answer is an Answer without the nearest document.
func (q *Inquiry) answer(by *compare.Comparer, most int) Answer {
	a := Answer{Cut: q.cut, Bands: q.bands, Least: q.least}
	var all []*inquired
	by.Begin(q.entry)
	for i := range q.promising {
		c, ok := &q.candidates[i], false
		if c.match.Similarity, c.match.Method, ok = by.MeasureWithin(&c.document.Entry, &q.left.work); !ok {
			a.Cut = true
			continue
		}
		a.Compared++
		if !c.match.Similarity.Less(q.least) {
			all = append(all, c)
		}
	}
	slices.SortFunc(all, (*inquired).compare)
	for _, c := range all {
		if len(a.Hits) < most && !slices.ContainsFunc(a.Hits, func(h Hit) bool { return h.Position == c.match.Position }) {
			a.Hits = append(a.Hits, Hit{Match: c.match, Bands: c.bands})
		}
	}
	return a
}

// nearest finds the most similar candidate where none is similar enough, for what is left of the cost. What was compared
// already has its similarity, or none if the comparison ended early. Then, or if the candidate was ruled out, it is
// compared in full, but only if it is among the first.
func (q *Inquiry) nearest(by *compare.Comparer, a *Answer) {
	var best *inquired
	least := compare.Similarity{Num: 1, Den: compare.Scale}
	for i := range q.candidates {
		c := &q.candidates[i]
		if i < nearby && c.match.Similarity.Num == 0 {
			s, m, ok := by.MeasureFrom(least, &c.document.Entry, &q.left.work)
			c.match.Similarity, c.match.Method = s, m
			a.Compared += int(wire.Flag(ok && i >= q.promising))
		}
		if c.match.Similarity.Num > 0 && (best == nil || c.compare(best) < 0) {
			best, least = c, c.match.Similarity
			a.Nearest = &Hit{Match: c.match, Bands: c.bands}
		}
	}
}

// compare orders candidates as judging does: the more similar first, then the older.
func (c *inquired) compare(d *inquired) int {
	switch {
	case d.match.Similarity.Less(c.match.Similarity):
		return -1
	case c.match.Similarity.Less(d.match.Similarity):
		return 1
	case c.document.Older(&d.document):
		return -1
	case d.document.Older(&c.document):
		return 1
	}
	return 0
}
