package index

// Divergence is another member's claim about the hash at a journal offset that this replica cannot confirm.
type Divergence struct {
	Member  string // the member that made the claim
	Accused string // the member whose replica is called wrong; empty for a checkpoint
	Offset  int64  // journal offset that was to be applied next when the hash was taken
	Theirs  uint64
	Ours    uint64
	Known   bool // Ours is this replica's hash at Offset; false if this replica began later, or no longer knows
}

func (*Mark) aboutReplicas() bool { return true }

func (m *Mark) apply(r *Replica, at Stamp) Effect {
	r.clocks.appended(at.LogAppendTime, m.Wall)
	return Effect{Applied: true}
}

func (*Checkpoint) aboutReplicas() bool { return true }

func (c *Checkpoint) note(r *Replica) {
	r.adoptSettings(c)
	if r.inForce {
		r.routing.adopt(c, r.fingerprint)
	}
}

func (c *Checkpoint) apply(r *Replica, at Stamp) Effect {
	r.clocks.appended(at.LogAppendTime, c.Wall)
	return Effect{Applied: true, Disputed: c.dispute(r)}
}

// dispute compares the claimed hash with this replica's. It returns nil for an offset that this replica does not
// know because it began later.
func (c *Checkpoint) dispute(r *Replica) *Divergence {
	ours, known := r.marks.get(c.Offset)
	if !known {
		return nil
	}
	if uint64(ours) == c.Hash {
		r.confirmed = max(r.confirmed, c.Offset)
		return nil
	}
	return &Divergence{Member: c.Member, Offset: c.Offset, Theirs: c.Hash, Ours: uint64(ours), Known: true}
}

func (a *Accusation) apply(r *Replica, at Stamp) Effect {
	r.clocks.appended(at.LogAppendTime, a.Wall)
	return Effect{Applied: true, Disputed: a.dispute(r)}
}

// dispute compares in the same way, but an unknown offset is a divergence too: this replica may have begun with a
// snapshot of the accused.
func (a *Accusation) dispute(r *Replica) *Divergence {
	ours, known := r.marks.get(a.Offset)
	if known && uint64(ours) == a.Hash {
		return nil
	}
	return &Divergence{
		Member: a.Member, Accused: a.Accused, Offset: a.Offset, Theirs: a.Hash, Ours: uint64(ours),
		Known: known,
	}
}
