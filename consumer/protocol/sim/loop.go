package sim

import (
	"errors"
	"slices"
	"time"

	"github.com/unecho/unecho/consumer/protocol"
)

// time is the clock of a session. It stands still for a moment in one history, and for longer in another.
func (s *session) time() time.Time { return time.UnixMilli(s.now + 3_600_000*s.hours) }

// stepLoop does what the member of a session wants, as the loop of package session does, up to the next request.
func (s *session) stepLoop() (did bool) {
	j := protocol.Journal{Replica: s.member.replica, Away: s.lasts()}
	if s.chance(1, 16) {
		s.hours++
	}
	s.announceAgain()
	for polled, rested := false, false; s.alive; {
		step := s.leads.Next(s.time(), j)
		if step.Batch == nil && step.Want != protocol.WantUnjournaled || step.Rewinds {
			clear(s.read)
		}
		switch step.Want { //nolint:exhaustive // the others are of a batch: serve
		case protocol.WantRecords, protocol.WantUnjournaled:
			if did || polled {
				return did
			}
			polled = true
			if step.Want == protocol.WantRecords {
				s.checkPolled(step.Of, s.member.replica)
			}
			if s.poll(&step, j) {
				return true
			}
			continue
		case protocol.WantAnnouncements:
			s.announce(step.Of)
			if rested {
				s.act("announced early")
			}
		case protocol.WantEnds:
			s.skip(step.Of)
		case protocol.WantSigned:
			s.leads.Signed()
			continue
		case protocol.Done:
			s.rest()
			rested = true
		case protocol.WantAbort:
			if step.Batch != nil {
				s.abort(s.batch)
				return true
			}
			s.leads.Aborted(s.header()) // without a transaction this is no request
			continue
		case protocol.Rebuild:
			s.fails(&step)
			return true
		default:
			b := s.batch
			if !s.serve(b) {
				return did
			}
			if is := b.Wants(); is != protocol.Done && is != protocol.Rebuild {
				return true
			}
		}
		did = true
	}
	return did
}

// rest lets go of a batch.
func (s *session) rest() {
	if g := &s.batch.groups[0]; s.batch.recording && g.Unjournaled == g.Base-g.End {
		s.act("recorded")
	}
	s.leads.Rested()
	s.batch = nil
}

// serve does what a batch wants.
func (s *session) serve(b *batch) bool {
	if s.params.Outages && s.leads.MayBypass() && (s.away || s.mishap(6)) {
		s.journalAway(b)
		return true
	}
	switch b.Wants() { //nolint:exhaustive // the others are not of a batch, or its end
	case protocol.WantEntries, protocol.WantForgets, protocol.WantForget:
		return s.append(b)
	case protocol.WantReached, protocol.WantForgotten:
		if s.member.replica.Next() < b.Until() {
			return false
		}
		b.Reached()
	case protocol.WantTimeCheck:
		s.checkTimes(b)
	case protocol.WantOutputs:
		s.produce(b)
	case protocol.WantCommit:
		if b.txn == nil {
			s.offsets(b)
			return true
		}
		s.endTransaction(b)
	case protocol.WantOffsets:
		return s.doubt(b)
	case protocol.GiveUp:
		s.bad("s%d: the first of %s is refused in every form", s.id, b)
	}
	return true
}

// fails is the end of a session, or of its process.
func (s *session) fails(step *protocol.Step) {
	switch why := step.Why; {
	case why == nil:
		s.rebuild("the outcome is unknown")
	case errors.Is(why, protocol.ErrRouting):
		s.act("judged under another routing")
		s.endMember(s.member)
	case errors.Is(why, protocol.ErrUnreadable):
		s.bad("s%d gives up after %d appends", s.id, step.Batch.Appends())
	case errors.Is(why, protocol.ErrUnfed):
		s.bad("s%d has polled what was not fed: %v", s.id, why)
	default:
		if step.Moved != nil {
			s.slots[s.slot].moved[s.of[step.Moved].number] = true
			s.act("another document")
		}
		s.rebuild(why.Error())
	}
}

