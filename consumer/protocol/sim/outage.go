package sim

import "github.com/unecho/unecho/consumer/protocol"

// VaryOutage draws the kind of history of a group that passes documents on while its journal is away. That Kafka has
// lost committed offsets of what was passed on cannot be found: the journal does not know of them.
func VaryOutage(seed uint64) Params {
	p := Vary(seed)
	p.Outages, p.LoseOffsets = true, false
	return p
}

// journalAway has the journal be away while documents wait for their verdicts.
func (s *session) journalAway(b *batch) {
	s.leads.Bypass()
	b.ours = nil // what is on its way lands, or does not
	s.note("s%d passes on%s", s.id, b)
	s.act("passed on")
	if b.Wants() == protocol.WantTimeCheck {
		s.checkTimes(b)
	}
}

// lasts says that an outage goes on: what was passed on is not recorded yet, and more is polled.
func (s *session) lasts() bool {
	return s.away || s.params.Outages && s.faults && s.chance(1, 2)
}

// last is the offset behind the last document below an offset.
func (p *part) last(below int64) int64 {
	for o := min(below, p.visible); o > p.begin; o-- {
		if !p.gap(o - 1) {
			return o
		}
	}
	return p.begin
}

// checkBypassed: what is passed on goes to unique, or where that refuses it to rejected.
func (w *World) checkBypassed(g *group, d *protocol.Document, f form) {
	p, o := g.part, d.Entry.Offset
	if !w.params.Outages || d.Judged {
		w.bad("%s is passed on though it has a verdict", p.name(o))
	}
	if w.refuses(d.Entry.Content, f) {
		w.bad("%s is committed in a form that its output refuses", p.name(o))
	}
	if p.epoch == g.Epoch {
		p.passed[o] = g.Epoch
	}
	if f != asBypassed {
		p.untold[o] = true
		return
	}
	p.uniques[o]++
	w.passes[d.Entry.Content]++
}

// checkRecorded: in the end the journal has what was passed on.
func (w *World) checkRecorded() {
	for _, p := range w.parts {
		for o, epoch := range p.passed {
			if epoch == p.epoch && epoch > 0 && p.given(int64(o), epoch) == nil && int64(o) >= p.begin && !p.torn &&
				!p.gap(int64(o)) && !w.rejects(p.entries[o].Content) {
				w.bad("%s was passed on, and never recorded", p.name(int64(o)))
			}
		}
	}
}
