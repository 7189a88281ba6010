package sim

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/index"
)

// batch is what one poll gave and one transaction forwards.
type batch struct {
	groups []group
	size   int
	phase  batchPhase
	ours   *appending
	passed int64 // what the replica has to pass
	rounds int   // of appends
	txn    *transaction
}

// group is the part of a batch that comes from one partition.
type group struct {
	part       *part
	assignment *protocol.Assignment
	documents  []protocol.Document
	end        int64  // the offset behind all that was polled, markers too
	forms      []form // in which they were produced
}

// form is what a document goes out as.
type form int

const (
	asVerdict form = iota
	asRejected
	asWithheld
	asRetimed // rejected, with another time
)

type batchPhase int

const (
	batchJudge    batchPhase = iota
	batchAppend              // its runs are on their way
	batchPass                // the replica has to pass them
	batchProduce             // all is judged
	batchForget              // a forget is on its way
	batchForgot              // the replica has to pass it
	batchEnd                 // the transaction is ended
	batchDoubtful            // the stable offsets have to tell how it ended
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
		fmt.Fprintf(&out, " up to %d", b.groups[i].end)
	}
	return out.String()
}

// stepBatch takes a batch one step on, or polls one. A revocation ends what only waits.
func (s *session) stepBatch() bool {
	b := s.batch
	if b == nil {
		s.revoked = false
		return s.poll()
	}
	if s.revoked && b.phase < batchProduce || s.revoked && (b.phase == batchForget || b.phase == batchForgot) {
		s.abort("partitions were taken away")
		return true
	}
	switch b.phase {
	case batchJudge:
		s.judge(b)
	case batchAppend:
		return s.appended(&b.ours, func(last int64) { b.passed, b.phase = last+1, batchPass })
	case batchPass, batchForgot:
		if s.member.replica.Next() < b.passed {
			return false
		}
		if b.phase == batchForgot {
			s.batch = nil
			return true
		}
		b.phase = batchJudge
	case batchProduce:
		s.produce(b)
	case batchForget:
		return s.appended(&b.ours, func(last int64) { b.passed, b.phase = last+1, batchForgot })
	case batchEnd:
		s.endTransaction(b)
	case batchDoubtful:
		return s.doubt(b)
	}
	return true
}

// abort rewinds: what was polled is polled again.
func (s *session) abort(why string) {
	s.say("s%d aborts: %s", s.id, why)
	s.act("aborted")
	s.batch, s.revoked = nil, false
}

func (s *session) judge(b *batch) {
	for i := range b.groups {
		g := &b.groups[i]
		if err := g.assignment.Judge(s.member.replica, g.seq); err != nil {
			if errors.Is(err, protocol.ErrRouting) {
				s.act("judged under another routing")
				s.endMember(s.member)
				return
			}
			if errors.Is(err, protocol.ErrMoved) {
				s.slots[s.slot].moved[g.part.number] = true
				s.act("another document")
			}
			s.rebuild(err.Error())
			return
		}
	}
	letters := s.runs(b)
	if len(letters) == 0 && s.foresee(b) {
		return
	}
	if len(letters) == 0 {
		b.phase = batchProduce
		return
	}
	if b.rounds++; b.rounds > 1 && !b.ours.damaged {
		s.bad("s%d has passed its own append, and %s have no verdict", s.id, b)
	}
	if !protocol.AppendAgain(b.rounds - 1) {
		s.bad("s%d gives up after %d appends", s.id, b.rounds-1)
	}
	b.ours, b.phase = s.send(letters...), batchAppend
}

// foresee has what an output would refuse for its time forgotten before it is tried, all of a batch at once.
func (s *session) foresee(b *batch) bool {
	if !s.params.Untimely || !s.chance(1, 2) {
		return false
	}
	var letters []letter
	for i := range b.groups {
		g := &b.groups[i]
		for k := range g.documents {
			d := &g.documents[k]
			if d.Judged && s.refuses(d.Entry.Content, asVerdict) && g.assignment.Untimely(d) == protocol.Forget {
				letters = append(letters, letter{&index.Forget{Header: s.header(), Target: d.Verdict.Position}, g.part})
			}
		}
	}
	if len(letters) == 0 {
		return false
	}
	s.act("refusal foreseen")
	b.ours, b.phase = s.send(letters...), batchForget
	return true
}

// produce puts every document into its output, and says how the transaction is to end.
func (s *session) produce(b *batch) {
	if s.latest() != s {
		s.say("s%d is fenced as a producer", s.id)
		s.end()
		return
	}
	if s.mishap(Network, 24) {
		s.rebuild("a produce failed")
		return
	}
	refused := false
	for i := range b.groups {
		g := &b.groups[i]
		g.forms = g.forms[:0]
		for k := range g.documents {
			f := s.form(g, &g.documents[k])
			g.forms = append(g.forms, f)
			refused = refused || s.refuses(g.documents[k].Entry.Content, f)
		}
	}
	switch {
	case protocol.Close(refused, s.revoked) == protocol.Commit:
		s.offsets(b)
	case s.revoked || !refused:
		s.abort("partitions were taken away")
	default:
		s.refused(b)
	}
}

func (s *session) form(g *group, d *protocol.Document) form {
	switch level := g.assignment.Level(d.Entry.Offset); {
	case g.assignment.Retimed(d.Entry.Offset) && (level >= protocol.Reject || d.Rejects()):
		return asRetimed
	case level == protocol.Withhold:
		return asWithheld
	case level == protocol.Reject || d.Rejects():
		return asRejected
	}
	return asVerdict
}

// refused answers an output that did not take a record.
func (s *session) refused(b *batch) {
	g := &b.groups[slices.IndexFunc(b.groups, func(g group) bool { return len(g.documents) > 0 })]
	d := &g.documents[0]
	s.say("s%d: an output refuses one of %s", s.id, b)
	s.batch = nil
	switch g.assignment.Refused(d, b.size, s.params.Untimely) {
	case protocol.Split:
		s.limit = max(1, min(s.limit, b.size)/8)
	case protocol.Again:
	case protocol.Hopeless:
		s.bad("%s is refused in every form", g.part.name(d.Entry.Offset))
	case protocol.Forget:
		b.ours, b.phase = s.send(letter{&index.Forget{Header: s.header(), Target: d.Verdict.Position}, g.part}), batchForget
		s.batch = b
	}
}
