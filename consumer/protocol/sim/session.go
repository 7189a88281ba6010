package sim

import (
	"math"
	"slices"

	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/index"
)

// session does what a session of package consumer does, one request or look at the replica a step.
type session struct {
	*World
	id      int
	slot    int
	member  *member
	alive   bool
	outside bool // of the group, as far as it knows
	gen     int  // its generation

	shares  []*share // by partition; nil: not ours
	leaving []*protocol.Assignment
	left    []*part // of leaving
	revoked bool    // since the last end of a transaction
	batch   *batch
	limit   int
}

// share is a partition that the group gave a session.
type share struct {
	part     *part
	phase    sharePhase
	barrier  int64 // the journal's end, or the reposition, to be passed
	found    protocol.Findings
	decision protocol.Decision
	ours     *appending
	settled  *protocol.Assignment
}

type sharePhase int

const (
	shareBarrier sharePhase = iota // the journal's end is read next
	sharePass                      // the replica has to pass it
	shareFetch                     // the stable offset is read next
	shareDecide
	shareAppend // the reposition is on its way
	shareApply  // the replica has to pass it; then the steps are repeated
	shareReady
)

// openSession builds a session on a slot. It fences the slot first: an open transaction is aborted, one that was decided is
// waited for.
func (w *World) openSession(m *member, slot int) *session {
	for _, t := range slices.Clone(w.open) {
		if t.slot != slot {
			continue
		}
		if t.decided {
			w.mark(t)
		}
		w.close(t)
	}
	w.sessionsMade()
	s := &session{
		World: w, id: w.steps, slot: slot, member: m, alive: true, outside: true, gen: -1, shares: make([]*share, len(w.parts)),
		limit: w.params.Poll,
	}
	w.slots[slot].latest = s
	w.sessions = append(w.sessions, s)
	w.say("s%d opens on slot %d of member %d and fences it", s.id, slot, m.number)
	return s
}

// sessionsMade drops the dead from the list.
func (w *World) sessionsMade() {
	w.sessions = slices.DeleteFunc(w.sessions, func(s *session) bool { return !s.alive })
}

// end is the death of a session.
func (s *session) end() { s.alive, s.batch = false, nil }

// rebuild closes the session and opens it again on its slot, as after every outcome that is unknown.
func (s *session) rebuild(why string) {
	s.say("s%d is rebuilt: %s", s.id, why)
	s.act("rebuilt")
	if s.chance(1, 2) {
		s.announce()
	}
	s.end()
	if s.latest() != s {
		return // fenced
	}
	n := s.openSession(s.member, s.slot)
	if s.chance(3, 4) {
		n.rejoin()
	}
}

func (s *session) latest() *session { return s.slots[s.slot].latest }

// rejoin takes the place of the same instance in the group, without a rebalance.
func (s *session) rejoin() {
	if s.slots[s.slot].joined == nil || !s.member.ready {
		return
	}
	s.slots[s.slot].joined, s.gen, s.outside = s, s.generation, false
	for _, p := range s.parts {
		if p.owner == s.slot {
			s.shares[p.number] = &share{part: p}
		}
	}
	s.say("s%d takes the place of its instance, generation %d", s.id, s.generation)
}

// isMember says whether the group takes its commits.
func (s *session) isMember() bool { return s.slots[s.slot].joined == s && s.gen == s.generation }

func (w *World) stepSession() bool {
	if len(w.sessions) == 0 {
		return false
	}
	s := w.sessions[w.n(len(w.sessions))]
	if !s.alive {
		w.sessionsMade()
		return false
	}
	return s.step()
}

