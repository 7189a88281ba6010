package sim

import (
	"fmt"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// logged is a record of the journal, and what it did.
type logged struct {
	record   index.Record // nil: a stray
	at       index.Stamp
	verdicts []index.Verdict // the twin's
	hash     uint64          // of the first replica that applied it
	hashed   bool
	applied  bool
	lie      bool // a checkpoint whose hash is made up
}

// flight is an append on its way.
type flight struct {
	letter
	from   *session
	by     *feeder
	to     *appending
	number int // in to: what a feeder appends lands in its order
	lie    bool
	after  int // it lands no earlier than at this step
}

// letter is a record, and the partition that it is about, if there is one.
type letter struct {
	record index.Record
	part   *part
}

// appending is what a session waits for that appends.
type appending struct {
	letters []letter
	left    int
	last    int64 // the greatest offset that was answered
	failed  bool  // an error came back: what is there is an open question
	damaged bool  // something of it landed as what nobody can read
}

// maxLate is how many steps late an append may be.
const maxLate = 400

// late is when an append lands at the earliest that is late.
func (w *World) late() int { return w.steps + w.n(maxLate) }

// post sends an append for which nobody waits. It lands no earlier than at that step.
func (w *World) post(rec index.Record, about *part, after int) {
	w.air = append(w.air, flight{letter: letter{rec, about}, after: after})
}

// document is an indexed one, as the checks see it.
type document struct {
	part     *part
	offset   int64
	content  uint64
	position entry.Position
	filled   bool // a fill brought it, and nobody judged it
	dead     bool
	refused  bool // by its output
}

func (s *session) send(letters ...letter) *appending {
	a := &appending{letters: letters, left: len(letters)}
	for _, l := range letters {
		f := flight{letter: l, from: s, to: a}
		if s.mishap(24) { // it is answered with a time-out, and stands in a queue somewhere
			f.after, a.failed = s.late(), true
		}
		s.air = append(s.air, f)
		if s.tracing {
			s.note("s%d sends %s", s.id, s.describe(l.record))
		}
	}
	return a
}

// stepAir lands or loses an append. Those of the dead and of zombies may be late.
func (w *World) stepAir() bool {
	if len(w.air) == 0 || w.away {
		return false
	}
	i := w.firstOf(w.n(len(w.air)))
	f := w.air[i]
	gone := f.from != nil && !f.from.alive || f.by != nil && !f.by.alive
	if w.faults && f.after > w.steps {
		return false
	}
	if w.faults && (gone || f.from != nil && w.slots[f.from.slot].latest != f.from) && w.chance(1, 2) {
		return false
	}
	w.air[i] = w.air[len(w.air)-1]
	w.air = w.air[:len(w.air)-1]
	if f.to != nil && w.mishap(24) || gone && w.chance(1, 3) {
		if f.to != nil {
			f.to.failed = true
		}
		w.act("append lost")
		if w.tracing {
			w.note("lost: %s", w.describe(f.record))
		}
		return true
	}
	if gone {
		w.act("append of the dead")
	}
	if w.mishap(24) {
		f.record = nil
		if f.to != nil {
			f.to.damaged = true
		}
		w.act("append damaged")
	}
	at := w.land(f)
	if f.to == nil {
		return true
	}
	f.to.left--
	f.to.last = max(f.to.last, at)
	if w.mishap(24) {
		f.to.failed = true
		w.act("answer lost")
	}
	return true
}

// firstOf is the flight that lands before one of them, or that one.
func (w *World) firstOf(i int) int {
	for k := range w.air {
		if f := &w.air[k]; w.air[i].by != nil && f.to == w.air[i].to && f.number < w.air[i].number {
			i = k
		}
	}
	return i
}

// land appends to the journal and to everything that checks it.
func (w *World) land(f flight) int64 {
	at := index.Stamp{Offset: int64(len(w.journal)), LogAppendTime: w.now}
	w.checkBase(f)
	filled, _ := w.twin.Filled(entry.Source{})
	ignored := w.twin.Stats().Ignored
	verdicts := w.twin.Apply(at, f.record)
	applied := w.twin.Stats().Ignored == ignored
	w.journal = append(w.journal, logged{record: f.record, at: at, verdicts: verdicts, lie: f.lie, applied: applied})
	w.nameDocuments(at.Offset, f.record)
	if w.tracing {
		w.note("j%d is %s", at.Offset, w.describe(f.record))
	}
	switch r := f.record.(type) {
	case *index.Run:
		if r.Fingerprint == w.ours && r.Epoch == f.part.epoch {
			w.landRun(f.part, r, verdicts)
		}
	case *index.Feed:
		if r.Fingerprint == w.ours {
			w.landFeed(r, verdicts)
		}
	case *index.Reposition:
		if r.Fingerprint == w.ours && r.Epoch == f.part.epoch+1 {
			w.landReposition(f.part, r)
		}
	case *index.Fill:
		w.landFill(at.Offset, r, filled.Entries, applied)
	case *index.Forget:
		if r.Fingerprint == w.ours {
			w.landForget(r.Target)
		}
	case *index.Routing:
		w.landRouting(at.Offset, r)
	case *index.SettingsChange:
		w.landChange(at.Offset, r, applied)
	case *index.Erase:
		w.landErase(at.Offset, r)
	}
	return at.Offset
}

func (w *World) landRun(p *part, r *index.Run, verdicts []index.Verdict) {
	p.base = max(p.base, r.Base)
	for i := range verdicts {
		w.judged(p, &verdicts[i])
	}
}

// judged notes a verdict of the journal.
func (w *World) judged(p *part, v *index.Verdict) {
	p.verdicts[v.Offset] = append(p.verdicts[v.Offset], verdict{epoch: p.epoch, verdict: *v})
	w.checkVerdict(p, v)
	w.checkRequest(p, v)
	if !v.Matched() {
		w.documents = append(w.documents, document{part: p, offset: v.Offset, content: v.Content, position: v.Position})
	}
	if w.tracing {
		w.note("     %s: %s", p.name(v.Offset), describeVerdict(v))
	}
	w.checkPlace(p, v)
}

func (w *World) landReposition(p *part, r *index.Reposition) {
	from := min(r.Offset, p.base)
	if p.epoch == 0 {
		from = r.Offset
		w.checkBegins()
	}
	w.begun = true
	for i := range w.documents {
		if d := &w.documents[i]; d.part == p && d.offset >= from {
			d.dead = true
		}
	}
	w.unrequest(func(first *asked) bool { return first.part == p && first.offset >= from })
	p.epoch, p.start, p.base = r.Epoch, r.Offset, r.Offset
	clear(p.passed)
	p.committedIn(r.Epoch, r.Offset)
	w.act("reposition")
}

// landForget notes what an output has refused. It dies, unless a feed brought it: what follows may have been judged
// already.
func (w *World) landForget(target entry.Position) {
	w.unrequest(func(first *asked) bool { return first.position == target })
	for i := range w.documents {
		if d := &w.documents[i]; d.position == target {
			d.dead, d.refused = d.dead || !w.feeds(), true
		}
	}
	for _, p := range w.parts {
		for o := p.base; o < int64(len(p.verdicts)); o++ {
			if v := p.given(o, p.epoch); v != nil && v.verdict.Position == target {
				v.forgotten = true
				w.act("forget")
			}
		}
	}
}

// committedIn notes how far an epoch is committed.
func (p *part) committedIn(epoch uint32, offset int64) {
	for len(p.most) <= int(epoch) {
		p.most = append(p.most, -1)
	}
	p.most[epoch] = max(p.most[epoch], offset)
}

func (p *part) name(offset int64) string {
	return fmt.Sprintf("%d.p%d:%d", p.source.Topic[0], p.number, offset)
}

func (w *World) header() index.Header { return index.Header{Fingerprint: w.ours, Wall: w.now} }

// stepStray has somebody put into the journal what is no record of the group's.
func (w *World) stepStray() bool {
	w.land(flight{})
	w.act("stray")
	return true
}

// stepStranger appends what a member with other settings would, which changes nothing, or what nobody should.
func (w *World) stepStranger() bool {
	p := w.parts[w.n(len(w.parts))]
	h := index.Header{Fingerprint: w.ours + 1, Wall: w.now + 1000}
	f := flight{letter: letter{part: p}}
	switch w.n(4) {
	case 0:
		e := p.entries[w.n(len(p.entries))]
		f.record = &index.Run{Header: h, Source: p.source, Epoch: p.epoch, Base: e.Offset}
	case 1:
		f.record = &index.Reposition{Header: h, Source: p.source, Epoch: p.epoch + 1, Offset: int64(w.n(len(p.entries)))}
	case 2: // a program that shares the journal by mistake begins an epoch under everybody's feet; its base is no truth to fall back on
		if p.epoch == 0 || w.plan != nil || w.params.DeleteOffsets || w.params.LoseOffsets {
			return false
		}
		f.record = &index.Reposition{
			Header: w.header(), Source: p.source, Name: "news", Epoch: p.epoch + 1,
			Offset: int64(w.n(len(p.entries))),
		}
		p.asked++
		w.act("intruder")
	default:
		if len(w.documents) == 0 {
			return false
		}
		f.record = &index.Forget{Header: h, Target: w.documents[w.n(len(w.documents))].position}
	}
	w.land(f)
	w.act("stranger")
	return true
}
