package sim

import (
	"cmp"
	"slices"
	"time"

	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/naive"
)

// VaryBackfill draws the kind of a history in which the group is a backfill.
func VaryBackfill(seed uint64) Params {
	c := random(seed ^ 0x6261_636b_6669)
	yes := func(of int) bool { return c.n(of) == 0 }
	p := Params{
		Backfill: true, Members: 1 + c.n(4), Sessions: 1 + c.n(2), Partitions: 1 + c.n(4), Documents: 1 + c.n(60),
		Contents: 2 + c.n(4),
		Poll:     1 + c.n(6), Entries: 3, Gaps: yes(2), Steps: 100 + c.n(2400), Rejects: yes(3), Snapshots: !yes(4),
		Strangers:  yes(4),
		Divergence: yes(4), MostHeld: 1 + c.n(40), Feeds: 1 + c.n(5), Queued: 1 + c.n(600), Compacts: yes(4),
	}
	p.Leaves = p.Rejects && p.Steps%2 == 0
	if yes(4) {
		p.Order = protocol.ByArrival
	}
	if yes(3) {
		p.Refuses, p.Untimely = 1+c.n(2), yes(3)
	}
	if yes(6) { // after these it ends, and a person begins another one
		p.SetOffsets, p.DeleteOffsets, p.LoseOffsets = yes(2), yes(2), yes(2)
	}
	p.DeleteHead = yes(6)
	if yes(4) {
		p.Count = 1 + c.n(6)
	}
	if yes(3) {
		p.Age = c.age()
	}
	if seed%3 == 0 { // what went wrong is left as it is, and nothing else mends it
		p.Steps = 20 + p.Steps/8
	}
	p.KeepAll, p.Refresh = yes(3), yes(4)
	if yes(6) {
		p.Reemit = c.age()
	}
	p.Drops = yes(4)
	return p
}

// Times of documents, in ms. No document's time is later than fixed and counts.
const (
	month = 30 * 24 * 3600 * 1000
	fixed = 12 * month
)

// age draws one of a window in which documents lie months apart, or some milliseconds.
func (c *choices) age() time.Duration {
	return []time.Duration{20, 200, month, 2 * month}[c.n(4)] * time.Millisecond
}

// placed is a document of a plan, and the time of its place.
type placed struct {
	part   *part
	of     int // number of its range
	offset int64
	at     int64
}

// fix draws the times of the documents and the plan of a backfill, and finds out what has to come of it.
func (w *World) fix() {
	if !w.params.Backfill {
		return
	}
	w.plan = &protocol.Plan{Order: w.params.Order, Fixed: fixed}
	for i, p := range w.parts {
		w.date(p)
		if last := len(w.parts) - 1; i > 0 && i == last && w.n(6) == 0 {
			p.within = &protocol.Range{} // the topic has got it since
		} else {
			p.within = w.rangeOf(p)
			w.plan.Ranges = append(w.plan.Ranges, *p.within)
		}
		for o := range p.entries {
			if p.outside(int64(o)) {
				p.need[o], p.allow[o] = 0, 0
			}
		}
	}
	if w.plan.Order == protocol.ByPlace {
		w.place()
		w.foresee()
	}
}

// date draws the times of a partition's documents. Some have none, or one of the future, and some come late.
func (w *World) date(p *part) {
	at := int64(1+w.n(3)*w.n(2)) * month
	for o := range p.entries {
		at += int64(w.n(40))
		e := &p.entries[o]
		switch e.Time = at; w.n(12) {
		case 0:
			e.Time -= int64(w.n(3000))
		case 1:
			e.Time = -int64(w.n(2))
		case 2:
			e.Time = fixed + int64(w.n(2))
		case 3:
			at += month
		}
	}
}

// rangeOf draws what is read of a partition: some of what is there now.
func (w *World) rangeOf(p *part) *protocol.Range {
	r := &protocol.Range{Topic: "news", Source: p.source, To: p.visible}
	if p.visible > 0 && w.n(3) == 0 {
		w.ends(p)
	}
	switch w.n(4) {
	case 0:
		r.From = int64(w.n(int(p.visible) + 1))
		r.To = r.From + int64(w.n(int(p.visible-r.From)+1))
	case 1:
		r.From = int64(w.n(int(p.visible) + 1))
	}
	if w.n(4) == 0 {
		p.begin = int64(w.n(int(r.From) + 1))
	}
	if w.params.DeleteHead && w.n(8) == 0 { // since the range was fixed
		p.begin = min(p.visible, r.From+int64(w.n(4)))
	}
	return r
}

// ends has nothing come to a partition any more, and what came last be no document: it was compacted away, or rolled
// back. Nobody sees how far such a range goes by what is polled.
func (w *World) ends(p *part) {
	p.entries, p.need = p.entries[:p.visible], p.need[:p.visible]
	for o := p.visible - 1 - int64(w.n(int(p.visible))); o < p.visible; o++ {
		p.entries[o], p.need[o], p.allow[o] = entry.Entry{Offset: o}, 0, 0
	}
}

