package sim

import (
	"slices"
	"strconv"

	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/index"
)

// VaryPrimed draws the kind of a history in which a live group is primed.
func VaryPrimed(seed uint64) Params {
	c := random(seed ^ 0x7072_696d_6564)
	p := Vary(seed)
	p.Documents = 1 + p.Documents/2
	p.Primings, p.Past, p.Feeds, p.Queued, p.Compacts = 1+c.n(2), 1+c.n(25), 1+c.n(4), 1+c.n(400), c.n(3) == 0
	return p
}

// oldTopic is the number of a topic that the group never reads.
const oldTopic = 200

// priming is a plan of history that somebody has fixed.
type priming struct {
	plan    *protocol.Plan
	text    []byte
	order   []placed // its documents by their places
	taken   int      // of them, so far
	brought [][]bool // by range and offset
	through []int64  // by range: all below is brought or rejected
	strict  bool     // nothing of it is deleted while it is brought
}

// primer is a process that primes, as package consumer's does.
type primer struct {
	*member
	asks int64 // the journal offset behind which it looks again; -1: it need not
}

// createPast makes the topic of history, with documents of before the simulation.
func (w *World) createPast() {
	if w.params.Primings == 0 {
		return
	}
	for i := range 1 + w.n(3) {
		p := w.newPart(oldTopic, i, w.params.Past)
		at := w.now - 300 + int64(w.n(200))
		for o := range p.entries {
			at += int64(w.n(30))
			switch p.entries[o].Time = at; w.n(12) {
			case 0:
				p.entries[o].Time -= int64(w.n(100))
			case 1:
				p.entries[o].Time = -int64(w.n(2))
			case 2:
				p.entries[o].Time += 1 << 30
			}
		}
		w.olds = append(w.olds, p)
	}
}

// fixPast draws what is primed: partitions of history, and sometimes what is there of the group's own.
func (w *World) fixPast() *priming {
	plan := &protocol.Plan{Fixed: w.now}
	for _, p := range w.olds {
		r := protocol.Range{Topic: "past", Source: p.source, To: p.visible}
		if w.n(3) == 0 {
			r.From = int64(w.n(int(p.visible)))
			r.To = r.From + int64(w.n(int(p.visible-r.From)+1))
		}
		plan.Ranges = append(plan.Ranges, r)
	}
	own := !w.params.Recreate && !w.params.LoseTail && w.n(3) == 0
	for _, p := range w.parts {
		if own {
			plan.Ranges = append(plan.Ranges, protocol.Range{Topic: "news", Source: p.source, To: p.visible})
		}
	}
	pr := &priming{
		plan: plan, text: strconv.AppendInt(nil, int64(len(w.plans)), 10), order: w.placesOf(plan),
		through: make([]int64, len(plan.Ranges)),
		strict:  !w.params.Compacts && (!own || !w.params.DeleteHead),
	}
	for _, r := range plan.Ranges {
		pr.brought = append(pr.brought, make([]bool, r.To))
	}
	w.plans = append(w.plans, pr)
	return pr
}

// planOf is the plan of the priming that a replica says is in force.
func (w *World) planOf(p index.Primed) *priming {
	if p.Number == 0 {
		return nil
	}
	i, err := strconv.Atoi(string(p.Plan))
	if err != nil {
		w.bad("a priming has the plan %q", p.Plan)
		return nil
	}
	return w.plans[i]
}

// stepPrimer has a process prime. It is killed, and another one is started, and two may work at a time.
func (w *World) stepPrimer() bool {
	i := w.n(len(w.primers))
	m := w.primers[i]
	switch {
	case m == nil || !m.alive:
		if w.allPrimed() || !w.faults && i > 0 {
			return false
		}
		w.primers[i] = &primer{w.newMember(-2), 0}
		w.act("primer started")
		w.say("a primer starts at j%d", w.primers[i].replica.Next())
		return true
	case !m.ready:
		return false
	case w.mishap(Crash, 80):
		w.act("primer killed")
		w.kill(m.member)
		return true
	case m.feeder != nil:
		return m.feeder.step()
	}
	return w.agree(m)
}

// agree goes on with the latest priming or, once that is brought, begins another one, as people want. Of two that
// begin at once the first counts.
func (w *World) agree(m *primer) bool {
	if m.replica.Next() < m.asks {
		return false
	}
	now := m.replica.Primed()
	switch pr := w.planOf(now); {
	case pr != nil && !finished(pr, m.replica):
		m.feeder = &feeder{World: w, id: w.steps, member: m.member, alive: true, plan: pr.plan, number: now.Number, until: -1}
		w.act("priming")
		w.say("f%d primes %d", w.steps, now.Number)
	case int(now.Number) >= w.params.Primings:
		w.act("primed to the end")
		w.kill(m.member) // it ends
	default:
		w.air = append(w.air, flight{letter: letter{record: &index.History{
			Header: w.header(), Number: now.Number + 1,
			Plan: w.fixPast().text,
		}}})
		m.asks = m.replica.Next() + 1 // it is appended again if that is lost
	}
	return true
}

func finished(pr *priming, r *index.Replica) bool {
	return !slices.ContainsFunc(pr.plan.Ranges, func(of protocol.Range) bool {
		return of.From < of.To && r.PrimedPart(of.Source).Through < of.To
	})
}

