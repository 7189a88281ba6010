package comparison

import "fmt"

// class is how two verdicts about one document stand to each other.
type class int

const (
	bothUnique class = iota
	sameOriginal
	otherFirst
	otherOriginal
	onlyOld
	onlyNew
	bothRejected
	rejectedByOld
	rejectedByNew
	noOutput
	unclearOutput
	before
	neither
	classes
)

// differs says that both verdicts are known and not the same.
func (c class) differs() bool {
	return c == otherOriginal || c == onlyOld || c == onlyNew || c == rejectedByOld || c == rejectedByNew
}

// classOf compares two verdicts. reached says that the replay has the new group's verdict if there is one. A document
// without a verdict was rejected then, because a journal has no entries of rejected documents.
func classOf(older, newer *verdict, reached bool) class {
	was, is := older.kind, newer.kind
	if is == unsaid && reached && was != unsaid {
		is = rejected
	}
	switch {
	case was == unsaid && is == unsaid:
		return neither
	case was == unsaid:
		return noOutput
	case is == unsaid:
		return before
	case was == unclear:
		return unclearOutput
	case was == rejected && is == rejected:
		return bothRejected
	case was == rejected:
		return rejectedByOld
	case is == rejected:
		return rejectedByNew
	case was == unique && is == unique:
		return bothUnique
	case was == unique:
		return onlyNew
	case is == unique:
		return onlyOld
	case older.match == newer.match:
		return sameOriginal
	}
	return otherOriginal
}

// side selects the verdicts of one group.
type side func(p *part) *kept

func olders(p *part) *kept { return &p.older }
func newers(p *part) *kept { return &p.newer }

// original is the document that a group takes for the original of a document, which may be the document itself. ok is
// false if that is not known.
func (c *comparison) original(of side, d document) (original document, ok bool) {
	if d.topic == 0 {
		return d, false
	}
	p := c.byPlace[place{c.matches.all[d.topic-1], d.partition}]
	if p == nil {
		return d, false
	}
	v := of(p).at(d.offset)
	switch {
	case v == nil || v.kind == unsaid:
		return d, false
	case v.match.topic > 0:
		return v.match, true
	}
	return d, true
}

// copies says that a group takes two documents for copies of each other.
func (c *comparison) copies(of side, d, e document) bool {
	first, ok := c.original(of, d)
	second, ok2 := c.original(of, e)
	return ok && ok2 && first == second
}

// refined tells the documents apart of which both groups found the same, in another order.
func (c *comparison) refined(of class, d document, older, newer *verdict) class {
	if (of == onlyOld || of == otherOriginal) && c.copies(newers, d, older.match) ||
		(of == onlyNew || of == otherOriginal) && c.copies(olders, d, newer.match) {
		return otherFirst
	}
	return of
}

// join compares the verdicts of all documents, the newest first.
func (c *comparison) join() {
	r := &c.report
	r.OldGroup, r.NewGroup, r.Examples = c.Old.Name, c.New.Name, []Example{}
	longest := int64(0)
	for _, p := range c.parts {
		r.Spans = append(r.Spans, p.Span)
		longest = max(longest, p.To-p.From)
	}
	var counts [classes]int64
	var found [classes][]Example
	for back := int64(1); back <= longest; back++ {
		for _, p := range c.parts {
			offset := p.To - back
			older, newer := p.older.at(offset), p.newer.at(offset)
			if older == nil {
				continue
			}
			d := document{offset, p.Partition, p.number}
			of := c.refined(classOf(older, newer, offset >= p.known), d, older, newer)
			counts[of]++
			r.count(of, older, newer)
			if of.differs() && len(found[of]) < c.Examples {
				found[of] = append(found[of], c.example(p, offset, of))
			}
		}
	}
	r.total(&counts)
	r.pick(&found, c.Examples)
}

// count counts a document on both sides.
func (r *Report) count(of class, older, newer *verdict) {
	r.Old.add(older)
	r.New.add(newer)
	switch of {
	case onlyOld:
		r.OldAlone.add(older.similarity)
	case onlyNew:
		r.NewAlone.add(newer.similarity)
	case bothRejected, rejectedByNew: // the journal says so by having no entry
		r.New.Rejected++
	case bothUnique, sameOriginal, otherFirst, otherOriginal, rejectedByOld:
	case noOutput, unclearOutput, before, neither, classes:
	}
}

func (s *Side) add(v *verdict) {
	switch v.kind {
	case unique:
		s.Unique++
	case duplicate:
		s.Duplicate++
		s.Shares.add(v.similarity)
	case rejected:
		s.Rejected++
	case unsaid, unclear:
	}
}

func (r *Report) total(counts *[classes]int64) {
	for of, to := range [neither]*int64{
		&r.BothUnique, &r.SameOriginal, &r.OtherFirst, &r.OtherOriginal, &r.OnlyOld, &r.OnlyNew,
		&r.BothRejected, &r.RejectedByOld, &r.RejectedByNew, &r.NoOutput, &r.Unclear, &r.Before,
	} {
		*to = counts[of]
		r.Documents += counts[of]
	}
	r.Neither = counts[neither]
}

// pick takes examples of each class in turn.
func (r *Report) pick(found *[classes][]Example, most int) {
	for i := 0; i < most; i++ {
		for of := range found {
			if i < len(found[of]) && len(r.Examples) < most {
				r.Examples = append(r.Examples, found[of][i])
			}
		}
	}
}

func (c *comparison) example(p *part, offset int64, of class) Example {
	e := Example{
		Source: c.matches.place(document{offset, p.Partition, p.number}),
		Old:    c.matches.say(p.older.at(offset)), New: c.matches.say(p.newer.at(offset)),
	}
	if of == rejectedByNew {
		e.New.Verdict = rejected.word()
	}
	return e
}

// say tells a verdict for people.
func (n *names) say(v *verdict) Said {
	s := Said{Verdict: v.kind.word()}
	if v.match.topic > 0 {
		s.Match, s.Similarity = n.place(v.match), float64(v.similarity)/whole
	}
	return s
}

func (n *names) place(d document) string {
	return fmt.Sprintf("%s/%d/%d", n.all[d.topic-1], d.partition, d.offset)
}
