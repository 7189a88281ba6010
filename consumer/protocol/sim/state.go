package sim

import (
	"encoding/binary"
	"hash/fnv"
	"slices"

	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/index"
)

// state names all that the rest of a history depends on. What only counts (steps, generations, positions in the offsets
// topic) is in it by what is compared, and what stands in no order by a sum or a sorted list.
type state [16]byte

// state names the state of the world, and how much may still happen.
func (w *World) state() state {
	t := &teller{World: w, sessions: slices.Clone(w.sessions), processes: slices.Clone(w.processes)}
	slices.SortStableFunc(t.sessions, func(a, b *session) int { return a.slot - b.slot })
	slices.SortStableFunc(t.processes, func(a, b *member) int { return a.number - b.number })
	for _, left := range w.told.left {
		t.num(int64(left))
	}
	t.bytes = append(t.bytes, w.history[:]...)
	t.num(w.begin, int64(len(w.snapshots)))
	for i := range w.snapshots {
		t.num(w.snapshots[i].next)
		t.flags(w.snapshots[i].damaged)
	}
	for _, p := range w.parts {
		t.part(p)
	}
	for _, m := range w.members {
		t.num(int64(slices.Index(t.processes, m)))
	}
	for _, m := range t.processes {
		t.num(int64(m.number), m.replica.Next(), m.began, int64(len(m.marked)), t.markOf(m))
		t.flags(m.ready)
		t.feeder(m)
	}
	t.group()
	for _, txn := range w.open {
		t.transaction(txn)
	}
	for _, s := range t.sessions {
		t.session(s)
	}
	t.flights()
	return sum(t.bytes)
}

func sum(b []byte) (s state) {
	h := fnv.New128a()
	h.Write(b)
	h.Sum(s[:0])
	return s
}

// remember adds a record to the history of the journal.
func (w *World) remember(f flight) {
	if w.told != nil {
		t := teller{World: w, bytes: w.history[:]}
		t.letter(f.letter)
		t.flags(f.lie)
		w.history = sum(t.bytes)
	}
}

// teller tells of a world, in bytes.
type teller struct {
	*World
	bytes     []byte
	sessions  []*session // by slot
	processes []*member  // by name
}

func (t *teller) num(of ...int64) {
	for _, n := range of {
		t.bytes = binary.AppendVarint(t.bytes, n)
	}
}

func (t *teller) flags(of ...bool) {
	for _, is := range of {
		if is {
			t.num(1)
		} else {
			t.num(0)
		}
	}
}

func (t *teller) part(p *part) {
	if p.within != nil {
		t.num(p.within.From, p.within.To, p.fed)
		for o := range p.entries {
			t.num(p.entries[o].Time)
		}
	}
	t.num(int64(p.source.Topic[0]), p.begin, p.visible, int64(p.owner), p.committed.offset, int64(p.asked))
	t.bytes = append(append(t.bytes, p.committed.metadata...), 0)
	t.flags(p.set, p.torn)
	for o := range p.entries {
		t.num(int64(p.entries[o].Content), int64(p.need[o]), int64(p.allow[o]), int64(p.outputs[o]), int64(p.uniques[o]))
		t.flags(p.skipped[o], p.passed[o] > 0, p.untold[o])
	}
	t.num(int64(len(p.most)))
	t.num(p.most...)
}

// group tells who is in it.
func (t *teller) group() {
	for i := range t.slots {
		at := &t.slots[i]
		t.num(t.who(at.joined), t.who(at.latest))
		t.flags(at.moved...)
	}
	t.num(int64(len(t.sessions)), int64(len(t.open)))
}

// feeder tells of a process that feeds, or has.
func (t *teller) feeder(m *member) {
	f := m.feeder
	if t.flags(m.fed, f != nil); f == nil {
		return
	}
	t.num(f.until, int64(f.before), int64(f.untaken))
	if t.flags(f.merge != nil, f.sending, f.ours != nil); f.merge == nil {
		return
	}
	t.num(int64(f.merge.First()), int64(len(f.letters)))
	for i := range f.plan.Ranges {
		t.num(f.merge.Position(i))
	}
	for _, l := range f.letters {
		t.letter(l)
	}
	if f.ours != nil {
		t.appending(f.ours)
	}
	t.num(f.through...)
	last, pending := f.ledger.Next()
	t.num(last, int64(pending))
	for _, of := range f.pending {
		t.num(int64(len(of)))
		for _, l := range of {
			t.letter(l)
		}
	}
}

