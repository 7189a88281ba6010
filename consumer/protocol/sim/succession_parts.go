package sim

import (
	"github.com/unecho/unecho/consumer/protocol"
)

// heirSession is a session of a group in a succession, with the process around it.
type heirSession struct {
	w      *Succession
	g      *line
	at     heirStep
	seen   int // records of the journal that its replica has applied
	until  int // records that it must have applied
	member int // its number in the group
	terms  declared
	base   int64
	follow int64 // what the followed group had committed
	a      protocol.Assignment
	txn    *heirTxn
	to     int64 // of the batch
}

type heirStep int

const (
	heirStarts heirStep = iota
	heirCatchesUp
	heirJoins
	heirTerms
	heirPasses
	heirOffsets
	heirDecides
	heirPolls
	heirJudges
	heirProduces
	heirOffers
	heirEnds
)

func (s *heirSession) dies() {
	s.at, s.txn, s.seen = heirStarts, nil, 0
	s.w.act("killed")
}

// expelled: the group has not heard of it for too long. The session does not know yet.
func (s *heirSession) expelled() {
	if s.member > 0 && s.g.members[s.member] {
		s.leaves()
		s.w.act("expelled")
	}
}

func (s *heirSession) leaves() {
	delete(s.g.members, s.member)
	if s.g.holder == s.member {
		s.g.holder = 0
	}
}

// again builds the session anew: it fences what it has left open, and joins again.
func (s *heirSession) again() {
	if s.txn != nil {
		s.w.aborts(s.txn)
	}
	s.leaves()
	s.txn, s.at = nil, heirJoins
}

// holds says that the group takes the session's offsets.
func (s *heirSession) holds() bool { return s.g.members[s.member] && s.g.holder == s.member }

func (s *heirSession) step() {
	w := s.w
	if s.at > heirStarts && s.seen < len(s.g.journal) && w.chance(1, 3) { // its follower
		s.seen++
		if d := s.g.now(s.seen).duty; s.at > heirCatchesUp && d.Kind == protocol.Retired && !w.bugs.Returns &&
			w.chance(1, 2) {
			w.act("ended by the retirement")
			s.leaves()
			s.at, s.txn = heirStarts, nil
		}
		return
	}
	switch s.at { //nolint:exhaustive // the others are of its work
	case heirStarts, heirCatchesUp, heirJoins:
		s.starts()
	case heirTerms, heirPasses, heirOffsets, heirDecides:
		s.takesOver()
	default:
		s.works()
	}
}

func (s *heirSession) starts() {
	w := s.w
	switch s.at { //nolint:exhaustive // the others are not of the start
	case heirStarts:
		if s.member > 0 && s.g.members[s.member] && !w.chance(1, 3) {
			return // the former process is still a member
		}
		s.seen, s.until, s.at = max(1, w.n(len(s.g.journal)+1)), len(s.g.journal), heirCatchesUp
	case heirCatchesUp:
		if s.seen < s.until {
			s.seen++
			return
		}
		d := s.g.now(s.seen).duty
		if d.Kind == protocol.Retired && !w.bugs.Returns {
			w.act("refused: retired")
			s.returns(d)
			s.at = heirStarts
			return
		}
		s.at = heirJoins
	case heirJoins:
		s.leaves()
		w.joins++
		s.member = w.joins
		s.g.members[s.member] = true
		if s.g.holder == 0 {
			s.g.holder = s.member
		}
		s.at = heirTerms
	}
}

// returns has the group follow the one that took over from it: the way back.
func (s *heirSession) returns(d protocol.Duty) {
	other := s.w.called(d.Other)
	is := other.now(len(other.journal)).duty
	if is.Kind != protocol.Forwards || is.Other != s.g.name || s.w.faults && !s.w.chance(1, 3) {
		return
	}
	s.g.follows = other
	s.w.act("follows in turn")
	s.w.air = append(s.w.air, late{s.g, declared{
		uint32(s.seen) + 1,
		protocol.Duty{Kind: protocol.Shadows, Other: d.Other, Ours: s.g.incarnation()},
	}})
}

func (s *heirSession) takesOver() {
	w := s.w
	switch s.at { //nolint:exhaustive // the others are not of an assignment
	case heirTerms:
		if s.g.holder != s.member {
			if s.g.holder == 0 && s.g.members[s.member] {
				s.g.holder = s.member
			} else if !s.g.members[s.member] {
				s.at = heirJoins
			}
			return
		}
		s.terms, s.until, s.at = s.g.now(s.seen), len(s.g.journal), heirPasses
	case heirPasses:
		switch {
		case s.seen < s.until:
			s.seen++
		case s.g.now(s.seen).number != s.terms.number && !w.bugs.Returns:
			w.act("outdated")
			s.again()
		default:
			s.at = heirOffsets
		}
	case heirOffsets:
		if s.g.pending != nil {
			if w.chance(1, 8) || !w.faults { // the broker ends it
				w.aborts(s.g.pending)
			}
			return
		}
		s.base, s.follow = s.g.committed, -1
		if other := w.called(s.terms.duty.Other); other != nil {
			s.follow = other.committed
		}
		s.at = heirDecides
	case heirDecides:
		s.decides()
	}
}

