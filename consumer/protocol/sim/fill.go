package sim

import (
	"maps"
	"slices"
	"strconv"

	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// VaryFilled draws the kind of a history that begins with fills.
func VaryFilled(seed uint64) Params {
	c := random(seed ^ 0x7072_696d_6564)
	p := Vary(seed)
	p.Documents = 1 + p.Documents/2
	p.Fills, p.Past, p.Feeds, p.Queued, p.Compacts = 1+c.n(2), 1+c.n(25), 1+c.n(4), 1+c.n(400), c.n(3) == 0
	return p
}

// oldTopic is the number of a topic that the group never reads.
const oldTopic = 200

// fill is what somebody wants to be remembered before the group judges.
type fill struct {
	plan   *protocol.Plan
	text   []byte
	order  []placed // what it brings, by their places
	taken  int      // of them, so far
	strict bool     // nothing of it is deleted while it is brought
}

// bringing is what fills bring of a partition.
type bringing struct {
	due     map[int64]bool // by offset; true: it was brought
	through int64          // all below is brought or rejected
}

// filler is a process that fills, as package consumer's does.
type filler struct {
	*member
	asks int64 // the journal offset that it waits for, because something of it is on its way
}

// beginFills makes the old topic, with documents of before the simulation, and draws whether fills bring what is there
// of the group's own: then the group begins behind it. Its name may have committed something in an earlier life.
func (w *World) beginFills() {
	if w.params.Fills == 0 || w.heir != nil {
		return
	}
	w.createOlds()
	if w.own = !w.params.Recreate && !w.params.LoseTail && w.n(3) == 0; w.own {
		for _, p := range w.parts {
			w.leaveOut(p, p.visible)
			if w.n(2) == 0 {
				w.commits++
				at := int64(w.n(int(p.from) + 1))
				p.committed = commit{offset: at, metadata: protocol.Metadata(uint32(1+w.n(3)), int64(w.n(int(at)+1))), log: w.commits}
			}
		}
	}
	text := ""
	if w.params.Routings {
		text = w.anyRouting()
	}
	w.declare(1, text, protocol.Duty{Kind: protocol.Fills})
}

func (w *World) createOlds() {
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
		if w.params.Gaps && w.n(2) == 0 {
			w.ends(p)
		}
		w.olds = append(w.olds, p)
	}
}

// leaveOut has the group begin a partition there.
func (w *World) leaveOut(p *part, from int64) {
	p.from = from
	for o := range from {
		p.need[o], p.allow[o] = 0, 0
	}
}

// fixFill draws what is filled: partitions of the old topic, and the group's own up to where it begins.
func (w *World) fixFill() *protocol.Plan {
	plan := &protocol.Plan{Fixed: w.now}
	for _, p := range w.olds {
		r := protocol.Range{Topic: "past", Source: p.source, To: p.visible}
		if w.n(3) == 0 {
			r.From = int64(w.n(int(p.visible)))
			r.To = r.From + int64(w.n(int(p.visible-r.From)+1))
		}
		plan.Ranges = append(plan.Ranges, r)
	}
	for _, p := range w.parts {
		if w.own {
			plan.Ranges = append(plan.Ranges, protocol.Range{Topic: topicName, Source: p.source, To: p.from})
		}
	}
	return plan
}

// planned notes a plan, and returns the record that begins its fill.
func (w *World) planned(number uint32, plan *protocol.Plan) *index.Fill {
	f := &fill{plan: plan, text: strconv.AppendInt(nil, int64(len(w.plans)), 10)}
	f.strict = !w.params.Compacts && (!w.params.DeleteHead || !w.own)
	w.plans = append(w.plans, f)
	return &index.Fill{Header: w.header(), Number: number, Plan: f.text}
}

// planOf is the plan of the fill that a replica says is in force.
func (w *World) planOf(f index.Filled) *fill {
	if f.Number == 0 {
		return nil
	}
	i, err := strconv.Atoi(string(f.Plan))
	if err != nil {
		w.bad("a fill has the plan %q", f.Plan)
		return nil
	}
	return w.plans[i]
}

