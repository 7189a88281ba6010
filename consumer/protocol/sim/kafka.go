package sim

import (
	"errors"
	"slices"

	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/index/entry"
)

// transaction is one whose offsets are sent: open, decided, or closed with its markers written.
type transaction struct {
	slot     int
	batch    *batch
	log      int64 // where its offsets stand
	routing  string
	offsets  []int64  // by group
	metadata []string // of the offsets
	decided  bool
	closed   bool
}

var errLost = errors.New("no answer")

// unstable says that a transaction is open on the offset of a partition, or its markers are on their way.
func (w *World) unstable(p *part) bool {
	return slices.ContainsFunc(w.open, func(t *transaction) bool { return t.has(p) })
}

func (t *transaction) has(p *part) bool {
	return slices.ContainsFunc(t.batch.groups, func(g group) bool { return g.part == p })
}

// offsets is TxnOffsetCommit, which the group refuses to who is no member of its generation.
func (s *session) offsets(b *batch) {
	if !s.isMember() {
		s.act("offsets refused")
		s.rebuild("the group refuses its offsets")
		return
	}
	s.commits++
	b.txn = &transaction{slot: s.slot, batch: b, log: s.commits, routing: s.member.routing}
	for i := range b.groups {
		offset, metadata, ours := s.leads.Commit(b.groups[i].Name())
		if !ours { // it is aborted before; that a commit looks again is not relied on here
			offset, metadata = b.groups[i].End, b.groups[i].Mode.Metadata(b.groups[i].Assignment)
		}
		b.txn.offsets, b.txn.metadata = append(b.txn.offsets, offset), append(b.txn.metadata, metadata)
	}
	s.open = append(s.open, b.txn)
	s.note("s%d sends the offsets of%s", s.id, b)
}

// endTransaction is EndTxn. It may take effect or not, and be answered with yes, no, an error, or not at all.
func (s *session) endTransaction(b *batch) {
	t := b.txn
	if s.latest() != s || t.closed {
		s.rebuild("the transaction is not its own any more")
		return
	}
	committed, err := true, error(nil)
	effect := true
	if s.mishap(6) {
		switch s.n(4) {
		case 0:
			effect, err = false, errLost
		case 1:
			err = errLost
		case 2:
			effect, committed = false, false
			s.close(t)
		default:
			committed = false
		}
	}
	if effect {
		s.decideTransaction(t)
		if s.chance(1, 2) {
			s.mark(t)
			s.close(t)
		}
	}
	s.note("s%d ends its transaction: took effect %v, answered %v, %v", s.id, effect, committed, err)
	switch b.Ended(committed, err); b.Wants() { //nolint:exhaustive // there is no other outcome
	case protocol.Rebuild:
		s.act("outcome unknown")
	case protocol.WantOffsets:
		s.act("outcome undecided")
	case protocol.Done:
		s.intake.Grow()
		s.act("committed")
	}
}

// doubt compares the stable offsets with where the batch began.
func (s *session) doubt(b *batch) bool {
	for i := range b.groups {
		if protocol.RequireStable && s.unstable(b.groups[i].part) {
			if s.chance(1, 4) {
				s.rebuild("the markers take too long")
				return true
			}
			return false
		}
	}
	why := b.Offsets(func(of entry.Source) protocol.Committed {
		i := slices.IndexFunc(b.groups, func(g group) bool { return g.part.source == of })
		return b.groups[i].part.committed.read()
	})
	s.note("s%d: the refused commit took effect: %v", s.id, why)
	return true
}

// decideTransaction makes the outputs of a transaction visible.
func (w *World) decideTransaction(t *transaction) {
	t.decided = true
	for i := range t.batch.groups {
		w.checkForwarded(t, &t.batch.groups[i])
		w.checkRouting(t, &t.batch.groups[i])
		w.checkTally(t, i)
	}
}

// mark writes the markers: the offsets count, unless later ones do.
func (w *World) mark(t *transaction) {
	for i := range t.batch.groups {
		g := &t.batch.groups[i]
		if c := &g.part.committed; c.log < t.log {
			*c = commit{offset: t.offsets[i], metadata: t.metadata[i], log: t.log}
		}
	}
}

func (w *World) close(t *transaction) {
	t.closed = true
	w.open = slices.DeleteFunc(w.open, func(o *transaction) bool { return o == t })
}