func (s *heirSession) decides() {
	f := protocol.Findings{End: s.w.end, Among: 1, Followed: s.follow, Terms: protocol.Terms{Duty: s.terms.duty}}
	f.Source = heirSource()
	f.Committed = protocol.Committed{Offset: s.base, Ours: true, Epoch: 1}
	if s.base >= 0 {
		f.Known, f.Replica.Epoch = true, 1
	}
	if s.w.bugs.Returns {
		f.Duty.Kind = protocol.Forwards
	}
	f.Mode = protocol.NewMode(nil).Under(&f.Duty)
	switch d := f.Decide(); d.Action {
	case protocol.Begin:
		if !s.holds() {
			s.again()
			return
		}
		s.g.committed, s.at = d.Offset, heirOffsets
	case protocol.GoOn:
		s.a, s.at = d.Assignment, heirPolls
	case protocol.Refuse, protocol.Wait, protocol.Resume:
		if d.Reason == protocol.HasRetired {
			s.again()
		}
	}
}

func (s *heirSession) works() {
	w := s.w
	switch s.at { //nolint:exhaustive // the others are not of a batch
	case heirPolls:
		s.polls()
	case heirJudges: // the entries are in the journal, and the replica has passed them
		if s.g.now(s.seen).number != s.terms.number && !w.bugs.Returns {
			w.act("judged by another duty")
			s.again()
			return
		}
		s.at = heirProduces
	case heirProduces:
		s.txn = &heirTxn{of: s.g, from: s.a.Base, to: s.to}
		for o := s.txn.from; o < s.txn.to; o++ {
			if !s.a.Mode.Silent(&s.a, o) {
				s.txn.loud = append(s.txn.loud, o)
			}
		}
		s.at = heirOffers
	case heirOffers:
		if s.txn.over || !s.holds() {
			s.again()
			return
		}
		s.txn.offer, s.g.pending, s.at = true, s.txn, heirEnds
	case heirEnds:
		if s.txn.over { // fenced
			s.again()
			return
		}
		w.commits(s.txn)
		s.a.Base, s.txn, s.at = s.to, nil, heirPolls
		w.act("committed")
	}
}

func (s *heirSession) polls() {
	w := s.w
	if s.g.now(s.seen).number != s.terms.number && s.a.Mode.Follows() || !s.g.members[s.member] {
		s.again()
		return
	}
	if other := w.called(s.terms.duty.Other); other != nil && s.a.Mode.Follows() {
		s.a.Followed = other.committed
	}
	reach := min(w.end, s.a.Mode.Reach(&s.a, nil))
	if w.bugs.Beyond {
		reach = w.end
	}
	if reach <= s.a.Base {
		return
	}
	s.to, s.at = s.a.Base+1+int64(w.n(int(reach-s.a.Base))), heirJudges
}

// heirVerb is a person's command at work.
type heirVerb struct {
	protocol.Handover
	w            *Succession
	older, newer *line
	first        *protocol.Side // what was looked at first
	newAt        int64          // the new group's offset, once read
	readNew      bool
}

func (v *heirVerb) side(g *line) protocol.Side {
	d := g.now(len(g.journal))
	s := protocol.Side{Group: g.name, Journal: g.incarnation(), Number: d.number, Duty: d.duty}
	if v.w.bugs.Stale && !v.Back {
		s.Duty.Void = 0
	}
	if v.w.bugs.Forgets {
		s.Duty.From = nil
	}
	return s
}

// step does what the handover asks for, or a part of it. It returns false when the command has ended.
func (v *heirVerb) step() bool {
	w := v.w
	switch v.Hands() {
	case protocol.HandLook:
		v.look()
	case protocol.HandDrain:
		if len(v.older.members) == 0 || w.bugs.Undrained {
			v.Drained()
		}
	case protocol.HandFence:
		if w.faults && w.chance(1, 8) { // a broker is lost
			w.act("fencing failed")
			v.Failed()
			return true
		}
		for _, s := range v.older.sessions {
			if s.txn != nil && !w.bugs.Undrained {
				w.aborts(s.txn)
			}
		}
		v.Fenced()
	case protocol.HandOffsets:
		v.offsets()
	case protocol.HandRetire, protocol.HandRestore:
		w.air = append(w.air, late{v.older, declared{v.Old.Number + 1, v.Duty()}})
		v.Appended()
	case protocol.HandActivate, protocol.HandVoid:
		w.air = append(w.air, late{v.newer, declared{v.New.Number + 1, v.Duty()}})
		v.Appended()
	case protocol.HandOver:
		w.act("over")
		return false
	case protocol.HandRefused:
		w.act("refused")
		return false
	}
	return true
}

// look looks at one journal, and then at the other one. It waits for the answer to an append first.
func (v *heirVerb) look() {
	if v.w.faults && len(v.w.air) > 0 && !v.w.chance(1, 6) {
		return
	}
	if v.first == nil {
		s := v.side(v.newer)
		v.first = &s
		return
	}
	newer := *v.first
	v.first = nil
	v.Looked(newer, v.side(v.older))
}

func (v *heirVerb) offsets() {
	if !v.readNew {
		v.newAt, v.readNew = v.newer.committed, true
		return
	}
	if p := v.older.pending; p != nil && !v.w.bugs.Undrained {
		if v.w.chance(1, 8) || !v.w.faults {
			v.w.aborts(p)
		}
		return
	}
	v.readNew = false
	old := v.older.committed
	switch {
	case v.w.bugs.Hole && old >= 0:
		old++
	case v.w.bugs.Overlap && old > 0:
		old--
	}
	v.Offsets([]protocol.Standpoint{{Source: heirSource(), End: v.w.end, Old: old, New: v.newAt}})
}