// who is the number of a session: -1 for the dead, -2 for none.
func (t *teller) who(s *session) int64 {
	if s == nil {
		return -2
	}
	return int64(slices.Index(t.sessions, s))
}

func (t *teller) transaction(txn *transaction) {
	t.num(int64(txn.slot), int64(len(txn.batch.groups)))
	t.flags(txn.decided)
	for i := range txn.batch.groups {
		g := &txn.batch.groups[i]
		t.flags(txn.log > g.part.reset, txn.log > g.part.committed.log)
		t.documents(g)
		t.bytes = append(append(t.bytes, txn.metadata[i]...), 0)
	}
}

func (t *teller) session(s *session) {
	t.num(int64(s.slot), int64(slices.Index(t.processes, s.member)), int64(s.intake.Records()))
	t.flags(s.outside, s.gen == t.generation, s.leads.Revoked() && s.batch != nil, s.batch != nil)
	for _, sh := range s.shares {
		t.flags(sh != nil)
		if sh != nil {
			t.share(sh)
		}
	}
	for _, a := range s.leads.Unannounced() {
		t.num(int64(s.of[a].source.Topic[0]), int64(s.of[a].number))
		t.assignment(a)
	}
	if s.batch != nil {
		t.batch(s.batch)
	}
}

func (t *teller) share(sh *share) {
	of := sh.takeover
	asks := of.Asks()
	t.num(int64(asks))
	switch asks {
	case protocol.AskReached, protocol.AskApply:
		t.num(of.Until())
	case protocol.AskOffset, protocol.AskExtent, protocol.AskCommit:
		f := &of.Findings
		t.num(int64(f.Replica.Epoch), f.Replica.Start, f.Replica.Base)
		t.flags(f.Known, f.Moved)
		if asks != protocol.AskOffset {
			t.num(f.Committed.Offset, int64(f.Committed.Epoch), f.Committed.Start, f.Begin, f.End)
			t.flags(f.Committed.Ours)
		}
	case protocol.AskReposition:
		t.num(of.Decision.Offset, int64(of.Decision.Epoch))
		if t.flags(sh.ours != nil); sh.ours != nil {
			t.appending(sh.ours)
		}
	case protocol.Taken:
		t.assignment(of.Assignment())
	case protocol.AskEnd, protocol.AskPause, protocol.Leaderless, protocol.Refused, protocol.Outdated: // nothing is read yet
	}
}

func (t *teller) assignment(a *protocol.Assignment) {
	t.num(int64(a.Epoch), a.Start, a.Base, a.Unjournaled, a.Announced)
	t.flags(a.Bypasses)
	t.num(a.Tally.Unique, a.Tally.Reemitted, a.Tally.Duplicate, a.Tally.Rejected, a.Tally.Unchecked)
	for o := range int64(t.params.Documents) {
		t.num(int64(a.Level(o)))
		t.flags(a.Retimed(o))
	}
}

func (t *teller) batch(b *batch) {
	t.num(int64(b.Wants()), int64(len(b.groups)), int64(b.Appends()), int64(slices.Index(t.open, b.txn)))
	t.flags(b.damaged)
	for i := range b.groups {
		t.assignment(b.groups[i].Assignment)
		t.documents(&b.groups[i])
	}
	switch b.Wants() { //nolint:exhaustive // what there is else, is in the documents and the transaction
	case protocol.WantReached, protocol.WantForgotten:
		t.num(b.Until())
	case protocol.WantEntries, protocol.WantForgets, protocol.WantForget:
		if t.flags(b.ours != nil); b.ours != nil {
			t.appending(b.ours)
		}
	}
}

func (t *teller) documents(g *group) {
	t.num(int64(g.part.source.Topic[0]), int64(g.part.number), int64(g.Epoch), g.Start, g.End, int64(len(g.documents)),
		int64(len(g.forms)))
	for i := range g.documents {
		d := &g.documents[i]
		t.num(d.Entry.Offset, int64(d.Entry.Content))
		t.flags(d.Judged, d.Bypassed, d.Verdict.Forgotten)
		t.num(d.Verdict.Position.Offset, int64(d.Verdict.Position.Entry), d.Verdict.Match.Position.Offset,
			int64(d.Verdict.Match.Position.Entry))
	}
	for _, f := range g.forms {
		t.num(int64(f))
	}
}

