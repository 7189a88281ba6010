package index

import "bytes"

// Divergence is a claim about a journal offset that this replica cannot confirm.
type Divergence struct {
	Member  string // who claims it
	Accused string // whose replica that member calls wrong; empty for a checkpoint
	Offset  int64  // of the journal: the next one to apply
	Theirs  uint64
	Ours    uint64
	Known   bool // Ours is what this replica had there; else it began later, or has forgotten
}

// checkpoint compares. Of an offset that this replica does not know, because it began behind it, it says nothing.
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

// accusation compares as well. An offset that this replica does not know is a divergence, too: it may have begun with a
// snapshot of the accused.
func (r *Replica) accusation(a *Accusation) *Divergence {
	ours, known := r.marks.get(a.Offset)
	if known && uint64(ours) == a.Hash {
		return nil
	}
	return &Divergence{Member: a.Member, Accused: a.Accused, Offset: a.Offset, Theirs: a.Hash, Ours: uint64(ours), Known: known}
}

// adoptSettings takes the settings from a checkpoint where the record that declared them is trimmed.
func (r *Replica) adoptSettings(c *Checkpoint) {
	if r.settings != nil || len(c.Settings) == 0 || Fingerprint(c.Settings) != c.Fingerprint {
		return
	}
	r.settings = bytes.Clone(c.Settings)
	r.inForce = r.fingerprint == c.Fingerprint
}