func (s *session) step() bool {
	if s.latest() != s && (!s.faults || s.chance(1, 12)) {
		s.say("s%d notices that it is fenced, and ends", s.id)
		s.act("zombie")
		s.end()
		return true
	}
	if !s.outside && s.slots[s.slot].joined != s && (!s.faults || s.chance(1, 10)) {
		s.say("s%d notices that it has lost its partitions", s.id)
		s.act("lost its partitions")
		for i := range s.shares {
			s.revoke(i)
		}
		s.outside = true
		return true
	}
	strands := 1 + len(s.shares)
	from := s.n(strands)
	tries := strands
	if s.told != nil {
		tries = 1
	}
	for k := range tries {
		i := (from + k) % strands
		if i == len(s.shares) && s.stepBatch() || i < len(s.shares) && s.shares[i] != nil && s.stepShare(s.shares[i]) {
			return true
		}
	}
	return false
}

// revoke notes that a partition is no longer ours: a batch is aborted, the base is announced.
func (s *session) revoke(i int) {
	sh := s.shares[i]
	if sh == nil {
		return
	}
	if sh.settled != nil {
		s.leaving, s.left = append(s.leaving, sh.settled), append(s.left, sh.part)
	}
	s.shares[i], s.revoked = nil, true
}

// stepShare takes the next of the steps of an assignment (design 4, rules 3 and 4).
func (s *session) stepShare(sh *share) bool {
	switch sh.phase {
	case shareBarrier:
		sh.barrier, sh.phase = int64(len(s.journal)), sharePass
	case sharePass:
		if s.member.replica.Next() < sh.barrier {
			return false
		}
		s.find(sh)
		sh.phase = shareFetch
	case shareFetch:
		if s.unstable(sh.part) {
			return false
		}
		c := sh.part.committed
		sh.found.Committed = protocol.NewCommitted(c.offset, c.metadata)
		sh.found.Begin, sh.found.End = sh.part.begin, sh.part.visible
		sh.phase = shareDecide
	case shareDecide:
		s.decide(sh)
	case shareAppend:
		return s.appended(&sh.ours, func(last int64) { sh.barrier, sh.phase = last+1, shareApply })
	case shareApply:
		if s.member.replica.Next() < sh.barrier {
			return false
		}
		sh.phase = shareBarrier
	case shareReady:
		return false
	}
	return true
}

// find looks at the replica.
func (s *session) find(sh *share) {
	sh.found = protocol.Findings{
		TopicPartition: protocol.TopicPartition{Topic: "news", Partitions: int32(len(s.parts)), Source: sh.part.source}, Among: int32(len(s.parts)),
		Routed: routed(s.member.routing), AcceptLostOffsets: s.params.LoseOffsets, Moved: s.slots[s.slot].moved[sh.part.number],
	}
	sh.found.Replica, sh.found.Known = s.member.replica.Partition(sh.part.source)
}

// decide does what rule 4 says.
func (s *session) decide(sh *share) {
	d := sh.found.Decide()
	if d.Action == protocol.Wait && d.Reason != protocol.Behind {
		s.checkWait(sh, d)
		sh.found.Waited = math.MaxInt64
		d = sh.found.Decide()
	}
	sh.decision = d
	if s.tracing {
		s.say("s%d %d.p%d: committed %+v, replica %+v: action %d, reason %d", s.id, sh.part.source.Topic[0], sh.part.number, sh.found.Committed, sh.found.Replica, d.Action, d.Reason)
	}
	switch d.Action {
	case protocol.GoOn:
		a := d.Assignment
		sh.settled, sh.phase = &a, shareReady
	case protocol.Begin:
		if d.Reason == protocol.Deleted {
			s.act("begun behind what was deleted")
		}
		s.commitEpoch(sh)
	case protocol.Resume:
		s.act("reposition resumed")
		s.reposition(sh)
	case protocol.Wait:
		sh.phase = shareBarrier
	case protocol.Refuse:
		s.bad("s%d refuses partition %d for reason %d: committed %+v, replica %+v", s.id, sh.part.number, d.Reason, sh.found.Committed, sh.found.Replica)
	}
}

