package sim

import (
	"slices"

	"github.com/unecho/unecho/consumer/protocol"
)

// script tells every choice of a history: those it has, and from there on the first there is, which it notes. So one
// script after another goes through all histories, as a counter goes through all numbers.
type script struct {
	picks []pick
	at    int // the next
	left  Limits
}

// pick is a choice of one among several.
type pick struct{ took, of uint8 }

func (s *script) choices() choices { return choices{told: s} }

func (s *script) next(k int) int {
	if s.at == len(s.picks) {
		s.picks = append(s.picks, pick{of: uint8(k)})
	}
	p := s.picks[s.at]
	if int(p.of) != k {
		panic("sim: a history told again is another one")
	}
	s.at++
	return int(p.took)
}

// advance goes on to the next choices after the first so many, if there are any.
func (s *script) advance(after int) bool {
	for n := len(s.picks) - 1; n >= after; n-- {
		if p := &s.picks[n]; p.took+1 < p.of {
			p.took++
			s.picks = s.picks[:n+1]
			return true
		}
	}
	s.picks = s.picks[:after]
	return false
}

// Mishap is a class of what may happen, of which a script has so many.
type Mishap int

// Mishaps. What is Free is none.
const (
	Free     Mishap = iota
	Crash           // a process dies or hangs, a transaction times out
	Network         // appends are late, lost or not answered, a produce fails, a commit is answered wrong or not at all
	Group           // it rebalances without need, or expels somebody who lives
	Person          // offsets are set, deleted or lost, the source loses its end or is created anew
	Stranger        // somebody else appends
	Capture         // a snapshot is taken, the journal perhaps trimmed
	Damage          // of a snapshot
	Claim           // a checkpoint beside those of snapshots
	Feeding         // a process feeds a backfill that was not elected
	Stray           // what nobody can read stands in the journal, in place of an append or beside all
	Outage          // a session cannot reach the journal
	classes
)

// Limits say how many of each class may happen in one history.
type Limits [classes]int

func (s *script) may(m Mishap) bool { return m == Free || s.left[m] > 0 }

// spend takes a mishap, if there is one left and it is to happen.
func (s *script) spend(m Mishap) bool {
	if s.left[m] == 0 || s.next(2) == 0 {
		return false
	}
	s.left[m]--
	return true
}

// lets lets something happen, if it can.
func (s *script) lets(w *World) bool {
	k := &w.kinds[s.next(len(w.kinds))]
	left := s.left
	if !s.may(k.class) || !k.step(w) {
		s.left = left
		return false
	}
	if k.class != Free {
		s.left[k.class]--
	}
	w.sessionsMade()
	for _, o := range w.sessions {
		o.answered()
	}
	for _, m := range w.processes {
		if m.feeder != nil {
			m.feeder.answered()
		}
	}
	return true
}

// answered goes on where an answer was waited for: nobody sees when.
func (s *session) answered() {
	has := func(a *appending) bool { return a != nil && !a.failed && a.left == 0 }
	passed := func(offset int64) bool { return s.member.replica.Next() >= offset }
	for _, sh := range s.shares {
		if sh == nil {
			continue
		}
		t := sh.takeover
		if has(sh.ours) || t.Asks() == protocol.AskApply && passed(t.Until()) || t.Asks() == protocol.AskPause {
			s.stepShare(sh)
		}
	}
	if b := s.batch; b != nil && !s.leads.Revoked() && (has(b.ours) || b.Wants() == protocol.WantReached && passed(b.Until())) {
		s.stepLoop()
	}
}

// answered goes on where an answer was waited for.
func (f *feeder) answered() {
	if f.ours != nil && !f.ours.failed && f.ours.left == 0 ||
		f.merge == nil && f.until >= 0 && f.member.replica.Next() >= f.until {
		f.step()
	}
}

// watched says that it matters how far a replica is: its sessions look at it, or the keeper. Else it applies when it
// does.
func (w *World) watched(m *member) bool {
	return !m.ready || w.params.Snapshots || m.feeder != nil || slices.ContainsFunc(w.sessions, func(s *session) bool {
		return s.member == m && (s.batch != nil || slices.ContainsFunc(s.shares, func(sh *share) bool { return sh != nil }))
	})
}

// assemble begins where all members are in the group. They have nothing yet, or in a backfill all partitions: how
// they are taken over the worlds of live groups show.
func (w *World) assemble() {
	if w.plan != nil {
		w.beginEpochs()
	}
	for _, m := range w.processes {
		for m.behind(w) {
			w.apply(m)
		}
		m.ready = true
	}
	for i := range w.slots {
		w.slots[i].joined = w.slots[i].latest
		w.slots[i].joined.outside = false
	}
	for _, s := range w.sessions {
		s.gen = w.generation
		for _, p := range w.parts {
			if p.number%len(w.slots) == s.slot {
				p.owner, s.shares[p.number] = s.slot, s.share(p)
			}
			for sh := s.shares[p.number]; w.plan != nil && sh != nil && sh.assignment() == nil; {
				s.stepShare(sh)
			}
		}
	}
}

// beginEpochs has the group begin the epochs of a backfill.
func (w *World) beginEpochs() {
	for _, p := range w.parts {
		tp := protocol.TopicPartition{Topic: "news", Partitions: int32(len(w.parts)), Source: p.source}
		w.commits++
		p.committed = commit{offset: p.within.From, metadata: protocol.Metadata(1, p.within.From), log: w.commits}
		w.land(flight{letter: letter{tp.Reposition(w.header(), p.within.From, 1), p}})
	}
}
