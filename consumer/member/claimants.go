package member

import (
	"fmt"

	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/index"
)

// claimants tell which groups take the journal for their own, as far as a follower has read it.
type claimants struct {
	own      bool                // a member of this group has written there
	stranger *journal.StrayError // the first sign of another group, if there is one
	first    bool                // and it came before any of this group's
	before   bool                // the first sign stands before the snapshot that the replica began with
	framed   bool                // something was a journal record once
	other    bool                // something never was
}

func (c *claimants) read(before bool, rec index.Record) {
	if journal.Sign(rec) {
		c.before = c.before || before
		c.own = true
	}
}

func (c *claimants) skipped(before bool, why *journal.StrayError) {
	switch why.Reason {
	case journal.Damaged, journal.Malformed:
		c.framed = true
	case journal.Unframed, journal.Marker:
		c.other = true
	case journal.Foreign:
	}
	if why.Sign && c.stranger == nil {
		c.before = c.before || before
		c.stranger, c.first = why, !c.own
	}
}

// strange says that the journal is another group's. The first sign decides: the settings with which a journal begins,
// or the mark right before a snapshot, which the snapshot's group has written. If somebody has deleted that, any sign
// of this group is enough.
func (c *claimants) strange(began int64) bool {
	if began == 0 || c.before {
		return c.stranger != nil && c.first
	}
	return c.stranger != nil && !c.own
}

// belongs refuses a topic that is another group's journal, or no journal at all. It runs before this member appends
// anything.
func (f *Follower) belongs() error {
	if f.admitted {
		return nil
	}
	var c claimants
	var began int64
	var inForce []byte
	f.Look(func(r *index.Replica) { c, began, inForce = f.claimants, f.disputes.began, r.Settings() })
	switch {
	case c.strange(began):
		return &stop.Error{
			What:   fmt.Sprintf("journal %s belongs to another consumer group than %s", f.Log.Topic, f.Group),
			Err:    c.stranger,
			Remedy: "correct group; where no group uses that topic any more, delete it",
		}
	case inForce == nil && c.other && !c.framed && began == 0:
		return &stop.Error{
			What:   fmt.Sprintf("topic %s holds records, and none is of a journal", f.Log.Topic),
			Remedy: "correct group; if it is right, delete the topic: no group has begun its journal there",
		}
	}
	f.admitted = inForce != nil
	return nil
}