// empty says that nothing is left to poll from one offset up to another, and nothing comes there any more. Where retention
// has deleted something, nobody can tell: a broker refuses to be read there.
func (p *part) empty(from, to int64) bool {
	if p.begin > from {
		return false
	}
	for o := from; o < min(to, p.visible); o++ {
		if !p.gap(o) || p.marker(o) {
			return false
		}
	}
	return p.visible >= to
}

// outside says that a document is not of the plan, or below where the group begins.
func (p *part) outside(offset int64) bool {
	return offset < p.from || p.within != nil && (offset < p.within.From || offset >= p.within.To)
}

// planned says that a partition is read.
func (p *part) planned() bool { return p.within == nil || p.within.Topic != "" }

// place sorts the documents of the plan by their places, in the plain way.
func (w *World) place() {
	w.order = w.placesOf(w.plan, func(entry.Source) index.FilledPart { return index.FilledPart{Place: protocol.NoPlace} })
}

// placesOf sorts the documents of a plan that were not brought before.
func (w *World) placesOf(plan *protocol.Plan, brought func(entry.Source) index.FilledPart) (order []placed) {
	for i, r := range plan.Ranges {
		p, was := w.partOf(r.Source), brought(r.Source)
		latest, any := max(0, was.Place), was.Place != protocol.NoPlace
		for o := max(r.From, p.begin, was.Through); o < r.To; o++ {
			if e := &p.entries[o]; !p.gap(o) && !w.rejects(e.Content) {
				if e.Time > 0 && e.Time <= plan.Fixed && (!any || e.Time > latest) {
					latest = e.Time
				}
				any = true
				order = append(order, placed{p, i, o, latest})
			}
		}
	}
	slices.SortStableFunc(order, func(a, b placed) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.of, b.of), cmp.Compare(a.offset, b.offset))
	})
	return order
}

// foresee has a twin judge the documents in that order, one after the other, with nothing in between.
func (w *World) foresee() {
	twin, at := naive.New(w.index, []byte(settings), w.ours), int64(0)
	apply := func(rec index.Record) []index.Verdict {
		at++
		return twin.Apply(index.Stamp{Offset: at, LogAppendTime: w.now}, rec)
	}
	apply(&index.Settings{Text: []byte(settings), Wall: w.now})
	for _, p := range w.parts {
		apply(&index.Reposition{
			Header: w.header(), Source: p.source, Name: "news", Partitions: int32(len(w.parts)),
			Offset: p.within.From, Epoch: 1,
		})
		p.foreseen = make([]index.Verdict, len(p.entries))
	}
	for i, d := range w.order {
		v := apply(&index.Feed{
			Header: w.header(), First: uint64(i),
			Parts:   []index.FeedPart{{Source: d.part.source, Epoch: 1, Through: d.offset + 1}},
			Entries: []index.FedEntry{{At: d.at, Entry: d.part.entries[d.offset]}},
		})
		d.part.foreseen[d.offset] = v[0]
	}
}

// stop ends a history: a person is needed, for a reason that somebody gave.
func (w *World) stop(why string, reason bool) {
	if !reason {
		w.bad("the backfill stops without need: %s", why)
		return
	}
	w.over = why
	w.act("ended for a person")
	w.note("the backfill ends: %s", why)
}

// refuse ends a backfill where a takeover does.
func (s *session) refuse(sh *share) {
	p, t := sh.part, sh.takeover
	switch t.Decision.Reason { //nolint:exhaustive // the others have no cause here
	case protocol.Deleted:
		s.stop("documents were deleted", p.begin > max(p.within.From, p.committed.offset) &&
			p.within.To > max(p.within.From, p.committed.offset))
	case protocol.NoOffset:
		s.stop("an offset is gone", s.params.DeleteOffsets && p.asked > 0)
	case protocol.Foreign:
		s.stop("an offset was set", p.set)
	case protocol.Below:
		s.stop("an offset was lost", s.params.LoseOffsets && p.asked > 0)
	default:
		s.bad("s%d refuses partition %d for reason %d: committed %+v, replica %+v", s.id, p.number, t.Decision.Reason,
			t.Committed, t.Replica)
	}
}

// mode is that of the group under no duty.
func (w *World) mode() protocol.Mode { return protocol.NewMode(w.plan) }

// stepCompact removes a document from the source, as compaction does. The last one stays.
func (w *World) stepCompact() bool {
	of := w.parts
	if w.olds != nil {
		of = w.olds
	}
	p := of[w.n(len(of))]
	o := int64(w.n(len(p.entries)))
	if !w.params.Compacts || p.gap(o) || o+1 >= int64(len(p.entries)) {
		return false
	}
	p.entries[o] = entry.Entry{Offset: o}
	p.need[o], p.torn, p.skipped[o] = 0, true, true
	w.act("compacted")
	w.note("compaction removes %s", p.name(o))
	return true
}

// progress is how far the plan is by what is committed.
func (w *World) progress() protocol.Progress {
	return w.plan.Progress(func(r protocol.Range) protocol.Committed {
		return w.parts[r.Source.Partition].committed.read()
	})
}
