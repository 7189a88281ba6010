package index

import (
	"bytes"
	"math"
	"slices"

	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/window"
)

// A lookup has two parts, so that the replica is needed for the short one only. Inquire finds the candidates of a
// text and copies what they are compared by; Answer compares them, elsewhere and as long as that takes, for the same
// cost as judging an entry.

// Inquiry is a text and copies of the documents that it may be like.
type Inquiry struct {
	entry      *entry.Entry
	least      compare.Similarity // of a duplicate, by the settings in force
	left       budget
	candidates []inquired // the most promising first
	unseen     int        // candidates that were left out
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
	Compared int  // documents that the text was compared with
	Cut      bool // documents were left out that might be similar enough
	Bands    int  // of a text
	Least    compare.Similarity
}

// Lookup returns up to most representatives that stand for a document at least as similar to e as the threshold: the
// most similar first, and of equally similar ones the one judged first. Copy is the number that e would get as a copy.
// It is an inquiry that is answered at once.
func (r *Replica) Lookup(e *entry.Entry, most int) []Hit {
	q, _ := r.Inquire(e, math.MaxInt)
	return q.Answer(r.find.verify, most).Hits
}

// Inquire finds the documents that e may be like, within the budget of one entry, and copies them. e must stay as it
// is until the inquiry is answered. It is signed under the replica's settings; an empty one matches nothing. ok is false
// if the documents hold more than most bytes. It changes no later verdict and no counter, but it uses the replica's
// scratch memory, so it must not run at the same time as another call.
func (r *Replica) Inquire(e *entry.Entry, most int) (q *Inquiry, ok bool) {
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
	q.cut, q.unseen = s.cut(), s.unseen()
	return q, true
}

// inquired copies a candidate. One that is identical needs no evidence.
func (x *finder) inquired(f, root *found, e *entry.Entry) inquired {
	c := inquired{document: f.document, match: x.match(f, root)}
	own := &c.document.Entry
	for b := range x.buckets.Bands() {
		if at := b * entry.KeyBytes; bytes.Equal(e.Keys[at:at+entry.KeyBytes], own.Keys[at:at+entry.KeyBytes]) {
			c.bands = append(c.bands, b)
		}
	}
	own.Keys, own.ID = nil, nil
	if own.Content == e.Content {
		own.Evidence = nil
	} else {
		own.Evidence = bytes.Clone(own.Evidence)
	}
	return c
}

// Answer compares the candidates of an inquiry, and returns up to most matches in the order of Lookup. The comparer
// must be of the replica's Params; only the threshold is the inquiry's.
func (q *Inquiry) Answer(by *compare.Comparer, most int) Answer {
	a := Answer{Cut: q.cut, Bands: q.bands, Least: q.least}
	var all []*inquired
	by.Begin(q.entry)
	for i := range q.candidates {
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