// stepFiller has a process fill. It is killed, and another one is started, and two may work at a time.
func (w *World) stepFiller() bool {
	i := w.n(len(w.fillers))
	m := w.fillers[i]
	switch {
	case m == nil || !m.alive:
		if w.begun || !w.faults && i > 0 {
			return false
		}
		if n := w.newMember(-2); n != nil {
			w.fillers[i] = &filler{n, 0}
			w.act("filler started")
			w.note("a filler starts at j%d", n.replica.Next())
		}
		return true
	case !m.ready:
		return false
	case w.mishap(80):
		w.act("filler killed")
		w.kill(m.member)
		return true
	case m.feeder != nil:
		return m.feeder.step()
	}
	return m.replica.Next() >= m.asks && w.agree(m)
}

// agree goes on with the latest fill or, once that is brought, says what is next. Of two that begin at once the first
// counts.
func (w *World) agree(m *filler) bool {
	now := m.replica.Filled()
	f := w.planOf(now)
	if m.replica.Judges() {
		w.act("filler has no more to do")
		w.kill(m.member)
		return true
	}
	if f != nil && !w.filled(f, m.replica) && !w.mishap(8) {
		w.feed(m.member, f.plan, now.Number)
		w.act("filling")
		w.note("f%d brings fill %d", w.steps, now.Number)
		return true
	}
	next := w.nextFill(m.replica, f)
	if next == nil {
		return false
	}
	w.post(next, nil, 0)
	m.asks = m.replica.Next() + 1 // it is appended again if that is lost
	return true
}

// nextFill is the record that is next, by what a replica knows: it begins a fill or, once those that people want have
// begun, has the group forward when they are brought.
func (w *World) nextFill(r *index.Replica, f *fill) index.Record {
	routes, number := r.Routes(), r.Filled().Number
	d := w.dutyOf(string(routes.Text))
	switch {
	case w.heir != nil, d.Kind == protocol.Forwards && !w.mishap(4):
		return w.nextRound(r, &d)
	case int(number) < w.params.Fills, d.Kind == protocol.Forwards:
		return w.planned(number+1, w.fixFill()) // what the one before has not brought is left out
	case !w.filled(f, r):
		w.act("forwards soon")
	}
	d = protocol.Duty{}
	for _, of := range f.plan.Ranges {
		d.Fill = append(d.Fill, protocol.Boundary{Topic: of.Topic, Source: of.Source, Offset: of.To})
		if of.Topic == topicName {
			d.From = append(d.From, protocol.Boundary{Topic: of.Topic, Source: of.Source, Offset: of.To})
		}
	}
	return w.routing(routes.Number+1, plain(string(routes.Text)), d)
}

// filled says that a replica has all of a fill.
func (w *World) filled(f *fill, r *index.Replica) bool {
	return !slices.ContainsFunc(f.plan.Ranges, func(of protocol.Range) bool { return r.FilledPart(of.Source).Through < of.To })
}

// landFill notes what a record of a fill brought, of which so many entries were brought before it.
func (w *World) landFill(at int64, r *index.Fill, before uint64, applied bool) {
	switch {
	case !applied && w.begun:
		w.act("fill behind the beginning")
		return
	case !applied:
		w.act("fill not taken")
		return
	case len(r.Plan) > 0:
		w.beginFill()
		return
	}
	for i := range r.Entries {
		e := &r.Entries[i]
		if r.First+uint64(i) < before {
			w.act("filled again")
			continue
		}
		of := r.Parts[e.Part].Source
		w.checkFilledPlace(of, e)
		w.documents = append(w.documents, document{
			part: w.partOf(of), offset: e.Offset, content: e.Content,
			position: entry.Position{Offset: at, Entry: int32(i)}, filled: true,
		})
	}
	for i := range r.Parts {
		w.checkBrought(r.Parts[i].Source)
	}
}

// beginFill notes what the fill in force has to bring: what was brought before is passed over, and what the one before
// has left is not due any more.
func (w *World) beginFill() {
	now, _ := w.twin.Filled(entry.Source{})
	f := w.planOf(now)
	w.fill = f
	brought := func(of entry.Source) index.FilledPart {
		_, part := w.twin.Filled(of)
		return part
	}
	f.order = w.placesOf(f.plan, brought)
	for of, b := range w.brought {
		maps.DeleteFunc(b.due, func(o int64, _ bool) bool { return o >= brought(of).Through })
	}
	for _, r := range f.plan.Ranges {
		p, b := w.partOf(r.Source), w.bringing(r.Source)
		for o := max(r.From, brought(r.Source).Through, p.begin); o < r.To; o++ {
			if !p.gap(o) {
				b.due[o] = false
			}
		}
	}
	w.act("fill begun")
}

