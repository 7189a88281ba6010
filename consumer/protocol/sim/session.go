package sim

import (
	"math"
	"slices"
	"time"

	"github.com/unecho/unecho/consumer/protocol"
)

// session does what package session does, one request or look at the replica a step.
type session struct {
	*World
	id      int
	slot    int
	member  *member
	alive   bool
	outside bool // of the group, as far as it knows
	gen     int  // its generation

	shares []*share // by partition; nil: not ours
	leads  *protocol.Member
	of     map[*protocol.Assignment]*part // all that it ever had
	batch  *batch
	read   map[*protocol.Assignment]int64      // up to where the client that records has read
	bases  map[*protocol.Assignment]*appending // of a backfill, on their way to the journal
	intake *protocol.Intake
	hours  int64 // that passed for it beside those of the world
}

// share is a partition that the group gave a session.
type share struct {
	part     *part
	takeover *protocol.Takeover
	ours     *appending    // the reposition, while it is on its way
	waited   time.Duration // for what does not pass by itself
}

// topicName is that of the source.
const topicName = "news"

// share has the session take over a partition, or returns nil for one that a backfill does not read.
func (s *session) share(p *part) *share {
	if !p.planned() {
		return nil
	}
	tp := protocol.TopicPartition{Topic: topicName, Partitions: int32(len(s.parts)), Source: p.source}
	d := s.dutyOf(s.member.routing)
	if s.bugs.Returns {
		d.Kind = protocol.Forwards
	}
	terms := protocol.Terms{
		Routed: routed(s.member.routing), Duty: d, AcceptLostOffsets: s.params.LoseOffsets, Mode: s.mode(),
	}
	return &share{part: p, takeover: protocol.NewTakeover(tp, terms, &protocol.Patience{})}
}

// assignment is the assignment of a partition that is read.
func (sh *share) assignment() *protocol.Assignment {
	if sh == nil || sh.takeover.Asks() != protocol.Taken {
		return nil
	}
	return sh.takeover.Assignment()
}