func (t *teller) appending(a *appending) {
	t.num(int64(a.left), a.last, int64(len(a.letters)))
	t.flags(a.failed)
	for _, l := range a.letters {
		t.letter(l)
	}
}

// flights are in no order.
func (t *teller) flights() {
	each := make([]state, len(t.air))
	for i := range t.air {
		f := &t.air[i]
		one := teller{World: t.World, sessions: t.sessions, processes: t.processes}
		one.num(one.who(f.from), one.role(f), one.fedBy(f), int64(f.number))
		one.flags(f.lie, f.to != nil)
		one.letter(f.letter)
		each[i] = sum(one.bytes)
	}
	slices.SortFunc(each, func(a, b state) int { return slices.Compare(a[:], b[:]) })
	for i := range each {
		t.bytes = append(t.bytes, each[i][:]...)
	}
}

// role is who in its session waits for a flight: -1 is nobody.
func (t *teller) role(f *flight) int64 {
	if f.from == nil || !f.from.alive {
		return -1
	}
	if b := f.from.batch; b != nil && b.ours == f.to {
		return 0
	}
	for i, sh := range f.from.shares {
		if sh != nil && sh.ours == f.to {
			return int64(1 + i)
		}
	}
	return -1
}

// fedBy is the process whose feeder waits for a flight: -1 is nobody.
func (t *teller) fedBy(f *flight) int64 {
	return int64(slices.IndexFunc(t.processes,
		func(m *member) bool { return m.feeder != nil && m.feeder.ours == f.to && f.to != nil }))
}

func (t *teller) letter(l letter) {
	if l.part != nil {
		t.num(int64(l.part.source.Topic[0]), int64(l.part.number))
	}
	switch r := l.record.(type) {
	case *index.Settings:
		t.num(1)
	case *index.Run:
		t.num(2, int64(r.Fingerprint-t.ours), int64(r.Epoch), r.Base, int64(len(r.Entries)))
		for i := range r.Entries {
			t.num(r.Entries[i].Offset, int64(r.Entries[i].Content))
		}
	case *index.Reposition:
		t.num(3, int64(r.Fingerprint-t.ours), int64(r.Epoch), r.Offset)
	case *index.Forget:
		t.num(4, int64(r.Fingerprint-t.ours), r.Target.Offset, int64(r.Target.Entry))
	case *index.Checkpoint:
		t.num(5, int64(r.Hash), r.Offset)
		t.bytes = append(t.bytes, r.Member...)
	case *index.Mark:
		t.num(6, t.marker(r))
	case *index.Feed:
		t.num(8, int64(r.Fingerprint-t.ours), int64(r.First), int64(len(r.Entries)))
		for i := range r.Entries {
			t.num(int64(r.Entries[i].Part), r.Entries[i].Offset, int64(r.Entries[i].Content))
		}
		for i := range r.Parts {
			t.num(int64(r.Parts[i].Source.Partition), r.Parts[i].From, r.Parts[i].Through)
		}
	case *index.Fill:
		t.num(9, int64(r.Fingerprint-t.ours), int64(r.Number), int64(r.First), int64(len(r.Entries)))
	case *index.SettingsChange:
		t.num(10, int64(r.Fingerprint-t.ours), int64(r.Number))
		t.bytes = append(append(t.bytes, r.Text...), 0)
	case *index.Erase:
		t.num(11, int64(r.Fingerprint-t.ours), int64(len(r.Targets)))
		for _, target := range r.Targets {
			t.num(target.Offset, int64(target.Entry))
		}
	case nil:
		t.num(7)
	}
}

// markOf is where the mark stands that a member waits for: -1 on its way, -2 if there is none.
func (t *teller) markOf(m *member) int64 {
	if m.marking == 0 {
		return -2
	}
	for i := range t.journal {
		if mark, ok := t.journal[i].record.(*index.Mark); ok && mark.Number == m.marking {
			return int64(i)
		}
	}
	return -1
}

// marker is who waits for a mark: -1 is nobody.
func (t *teller) marker(mark *index.Mark) int64 {
	for _, m := range t.World.processes {
		if m.marking == mark.Number {
			return int64(m.number)
		}
	}
	return -1
}
