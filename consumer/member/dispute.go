package member

import (
	"context"
	"fmt"
	"math"

	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/index"
)

// Dispute is a claim that this replica cannot confirm (design 4, rule 10), and the place of the claim in the journal.
// To settle it, a replica is restored from before the disputed offset and comes to the claim again.
type Dispute struct {
	index.Divergence
	at int64 // journal offset of the claim
}

// DisputedError ends a follower: its replica is not to be trusted until the dispute is settled.
type DisputedError struct{ Dispute }

// Error says who differs from whom.
func (e *DisputedError) Error() string {
	if !e.Known {
		return fmt.Sprintf("this replica does not know what %s says of journal offset %d (hash %016x there)", e.Member,
			e.Offset, e.Theirs)
	}
	return fmt.Sprintf("this replica differs from that of %s at journal offset %d (hash %016x here, %016x there)",
		e.Member, e.Offset, e.Ours, e.Theirs)
}

// disputes is what a follower makes of claims. Only the follower's goroutine changes it. Others read the outcome once
// the replica has passed the claim.
type disputes struct {
	member string
	began  int64            // the journal offset at which this replica began: what lies below was restored, not replayed
	open   *Dispute         // for which this replica was restored, until it has come to it again
	guilty map[string]int64 // whom this member accuses: claims about offsets up to this one count for nothing
	charge *index.Accusation
	wrong  *Dispute // this replica's predecessor was wrong
}

// claim takes a record, and the claim in it that the replica could not confirm, if there is one.
func (d *disputes) claim(at int64, rec index.Record, c *index.Divergence) error {
	if a, ok := rec.(*index.Accusation); ok && a.Member == d.member {
		d.guilty[a.Accused] = at
	}
	switch {
	case d.open != nil && at == d.open.at:
		return d.settle(c)
	case c == nil, c.Accused == "" && c.Offset <= d.guilty[c.Member]:
		return nil
	case !c.Known && c.Offset > d.began: // so long ago that the hash is forgotten
		return nil
	case c.Known && c.Offset > d.began && c.Accused == d.member:
		return d.accused(c)
	case d.open != nil: // one at a time: what is behind the open one may come of it, and what is not comes again
		return nil
	}
	return &DisputedError{Dispute{*c, at}}
}

// settle decides a dispute, when a replica of this member comes to the claim for the second time.
func (d *disputes) settle(c *index.Divergence) error {
	before := d.open
	d.open = nil
	switch {
	case c == nil:
		d.wrong = before
		return nil
	case c.Known && c.Accused == d.member:
		return d.accused(c)
	case c.Known && before.Known && c.Ours == before.Ours:
		d.charge = &index.Accusation{Member: d.member, Accused: c.Member, Offset: c.Offset, Hash: c.Ours}
		d.guilty[c.Member] = math.MaxInt64 // until the journal has the accusation
		return nil
	case c.Known && !before.Known: // the first that was replayed here: it must come to this again
		return &DisputedError{Dispute{*c, before.at}}
	}
	return errUnsettled(c)
}

func errUnsettled(c *index.Divergence) error {
	return &stop.Error{
		What: fmt.Sprintf("this replica differs from that of %s, and not always in the same way, at journal offset %d "+
			"(hash %016x here, %016x there)",
			c.Member, c.Offset, c.Ours, c.Theirs),
		Remedy: "suspect this machine's memory or this program's version: run the member elsewhere, with the version that " +
			"the others run",
	}
}

func (d *disputes) accused(c *index.Divergence) error {
	return &stop.Error{
		What: fmt.Sprintf("%s accuses this member: its replica, restored and replayed, came again to another state at "+
			"journal offset %d (hash %016x here, %016x there)",
			c.Member, c.Offset, c.Ours, c.Theirs),
		Remedy: "this member stops; when it starts again it restores from before that offset and replays. If it stops here " +
			"again, compare " +
			"the versions of both members, and suspect this machine's memory",
	}
}

// SettleDispute logs how a dispute ended, once the replica has caught up, and accuses the other member if this
// replica was right. It returns true if it has accused: then the newest snapshot may be the accused's.
func (f *Follower) SettleDispute(ctx context.Context) (accused bool, err error) {
	var charge *index.Accusation
	var wrong *Dispute
	f.Look(func(*index.Replica) {
		charge, wrong = f.disputes.charge, f.disputes.wrong
		f.disputes.charge, f.disputes.wrong = nil, nil
	})
	if wrong != nil {
		f.Logger.Error().Str("other", wrong.Member).Int64("journal_offset", wrong.Offset).
			Msg("this member's replica was wrong: restored and replayed, it agrees with the other; verdicts since its last " +
				"checkpoint may be wrong")
	}
	if charge == nil {
		return false, nil
	}
	if err := f.accuse(ctx, charge); err != nil {
		return false, err
	}
	f.Counters.Accusations.Add(1)
	f.Logger.Error().Str("accused", charge.Accused).Int64("journal_offset", charge.Offset).
		Msg("another member's replica is wrong: this one, restored and replayed, came to its own state again; the other stops")
	return true, nil
}

// accuse appends the charge, again if need be, until the replica has read it.
func (f *Follower) accuse(ctx context.Context, charge *index.Accusation) error {
	for times, open := 0, true; open; times++ {
		if err := f.Log.BeforeRepeat(ctx, times); err != nil {
			return err
		}
		charge.Header = f.Log.Header()
		last, err := f.Log.Put(ctx, journal.Append(nil, charge))
		if err == nil {
			err = f.Wait(ctx, last)
		}
		if err != nil {
			return err
		}
		f.Look(func(*index.Replica) { open = f.disputes.guilty[charge.Accused] == math.MaxInt64 })
	}
	return nil
}

func errUndecidable(offset, start int64) error {
	return &stop.Error{
		What: fmt.Sprintf("replicas differ at journal offset %d, and neither a snapshot nor the journal, which begins at "+
			"%d, reaches before it", offset, start),
		Remedy: "this member cannot find out which replica is right. If others differ from it as well, delete its " +
			"snapshots and give it " +
			"theirs; if it alone is right, stop them",
	}
}