func (w *World) bringing(of entry.Source) *bringing {
	if w.brought[of] == nil {
		w.brought[of] = &bringing{due: map[int64]bool{}}
	}
	return w.brought[of]
}

// checkFilledPlace: fills bring documents in the order of places, each once, and as it stands.
func (w *World) checkFilledPlace(of entry.Source, e *index.FedEntry) {
	f, p, b := w.fill, w.partOf(of), w.bringing(of)
	if b.due[e.Offset] {
		w.bad("%s is brought twice", p.name(e.Offset))
	}
	b.due[e.Offset] = true
	if !f.strict {
		return
	}
	if next := f.order[min(f.taken, len(f.order)-1)]; next.part != p || next.offset != e.Offset || next.at != e.At {
		w.bad("%s is brought at %d, and the next by its place is %s at %d", p.name(e.Offset), e.At,
			next.part.name(next.offset), next.at)
	}
	f.taken++
}

// checkBrought: what a range is brought through was brought, or is to be rejected, or is gone.
func (w *World) checkBrought(of entry.Source) {
	p, b := w.partOf(of), w.bringing(of)
	_, part := w.twin.Filled(of)
	for o := b.through; o < part.Through; o++ {
		if there, due := b.due[o]; due && !there && !p.gap(o) && o >= p.begin && !w.rejects(p.entries[o].Content) {
			w.bad("%s was left out: its partition is filled through %d", p.name(o), part.Through)
		}
	}
	b.through = max(b.through, part.Through)
}

// checkBegins: a group begins when all of what it is to remember is brought.
func (w *World) checkBegins() {
	now, _ := w.twin.Filled(entry.Source{})
	if w.heir == nil && (int(now.Number) < w.params.Fills || w.dutyOf(string(w.inForce().Text)).Kind != protocol.Forwards) {
		w.bad("the group begins after %d fills of %d", now.Number, w.params.Fills)
		return
	}
	for _, b := range w.dutyOf(string(w.inForce().Text)).Fill {
		if _, part := w.twin.Filled(b.Source); part.Through < b.Offset && w.heir == nil {
			w.bad("the group begins, and partition %d of topic %d is filled through %d of %d", b.Source.Partition,
				b.Source.Topic[0], part.Through, b.Offset)
		}
	}
}

// checkReplicaFilled: a replica that has applied all knows how far fills are brought, and what became of them.
func (w *World) checkReplicaFilled(m *member) {
	for _, p := range slices.Concat(w.olds, w.parts) {
		want, part := w.twin.Filled(p.source)
		got := m.replica.Filled()
		if got.Number != want.Number || !slices.Equal(got.Plan, want.Plan) || got.Entries != want.Entries ||
			got.FilledCounts != want.FilledCounts || m.replica.FilledPart(p.source) != part {
			w.bad("member %d is filled as %+v, %+v, by the journal it is %+v, %+v", m.number, got,
				m.replica.FilledPart(p.source), want, part)
			return
		}
	}
}

// checkFilled: at the end the latest fill is brought whole, and where the window is not bounded each of its documents
// was remembered, and is.
func (w *World) checkFilled() {
	f := w.fill
	now, _ := w.twin.Filled(entry.Source{})
	if f == nil || !f.strict || w.heir == nil && int(now.Number) > w.params.Fills {
		return
	}
	if f.taken != len(f.order) || now.Entries != uint64(len(f.order)) {
		w.bad("%d entries of a fill are brought, and there are %d", now.Entries, len(f.order))
	}
	for of, b := range w.brought {
		p, rejected := w.partOf(of), uint64(0)
		for o := range b.due {
			if w.rejects(p.entries[o].Content) {
				rejected++
			}
		}
		if _, part := w.twin.Filled(of); part.Rejected != rejected {
			w.bad("a partition is filled with %d rejected documents, and has %d", part.Rejected, rejected)
		}
	}
	if w.bounded || w.changed {
		return
	}
	if now.Kept != now.Entries {
		w.bad("%d of %d documents are remembered", now.Kept, now.Entries)
	}
	for _, d := range f.order {
		if e := d.part.entries[d.offset]; d.part.source.Topic[0] >= oldTopic && len(w.twin.Lookup(&e, 1)) == 0 {
			w.bad("%s was filled, and is not remembered", d.part.name(d.offset))
		}
	}
}
