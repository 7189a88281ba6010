package index

import (
	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/window"
)

// A Rule says of which documents an entry is a copy: of those that it takes, the most similar one is the entry's match.
// enters says whether a copy enters the window. Where records are wanted it is called again when they were read, so it changes
// nothing that it asks.
type Rule func(*Candidates) (enters bool)

// JudgeBy has a rule judge in place of a service's: for who wants more of the candidates than the most similar one, of
// documents that are judged once and never leave, with duplicates.compare_copies: true. If all are wanted that have a key, no key
// becomes popular.
func (r *Replica) JudgeBy(rule Rule, all bool) { r.judge.rule, r.judge.wantsAll = rule, all }

// recordsAhead bounds the records that are wanted at once where one that matches may have others be passed over.
const recordsAhead = 8

// Candidates are the documents that an entry may be like. They are found when the first is asked for.
type Candidates struct {
	Entry  *entry.Entry
	Number uint64 // that the entry will have in the window; see Remembered

	judge  *judge
	survey survey
	begun  bool
	best   found // of those that were taken
	ok     bool
}

// Near is a document of the window that is similar to an entry.
type Near struct {
	Number     uint64 // its place; see Remembered
	Offset     int64  // in its source partition
	ID         []byte // it points into the window
	Similarity compare.Similarity
	Method     compare.Method
}

// Next compares candidates, the most promising first, until one is similar enough, and takes it. It returns false if
// there is none, or the work for one entry is at its bounds. Candidates that are passed over take none of it.
func (c *Candidates) Next(pass func(number uint64) bool) (n Near, ok bool) {
	x := c.judge.find
	if !c.begun {
		c.survey, c.begun = x.survey(c.Entry), true
		if !c.judge.wantsAll {
			c.survey.ahead = recordsAhead
		}
	}
	c.survey.pass = pass
	for f := (found{}); x.advance(&c.survey, &f); {
		c.judge.stats.Candidates++
		if x.window.Files().Wants() {
			continue // what is compared now would be compared again
		}
		if x.measure(&c.survey, &f) && x.verify.Reaches(f.similarity) {
			return c.take(&f), true
		}
	}
	return Near{}, false
}

// Same takes a document that has the text of the entry, without comparing it.
func (c *Candidates) Same(number uint64) Near {
	f := c.judge.find.found(window.Ref(number))
	f.similarity, f.method = compare.Same(), compare.Identical
	return c.take(&f)
}

// Cut says whether documents were left out that might be similar enough.
func (c *Candidates) Cut() bool { return c.survey.cut() }

func (c *Candidates) take(f *found) Near {
	if !c.ok || f.better(&c.best) {
		c.best, c.ok = *f, true
	}
	e := &f.document.Entry
	return Near{
		Number: uint64(f.place.Number()), Offset: e.Offset, ID: e.ID, Similarity: f.similarity, Method: f.method,
	}
}

// byRule judges an entry by the rule: it returns what best returns.
func (j *judge) byRule(e *entry.Entry) (best found, ok, cut bool) {
	c := Candidates{Entry: e, Number: uint64(j.find.window.End()), judge: j}
	j.stays = !j.rule(&c)
	if c.begun {
		j.count(&c.survey)
		j.stats.Cuts.count(&c.survey)
	} else if !j.stays {
		j.find.look(e) // for where it is linked
	}
	return c.best, c.ok, !c.ok && c.Cut()
}