// poll takes documents of some partitions, and says whether there is something to do with them.
func (s *session) poll(step *protocol.Step, j protocol.Journal) bool {
	owed, of := step.Want == protocol.WantUnjournaled, s.polled(step)
	var groups []group
	f := protocol.Fetch{}
	left, from := 1+s.n(step.Records), s.n(len(of))
	for k := range of {
		if left == 0 {
			break
		}
		a := of[(from+k)%len(of)]
		if s.shares[s.of[a].number].assignment() != a { // the client has lost it, and has not told
			continue
		}
		g, end := s.fetched(a, owed, left, j)
		if s.plan != nil && a.Base >= a.Range.To && a.Mode.Overtaken(a, g.Begins) {
			s.bad("s%d is built anew for what it does not read, of partition %d", s.id, g.part.number)
		}
		if g.End == end && !g.Beyond {
			if !owed && a.Mode.Overtaken(a, g.Begins) {
				s.rebuild("what it would read next was deleted") // the client says so
				return true
			}
			continue
		}
		groups, f.Groups = append(groups, g), append(f.Groups, g.Group)
		f.Size, left = f.Size+len(g.documents), left-len(g.documents)
		f.Records = 1
		if !owed && s.plan == nil && s.chance(1, 2) {
			break
		}
	}
	for i := range groups {
		f.Groups[i].Documents = groups[i].seq
	}
	f.Waited = true
	if owed && len(groups) == 0 {
		s.leads.Later(s.time())
		return false
	}
	if j.Away && s.chance(1, 2) { // the outage is over since the poll began
		j.Away = false
	}
	b := s.leads.Fetched(s.time(), j, f, owed)
	if b == nil {
		return false
	}
	s.batch = &batch{Batch: b, groups: groups, recording: owed}
	s.note("s%d polls%s", s.id, s.batch)
	switch {
	case owed:
		s.note("they were passed on, and are recorded")
		s.act("recording")
	case f.Size == 0 && s.plan == nil:
		s.act("markers polled alone")
	}
	s.leads.Signed()
	return true
}

// polled lists the partitions of which something comes, in one order: in which they were given, shows nothing more.
func (s *session) polled(step *protocol.Step) []*protocol.Assignment {
	of := step.Of
	if step.Want != protocol.WantUnjournaled && s.plan != nil && s.faults && s.chance(1, 24) {
		of = s.leads.Assigned() // they were fetched before they were paused
	}
	of = slices.Clone(of)
	slices.SortFunc(of, func(a, b *protocol.Assignment) int { return s.of[a].number - s.of[b].number })
	return of
}

// fetched takes documents of a partition: what is owed, or what lies behind its base, from an offset on.
func (s *session) fetched(a *protocol.Assignment, owed bool, most int, j protocol.Journal) (g group, from int64) {
	p := s.of[a]
	if owed {
		from = max(a.Journaled(), p.begin, s.read[a])
		if g = s.fetch(p, a, from, most, a.Base); g.End >= p.last(a.Base) {
			g.End = a.Base
		}
		s.read[a] = g.End
		return g, a.Journaled()
	}
	g = s.fetch(p, a, a.Base, most, a.Mode.Reach(a, j.Replica))
	if g.Beyond {
		s.act("polled beyond the reach")
	}
	return g, a.Base
}

// skip commits the ends of ranges of which nothing is left.
func (s *session) skip(of []*protocol.Assignment) {
	var barren []*protocol.Assignment
	for _, a := range of {
		if s.of[a].empty(a.Base, a.Range.To) {
			barren = append(barren, a)
		}
	}
	if len(barren) > 0 && !s.isMember() {
		s.rebuild("the group refuses its offsets")
		return
	}
	for _, a := range barren {
		p := s.of[a]
		a.Pending = protocol.Tally{}
		s.commits++
		p.committed = commit{offset: a.Range.To, metadata: a.Mode.Metadata(a), log: s.commits}
		p.committedIn(a.Epoch, a.Range.To)
		s.act("barren")
		s.note("s%d commits the end of partition %d, below which no document is left: %d", s.id, p.number, a.Range.To)
	}
	s.leads.Skipped(s.time(), barren...)
	for _, a := range barren {
		s.checkSkip(a)
	}
}