// commitEpoch commits the beginning of an epoch as the member the session is; a session may end before it appends it.
func (s *session) commitEpoch(sh *share) {
	sh.phase = shareBarrier
	d := sh.decision
	if !s.isMember() {
		s.act("commit of an epoch refused")
		return
	}
	s.commits++
	sh.part.committed = commit{offset: d.Offset, metadata: protocol.Metadata(d.Epoch, d.Offset), log: s.commits}
	s.slots[s.slot].moved[sh.part.number] = false
	s.say("s%d commits %d as the start of epoch %d", s.id, d.Offset, d.Epoch)
	if !s.mishap(Crash, 8) {
		s.reposition(sh)
		return
	}
	s.act("epoch left without reposition")
	if s.chance(1, 2) { // the process dies, and its append comes when it is forgotten
		s.air = append(s.air, flight{letter: letter{sh.found.Reposition(s.header(), d.Offset, d.Epoch), sh.part}, after: s.late()})
		s.members[s.member.number] = nil
		s.kill(s.member)
	}
}

func (s *session) reposition(sh *share) {
	rec := sh.found.Reposition(s.header(), sh.decision.Offset, sh.decision.Epoch)
	sh.ours, sh.phase = s.send(letter{rec, sh.part}), shareAppend
}

// appended calls then when all is answered. What failed is appended once more, whole.
func (s *session) appended(a **appending, then func(last int64)) bool {
	switch {
	case (*a).failed:
		s.act("append repeated")
		*a = s.send((*a).letters...)
		return true
	case (*a).left == 0:
		then((*a).last)
		return true
	}
	return false
}

// announce tells the journal the bases it does not know.
func (s *session) announce() bool {
	did := false
	tell := func(p *part, a *protocol.Assignment) {
		if a.Unannounced() {
			s.send(letter{a.Announcement(s.header()), p})
			a.Announced = a.Base
			s.act("announced")
			did = true
		}
	}
	for i, a := range s.leaving {
		tell(s.left[i], a)
	}
	s.leaving, s.left = nil, nil
	for _, sh := range s.shares {
		if sh != nil && sh.settled != nil {
			tell(sh.part, sh.settled)
		}
	}
	return did
}

// poll takes documents of some partitions that are settled, or announces.
func (s *session) poll() bool {
	b := &batch{}
	left, from := 1+s.n(s.limit), s.n(len(s.shares))
	for k := range s.shares {
		sh := s.shares[(from+k)%len(s.shares)]
		if sh == nil || sh.settled == nil || left == 0 {
			continue
		}
		if sh.part.begin > sh.settled.Base {
			s.rebuild("what it would read next was deleted")
			return true
		}
		if g := s.fetch(sh, left); g.end > sh.settled.Base {
			b.groups = append(b.groups, g)
			b.size += len(g.documents)
			left -= len(g.documents)
		}
		if len(b.groups) > 0 && s.chance(1, 2) {
			break
		}
	}
	if len(b.groups) == 0 {
		return s.announce()
	}
	if b.size == 0 {
		s.act("markers polled alone")
	}
	s.batch = b
	s.say("s%d polls %s", s.id, b)
	return true
}

func (s *session) fetch(sh *share, most int) group {
	g := group{part: sh.part, assignment: sh.settled, end: sh.settled.Base}
	for o := sh.settled.Base; o < sh.part.visible && len(g.documents) < most; o++ {
		if !sh.part.gap(o) || sh.part.marker(o) {
			g.end = o + 1
		}
		if sh.part.gap(o) {
			continue
		}
		e := sh.part.entries[o]
		g.documents = append(g.documents, protocol.Document{Entry: e, Rejected: s.rejects(e.Content)})
	}
	return g
}

// runs frames what has no verdict.
func (s *session) runs(b *batch) []letter {
	var letters []letter
	for i := range b.groups {
		g := &b.groups[i]
		bounds := protocol.Bounds{Entries: 1 + s.n(s.params.Entries), Bytes: math.MaxInt32}
		g.assignment.Runs(s.header(), g.seq, bounds, func(run *index.Run) {
			r := *run
			r.Entries = slices.Clone(run.Entries)
			letters = append(letters, letter{&r, g.part})
		})
	}
	return letters
}
