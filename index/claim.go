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

// checkpoint compares the claimed hash with this replica's. It returns nil for an offset that this replica does not
// know because it began later.
func (r *Replica) checkpoint(c *Checkpoint) *Divergence {
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

// accusation compares in the same way, but an unknown offset is a divergence too: this replica may have begun with a
// snapshot of the accused.
func (r *Replica) accusation(a *Accusation) *Divergence {
	ours, known := r.marks.get(a.Offset)
	if known && uint64(ours) == a.Hash {
		return nil
	}
	return &Divergence{
		Member: a.Member, Accused: a.Accused, Offset: a.Offset, Theirs: a.Hash, Ours: uint64(ours),
		Known: known,
	}
}

// adoptSettings takes the settings from a checkpoint if the record that declared them was trimmed.
func (r *Replica) adoptSettings(c *Checkpoint) {
	if r.settings != nil || len(c.Settings) == 0 || Fingerprint(c.Settings) != c.Fingerprint {
		return
	}
	if r.settle(c.Settings); r.inForce {
		r.adoptBounds(c)
	}
}