// openSession builds a session on a slot. It fences the slot first: an open transaction is aborted, one that was
// decided is waited for.
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
	w.opened++
	s := &session{
		World: w, id: w.opened, slot: slot, member: m, alive: true, outside: true, gen: -1,
		shares: make([]*share, len(w.parts)), of: map[*protocol.Assignment]*part{}, read: map[*protocol.Assignment]int64{},
		bases: map[*protocol.Assignment]*appending{}, intake: protocol.NewIntake(w.params.Poll),
	}
	s.leads = protocol.NewMember(w.mode(), s.intake, w.params.MostHeld, s.time())
	w.slots[slot].latest = s
	w.sessions = append(w.sessions, s)
	w.note("s%d opens on slot %d of member %d and fences it", s.id, slot, m.number)
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
	s.note("s%d is rebuilt: %s", s.id, why)
	s.act("rebuilt")
	if s.chance(1, 2) {
		s.announce(s.leads.Unannounced())
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
			s.shares[p.number] = s.share(p)
		}
	}
	s.note("s%d takes the place of its instance, generation %d", s.id, s.generation)
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
		s.note("s%d notices that it is fenced, and ends", s.id)
		s.act("zombie")
		s.end()
		return true
	}
	if !s.outside && s.slots[s.slot].joined != s && (!s.faults || s.chance(1, 10)) {
		s.note("s%d notices that it has lost its partitions", s.id)
		s.act("lost its partitions")
		for i := range s.shares {
			s.revoke(i)
		}
		s.outside = true
		return true
	}
	strands := 1 + len(s.shares)
	from := s.n(strands)
	for k := range strands {
		i := (from + k) % strands
		if i == len(s.shares) && s.stepLoop() || i < len(s.shares) && s.shares[i] != nil && s.stepShare(s.shares[i]) {
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
	s.shares[i] = nil
	if s.leads.Revoked() && s.chance(1, 2) { // the client tells of one loss until a transaction ends
		s.act("a loss not told")
		return
	}
	s.leads.Take(protocol.PartitionName{Topic: topicName, Partition: sh.part.source.Partition})
}

// stepShare does what a takeover asks for.
func (s *session) stepShare(sh *share) bool {
	switch t := sh.takeover; t.Asks() {
	case protocol.AskEnd:
		t.JournalEnd(int64(len(s.journal)))
	case protocol.AskReached:
		if s.member.replica.Next() < t.Until() {
			return false
		}
		t.Reached(s.member.replica, s.slots[s.slot].moved[sh.part.number])
	case protocol.AskOffset:
		return s.offset(sh)
	case protocol.AskExtent:
		s.extent(sh)
	case protocol.AskCommit:
		s.commitEpoch(sh)
	case protocol.AskReposition:
		if sh.ours == nil {
			sh.ours = s.send(letter{t.NextReposition(s.header()), sh.part})
			return true
		}
		return s.appended(&sh.ours, t.Appended)
	case protocol.AskApply:
		if s.member.replica.Next() < t.Until() {
			return false
		}
		t.Applied()
	case protocol.AskPause:
		t.Resume()
	case protocol.Taken, protocol.Leaderless, protocol.Refused, protocol.Outdated:
		return false
	}
	return true
}

// offset fetches the committed offset, which Kafka refuses while a transaction is open on it and it is to be stable.
func (s *session) offset(sh *share) bool {
	if protocol.RequireStable && s.unstable(sh.part) {
		return false
	}
	sh.takeover.Offset(sh.part.committed.read())
	return true
}

// extent tells where the partition begins and ends. What passes by itself is waited for as long as it takes; what
// does not is waited for until the session's patience is over.
func (s *session) extent(sh *share) {
	t := sh.takeover
	t.Extent(sh.part.begin, sh.part.visible, time.UnixMilli(0).Add(sh.waited))
	d := t.Decision
	if s.tracing {
		s.note("s%d takes %d.p%d over: %s", s.id, sh.part.source.Topic[0], sh.part.number, describeDecision(t))
	}
	switch {
	case d.Action == protocol.GoOn:
		s.of[t.Assignment()] = sh.part
		s.leads.Give(t.Assignment())
	case d.Action == protocol.Wait && d.Reason != protocol.Behind:
		s.checkWait(sh)
		sh.waited = math.MaxInt64 / 2
	case d.Action == protocol.Begin && d.Reason == protocol.Deleted:
		s.act("begun behind what was deleted")
	case d.Action == protocol.Resume:
		s.act("reposition resumed")
	case d.Action == protocol.Refuse && s.plan != nil:
		s.refuse(sh)
	case d.Action == protocol.Refuse:
		s.bad("s%d refuses partition %d for reason %d: committed %+v, replica %+v", s.id, sh.part.number, d.Reason,
			t.Committed, t.Replica)
	}
}

// commitEpoch commits the beginning of an epoch as the member the session is; a session may end before it appends it.
func (s *session) commitEpoch(sh *share) {
	t, d := sh.takeover, sh.takeover.Decision
	if !s.isMember() {
		s.act("commit of an epoch refused")
		t.Begun(false)
		return
	}
	s.commits++
	sh.part.committed = commit{offset: d.Offset, metadata: t.Metadata(&d), log: s.commits}
	s.slots[s.slot].moved[sh.part.number] = false
	s.note("s%d commits %d as the start of epoch %d", s.id, d.Offset, d.Epoch)
	t.Begun(true)
	if !s.mishap(8) {
		s.stepShare(sh)
		return
	}
	s.act("epoch left without reposition")
	if s.chance(1, 2) { // the process dies, and its append comes when it is forgotten
		s.post(t.NextReposition(s.header()), sh.part, s.late())
		s.members[s.member.number] = nil
		s.kill(s.member)
	}
}

// appended answers when all is in the journal. What failed is appended once more, whole.
func (s *session) appended(a **appending, answer func(last int64)) bool {
	switch {
	case (*a).failed:
		s.act("append repeated")
		*a = s.send((*a).letters...)
		return true
	case (*a).left == 0:
		last := (*a).last
		*a = nil
		answer(last)
		return true
	}
	return false
}

// announce tells the journal bases.
func (s *session) announce(of []*protocol.Assignment) {
	for _, a := range of {
		to := s.send(letter{a.Announcement(s.header()), s.of[a]})
		if s.plan != nil {
			s.bases[a] = to
		}
		s.act("announced")
	}
	s.leads.Announced(of, true)
}

// announceAgain has bases announced once more that came to nothing. A feeder of the service bears it: it waits for
// thousands of verdicts, and here for a few.
func (s *session) announceAgain() {
	for a, to := range s.bases {
		if to.failed || to.damaged {
			a.Announced = min(a.Announced, s.of[a].base)
			delete(s.bases, a)
		}
	}
}

// fetch takes documents of a partition from an offset on, below reach.
func (s *session) fetch(p *part, a *protocol.Assignment, from int64, most int, reach int64) group {
	g := group{part: p, Group: protocol.NewGroup(nil, a, from)}
	g.Begins = p.begin
	s.bring(&g, max(from, p.begin), most, reach)
	if len(g.documents) > 0 && s.faults && s.chance(1, 16) {
		s.act("records brought twice")
		s.bring(&g, max(p.begin, g.End-1-int64(s.n(4))), most, reach)
	}
	return g
}

// bring brings a group what stands from an offset on.
func (s *session) bring(g *group, from int64, most int, reach int64) {
	p := g.part
	for o := from; o < p.visible && len(g.documents) < most; o++ {
		switch {
		case p.gap(o) && !p.marker(o), g.Polled(o, reach):
		case o < reach:
			continue
		default:
			return
		}
		if p.gap(o) {
			if p.marker(o) && len(g.documents) == 0 && s.chance(1, 4) {
				return // the broker had no more room in its answer
			}
			continue
		}
		e := p.entries[o]
		g.documents = append(g.documents, protocol.Document{
			Entry: e, Rejected: s.rejects(e.Content), Unchecked: s.leaves(e.Content),
		})
	}
}