// stepTransaction writes markers, or times a transaction out.
func (w *World) stepTransaction() bool {
	if len(w.open) == 0 {
		return false
	}
	t := w.open[w.n(len(w.open))]
	switch {
	case t.decided:
		w.mark(t)
	case !w.faults && w.chance(1, 4), w.mishap(4):
		w.act("transaction timed out")
		w.note("a transaction of slot %d times out", t.slot)
	default:
		return false
	}
	w.close(t)
	return true
}

// stepSource makes documents visible.
func (w *World) stepSource() bool {
	p := w.parts[w.n(len(w.parts))]
	left := int64(len(p.entries)) - p.visible
	if left == 0 || w.heir != nil {
		return false
	}
	p.visible += 1 + int64(w.n(int(min(3, left))))
	return true
}

// stepRebalance lets sessions in, those that died out, and deals the partitions.
func (w *World) stepRebalance() bool {
	if !w.mayRebalance() {
		return false
	}
	for i := range w.slots {
		w.expel(&w.slots[i])
	}
	for _, s := range w.sessions {
		if s.mayJoin() && (!w.faults || w.chance(2, 3)) {
			w.slots[s.slot].joined, s.outside, s.shares = s, false, make([]*share, len(w.parts))
		}
	}
	w.generation++
	w.deal()
	for i := range w.slots {
		s := w.slots[i].joined
		if s == nil || !s.alive {
			continue
		}
		s.gen = w.generation
		for _, p := range w.parts {
			switch mine := p.owner == i; {
			case !mine:
				s.revoke(p.number)
			case mine && s.shares[p.number] == nil:
				s.shares[p.number] = s.share(p)
			}
		}
	}
	w.act("rebalance")
	return true
}

// mayRebalance: while there are faults the group rebalances for no reason as well.
func (w *World) mayRebalance() bool {
	if w.faults {
		return w.groupEmpty() || w.chance(1, 3)
	}
	return w.unbalanced()
}

// expel drops the dead from the group, and sometimes one that lives: it doesn't know.
func (w *World) expel(at *slot) {
	switch s := at.joined; {
	case s == nil:
	case !s.alive && (!w.faults || w.chance(2, 3)):
		at.joined = nil
	case s.alive && w.mishap(5):
		at.joined = nil
		w.note("s%d is expelled, and doesn't know", s.id)
		w.act("expelled")
	}
}

func (s *session) mayJoin() bool {
	return s.alive && s.outside && s.latest() == s && s.slots[s.slot].joined == nil && s.member.ready
}

// deal gives partitions to slots; some stay where they are.
func (w *World) deal() {
	var in []int
	for i := range w.slots {
		if w.slots[i].joined != nil {
			in = append(in, i)
		}
	}
	for _, p := range w.parts {
		switch {
		case len(in) == 0:
			p.owner = -1
		case p.owner < 0 || w.slots[p.owner].joined == nil || len(in) > 1 && w.chance(1, 2):
			p.owner = in[w.n(len(in))]
		}
	}
	if w.tracing {
		owners := make([]int, len(w.parts))
		for i, p := range w.parts {
			owners[i] = p.owner
		}
		w.note("rebalance: generation %d, slots %v own the partitions", w.generation, owners)
	}
}

// unbalanced says that a rebalance would change something for the better.
func (w *World) unbalanced() bool {
	for i := range w.slots {
		if s := w.slots[i].joined; s != nil && !s.alive {
			return true
		}
	}
	for _, p := range w.parts {
		if p.owner < 0 || w.slots[p.owner].joined == nil {
			return true
		}
	}
	return slices.ContainsFunc(w.sessions, (*session).mayJoin)
}

func (w *World) groupEmpty() bool {
	return !slices.ContainsFunc(w.slots, func(at slot) bool { return at.joined != nil })
}

// stepRejoin lets a session take the place of its instance, any of those that may.
func (w *World) stepRejoin() bool {
	var may []*session
	for i := range w.slots {
		at := &w.slots[i]
		if s := at.latest; s != nil && s.alive && s.outside && at.joined != nil && at.joined != s && s.member.ready {
			may = append(may, s)
		}
	}
	if len(may) == 0 {
		return false
	}
	may[w.n(len(may))].rejoin()
	return true
}
