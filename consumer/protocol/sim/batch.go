package sim

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// batch is what one poll gave and one transaction forwards.
type batch struct {
	*protocol.Batch
	groups    []group
	ours      *appending // what is on its way to the journal
	recording bool       // of what was passed on
	damaged   bool       // something of it landed as what nobody can read
	txn       *transaction
}

// group is the part of a batch that comes from one partition.
type group struct {
	protocol.Group
	part      *part
	documents []protocol.Document
	forms     []form // in which they were produced
}

// of is the group of an assignment.
func (b *batch) of(a *protocol.Assignment) *group {
	return &b.groups[slices.IndexFunc(b.groups, func(g group) bool { return g.Assignment == a })]
}

// holder is the partition of a document that was judged; nil if none was.
func (b *batch) holder(target entry.Position) *part {
	i := slices.IndexFunc(b.groups, func(g group) bool {
		return slices.ContainsFunc(g.documents,
			func(d protocol.Document) bool { return d.Judged && d.Verdict.Position == target })
	})
	if i < 0 {
		return nil
	}
	return b.groups[i].part
}

// form is what a document goes out as.
type form int

const (
	asVerdict form = iota
	asRejected
	asWithheld
	asRetimed  // rejected, with another time
	asBypassed // to unique, unchecked
	asUnchecked
	asNothing // dropped
)

func (g *group) seq(yield func(*protocol.Document) bool) {
	for i := range g.documents {
		if !yield(&g.documents[i]) {
			return
		}
	}
}

func (b *batch) String() string {
	var out strings.Builder
	for i := range b.groups {
		for k := range b.groups[i].documents {
			fmt.Fprintf(&out, " %s", b.groups[i].part.name(b.groups[i].documents[k].Entry.Offset))
		}
		fmt.Fprintf(&out, " up to %d", b.groups[i].End)
	}
	return out.String()
}

// append sends what the journal is to have, and waits for its answer.
func (s *session) append(b *batch) bool {
	if b.ours == nil && b.Wants() == protocol.WantEntries && b.Appends() > 0 && !b.damaged {
		s.bad("s%d has passed its own append, and %s have no verdict", s.id, b)
	}
	if b.ours != nil {
		damaged := b.ours.damaged
		return s.appended(&b.ours, func(last int64) {
			b.damaged = damaged
			b.Appended(last)
		})
	}
	letters := s.forgets
	if b.Wants() == protocol.WantEntries {
		letters = s.runs
	}
	b.ours = s.send(letters(b)...)
	return true
}

// checkTimes has what an output would refuse for its time forgotten before it is tried, all of a batch at once. A
// session may not know what outputs refuse.
func (s *session) checkTimes(b *batch) {
	known := s.params.Untimely && s.chance(1, 2)
	b.CheckTimes(s.header(), func(_ *protocol.Assignment, d *protocol.Document) bool {
		return known && s.refuses(d.Entry.Content, s.written(d))
	})
	if b.Wants() == protocol.WantForgets {
		s.act("refusal foreseen")
		s.append(b)
	}
}

// produce puts every document into its output, and says how the transaction is to end.
func (s *session) produce(b *batch) {
	if s.latest() != s {
		s.note("s%d is fenced as a producer", s.id)
		s.end()
		return
	}
	var refused *protocol.Refusal
	if s.mishap(24) {
		refused = &protocol.Refusal{Transient: true}
	}
	for i := range b.groups {
		g := &b.groups[i]
		g.forms = g.forms[:0]
		for k := range g.documents {
			f := s.form(g, &g.documents[k])
			g.forms = append(g.forms, f)
			if refused == nil && s.refuses(g.documents[k].Entry.Content, f) {
				refused = &protocol.Refusal{Untimely: s.params.Untimely}
				s.note("s%d: an output refuses one of %s", s.id, b)
			}
		}
	}
	s.leads.Produced(refused)
	if b.Wants() == protocol.WantAbort {
		s.abort(b)
		return
	}
	s.offsets(b)
}

// abort rewinds: what was polled is polled again.
func (s *session) abort(b *batch) {
	s.note("s%d aborts%s", s.id, b)
	s.act("aborted")
	s.leads.Aborted(s.header())
	if b.Wants() == protocol.WantForget {
		s.append(b)
	}
}

func (s *session) form(g *group, d *protocol.Document) form {
	switch level := g.Level(d.Entry.Offset); {
	case g.Retimed(d.Entry.Offset) && (level >= protocol.Reject || d.Rejects()):
		return asRetimed
	case level == protocol.Withhold:
		return asWithheld
	case level == protocol.Reject || d.Rejects():
		return asRejected
	case d.Bypassed:
		return asBypassed
	case !d.Judged:
		return asUnchecked
	}
	return s.written(d)
}

// written is what a verdict that stands has written.
func (s *session) written(d *protocol.Document) form {
	if s.params.Drops && d.Judged && !d.Verdict.Unique() {
		return asNothing
	}
	return asVerdict
}

// runs frames what has no verdict.
func (s *session) runs(b *batch) []letter {
	var letters []letter
	bounds := protocol.RunLimits{Entries: 1 + s.n(s.params.Entries), Bytes: math.MaxInt32}
	b.Runs(s.header(), bounds, func(a *protocol.Assignment, run *index.Run) {
		r := *run
		r.Entries = slices.Clone(run.Entries)
		letters = append(letters, letter{&r, b.of(a).part})
	})
	return letters
}

// forgets frames what is to be forgotten.
func (s *session) forgets(b *batch) []letter {
	var letters []letter
	for _, f := range b.Forgets() {
		p := b.holder(f.Target)
		if p == nil {
			s.bad("s%d has something forgotten that has no verdict", s.id)
			continue
		}
		letters = append(letters, letter{f, p})
	}
	return letters
}
