package sim

import (
	"slices"

	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// feeds says that the group is a backfill in the order of places.
func (w *World) feeds() bool { return w.plan != nil && w.plan.Order == protocol.ByPlace }

// checkPlace: by place, documents are judged in the order of their places, and as they would be with nothing in
// between, whatever outputs refuse and whenever that is known. Compaction takes places away while they are fed.
func (w *World) checkPlace(p *part, v *index.Verdict) {
	if !w.feeds() || w.params.Compacts {
		return
	}
	if next := w.order[min(w.judgements, len(w.order)-1)]; next.part != p || next.offset != v.Offset {
		w.bad("%s is judged, and the next by its place is %s", p.name(v.Offset), next.part.name(next.offset))
		return
	}
	w.judgements++
	got, want := *v, p.foreseen[v.Offset]
	got.Position, want.Position, got.Match.Position, want.Match.Position = entry.Position{}, entry.Position{},
		entry.Position{}, entry.Position{}
	if got != want && !w.changed {
		w.bad("%s is judged as %s, and in the order of places it is %s", p.name(v.Offset), describeVerdict(&got),
			describeVerdict(&want))
	}
}

// checkFed: what a partition was fed through has a verdict, or is to be rejected.
func (w *World) checkFed(p *part) {
	fed, _ := w.twin.Fed(p.source)
	for o := p.fed; o < fed.Through; o++ {
		if p.outside(o) || p.gap(o) || w.rejects(p.entries[o].Content) {
			continue
		}
		if p.given(o, p.epoch) == nil {
			w.bad("%s was left out: its partition is fed through %d", p.name(o), fed.Through)
		}
	}
	p.fed = max(p.fed, fed.Through)
}

// checkReplicaFed: a replica that has applied all knows how far partitions are fed.
func (w *World) checkReplicaFed(m *member, p *part) {
	if fed, n := w.twin.Fed(p.source); m.replica.Fed(p.source) != fed || m.replica.FedEntries() != n {
		w.bad("member %d has partition %d fed as %+v, by the journal it is %+v", m.number, p.number, m.replica.Fed(p.source), fed)
	}
}

// checkHeld: the feeder bounds the verdicts that a replica holds. What it appends when the last one fits comes on top.
func (w *World) checkHeld(m *member) {
	if !w.feeds() {
		return
	}
	if held, most := m.replica.HeldVerdicts(), w.params.MostHeld-1+recordsAtOnce*w.params.Feeds; held > most {
		w.bad("member %d holds %d verdicts, more than %d", m.number, held, most)
	}
}

// checkPolled: what is fed to the end of its range is polled. Nothing else comes that would make it worth more.
func (s *session) checkPolled(of []*protocol.Assignment, r *index.Replica) {
	for _, a := range s.leads.Assigned() {
		if s.plan != nil && a.Base < a.Range.To && a.Mode.Reach(a, r) == a.Range.To && !slices.Contains(of, a) {
			s.bad("s%d has partition %d fed to the end of its range, and waits before it polls it", s.id, s.of[a].number)
		}
	}
}

// checkCrowded: a feeder that waits for room waits for a session that has something to do. Else they would wait for each
// other until the session polls because of the time, and a backfill of many ranges would go on by a poll each half second.
func (f *feeder) checkCrowded() {
	if f.member.replica.Next() < int64(len(f.journal)) {
		return
	}
	read := map[entry.Source]bool{}
	for _, s := range f.sessions {
		if s.busy() {
			return
		}
		for _, a := range s.leads.Assigned() {
			read[a.Source] = true
		}
	}
	if len(read) == len(f.plan.Ranges) {
		f.bad("f%d waits for room, and all sessions wait until they are fed more", f.id)
	}
}

// busy says that a session has something to do beside waiting until it is fed.
func (s *session) busy() bool {
	r, lead := s.member.replica, s.mode().Lead(s.intake.Records(), s.params.MostHeld)
	return s.batch != nil || len(s.bases)+len(s.leads.Unannounced()) > 0 || r.Next() < int64(len(s.journal)) ||
		slices.ContainsFunc(s.leads.Assigned(), func(a *protocol.Assignment) bool { return a.Mode.Worth(a, a.Mode.Reach(a, r), lead) })
}

// checkQueue: entries that wait for those of other ranges are bounded, those of the range that was read and all. What
// one read brings comes on top.
func (f *feeder) checkQueue(number int) {
	n, q := len(f.plan.Ranges), f.quota()
	if queued := f.merge.QueuedOf(number); queued > q.Range+f.largest {
		f.bad("f%d has %d bytes of range %d queued, more than %d", f.id, queued, number, q.Range+f.largest)
	}
	if most := min(n*(q.Range+f.largest), q.All+n*f.largest); f.merge.Queued() > most {
		f.bad("f%d has %d bytes queued, more than %d", f.id, f.merge.Queued(), most)
	}
}

// checkSkip: once the end of a range is committed the member is there, and asks no more.
func (s *session) checkSkip(a *protocol.Assignment) {
	if a.Base != a.Range.To {
		s.bad("s%d has committed the end of partition %d, %d, and goes on at %d", s.id, s.of[a].number, a.Range.To, a.Base)
	}
}

// checkTally: the metadata of a commit counts what was forwarded.
func (w *World) checkTally(t *transaction, i int) {
	if w.plan == nil {
		return
	}
	g := &t.batch.groups[i]
	p := g.part
	for k := range g.documents {
		switch v := &g.documents[k].Verdict; {
		case g.forms[k] == asUnchecked:
			p.counted.Unchecked++
		case g.forms[k] != asVerdict && g.forms[k] != asNothing:
			p.counted.Rejected++
		case v.Reemitted:
			p.counted.Reemitted++
		case v.Unique():
			p.counted.Unique++
		default:
			p.counted.Duplicate++
		}
	}
	if t.log <= p.reset {
		return
	}
	if c := protocol.NewCommitted(g.End, t.metadata[i]); c.Tally != p.counted {
		w.bad("partition %d is committed to %d with %+v, and was forwarded %+v", p.number, g.End, c.Tally, p.counted)
	}
}

// checkProgress: at its end a backfill says that it is finished, and of what.
func (w *World) checkProgress() {
	if w.plan == nil {
		return
	}
	var all protocol.Tally
	forwarded := int64(0)
	for _, p := range w.parts {
		all.Add(p.counted)
		for _, n := range p.outputs {
			forwarded += int64(n)
		}
	}
	if got := w.progress(); !got.Finished || got.Tally != all || got.Done != got.Total || all.Documents() != forwarded {
		w.bad("it ends with %+v, and forwarded %+v", got, all)
	}
}