// allPrimed says that nothing is left to prime.
func (w *World) allPrimed() bool {
	if w.params.Primings == 0 {
		return true
	}
	now, _ := w.twin.Primed(w.olds[0].source)
	return int(now.Number) >= w.params.Primings &&
		!slices.ContainsFunc(w.planOf(now).plan.Ranges, func(of protocol.Range) bool {
			_, part := w.twin.Primed(of.Source)
			return of.From < of.To && part.Through < of.To
		})
}

// landHistory notes what a record of history brought, of which so many entries were brought before it.
func (w *World) landHistory(r *index.History, before uint64, applied bool) {
	switch {
	case !applied:
		w.act("history not taken")
		return
	case len(r.Plan) > 0:
		now, _ := w.twin.Primed(w.olds[0].source)
		w.primed = w.planOf(now)
		w.act("priming begun")
		return
	}
	for i := range r.Entries {
		e := &r.Entries[i]
		if r.First+uint64(i) < before {
			w.act("history brought again")
			continue
		}
		w.checkHistoryPlace(w.primed.rangeOf(&r.Parts[e.Part]), e)
	}
	for i := range r.Parts {
		w.checkBrought(w.primed.rangeOf(&r.Parts[i]))
	}
}

func (pr *priming) rangeOf(part *index.HistoryPart) int {
	return slices.IndexFunc(pr.plan.Ranges, func(r protocol.Range) bool { return r.Source == part.Source })
}

// checkHistoryPlace: history is brought in the order of places, each document once.
func (w *World) checkHistoryPlace(of int, e *index.FedEntry) {
	pr := w.primed
	p := w.partOf(pr.plan.Ranges[of].Source)
	if pr.brought[of][e.Offset] {
		w.bad("%s is brought twice", p.name(e.Offset))
	}
	pr.brought[of][e.Offset] = true
	if !pr.strict {
		return
	}
	if next := pr.order[min(pr.taken, len(pr.order)-1)]; next.of != of || next.offset != e.Offset || next.at != e.At {
		w.bad("%s is brought at %d, and the next by its place is %s at %d", p.name(e.Offset), e.At,
			next.part.name(next.offset), next.at)
	}
	pr.taken++
}

// checkBrought: what a range is brought through was brought, or is to be rejected, or is gone.
func (w *World) checkBrought(of int) {
	pr, r := w.primed, w.primed.plan.Ranges[of]
	p := w.partOf(r.Source)
	_, part := w.twin.Primed(r.Source)
	for o := max(r.From, pr.through[of]); o < part.Through; o++ {
		if !p.gap(o) && o >= p.begin && !w.rejects(p.entries[o].Content) && !pr.brought[of][o] {
			w.bad("%s was left out: its partition is primed through %d", p.name(o), part.Through)
		}
	}
	pr.through[of] = max(pr.through[of], part.Through)
}

// checkReplicaPrimed: a replica that has applied all knows how far history is brought, and what became of it.
func (w *World) checkReplicaPrimed(m *member) {
	for _, p := range slices.Concat(w.olds, w.parts) {
		want, part := w.twin.Primed(p.source)
		got := m.replica.Primed()
		if got.Number != want.Number || !slices.Equal(got.Plan, want.Plan) || got.Entries != want.Entries ||
			got.PrimedCounts != want.PrimedCounts || m.replica.PrimedPart(p.source) != part {
			w.bad("member %d is primed as %+v, %+v, by the journal it is %+v, %+v", m.number, got,
				m.replica.PrimedPart(p.source), want, part)
			return
		}
	}
}

// checkPrimed: at the end the latest priming is brought whole, and where the window is not bounded each of its
// documents is remembered. One that was like a document that died since is not, and a later priming finds no place
// for what is older than history is.
func (w *World) checkPrimed() {
	pr := w.primed
	if pr == nil || !pr.strict {
		return
	}
	now, _ := w.twin.Primed(w.olds[0].source)
	if pr.taken != len(pr.order) || now.Entries != uint64(len(pr.order)) {
		w.bad("%d entries of history are brought, and there are %d", now.Entries, len(pr.order))
	}
	for i, r := range pr.plan.Ranges {
		w.checkRejected(i, r)
	}
	if w.bounded || w.changed || now.Number > 1 {
		return
	}
	for _, d := range pr.order {
		e := d.part.entries[d.offset]
		died := slices.ContainsFunc(w.documents, func(of document) bool { return of.dead && of.content == e.Content })
		if d.part.source.Topic[0] == oldTopic && !died && len(w.twin.Lookup(&e, 1)) == 0 {
			w.bad("%s is history, and not remembered", d.part.name(d.offset))
		}
	}
}

// checkRejected: a priming counts what cannot be compared.
func (w *World) checkRejected(of int, r protocol.Range) {
	p, n := w.partOf(r.Source), uint64(0)
	for o := r.From; o < r.To; o++ {
		if !p.gap(o) && w.rejects(p.entries[o].Content) {
			n++
		}
	}
	if _, part := w.twin.Primed(r.Source); part.Rejected != n {
		w.bad("range %d is primed with %d rejected documents, and has %d", of, part.Rejected, n)
	}
}
