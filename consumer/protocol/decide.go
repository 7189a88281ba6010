package protocol

import (
	"time"

	"github.com/unecho/unecho/index"
)

// How long the steps of an assignment wait for what passes by itself: a replica behind, markers on their way, a
// leader that has just begun. A partition that is not settled then needs a person.
const (
	BehindPatience = 45 * time.Second
	BelowPatience  = 3 * time.Second
	BeyondPatience = 10 * time.Second
)

// Findings are what the steps of an assignment have read of one partition, in this order: the replica once it has
// passed the journal's end, then the stable committed offset, then the extent of the source.
type Findings struct {
	TopicPartition
	Known     bool            // the replica has heard of the partition
	Replica   index.Partition // zero if it has not
	Committed Committed
	Begin     int64         // of the partition in the source
	End       int64         // of the partition in the source
	Among     int32         // partitions of the topic when the journal first heard of it; now, if it never did
	Moved     bool          // the source has another document at an offset than was judged
	Waited    time.Duration // since Decide first answered Wait
	Terms
}

// Action is what a session does with a partition.
type Action int

// Actions.
const (
	GoOn   Action = iota // read from the committed offset: Assignment is settled
	Begin                // commit Offset with Epoch, and then do as for Resume
	Resume               // append the reposition to Offset and Epoch, wait until it is applied, repeat the steps
	Wait                 // repeat the steps a little later
	Refuse               // stop: a person is needed
)

// Reason is why.
type Reason int

// Reasons.
const (
	InStep     Reason = iota // commit and replica agree
	New                      // nobody knows the partition
	NoOffset                 // the journal knows the partition, and no offset is committed
	Beyond                   // the source does not reach the committed offset
	Unfinished               // an epoch was committed, and nothing was forwarded in it: its reposition may be missing
	Behind                   // the replica is behind the committed epoch, or the journal is another one, or lost records
	Gap                      // the same, and the gap is accepted
	Foreign                  // the offset was set by someone else, or the document there is another one
	Below                    // the committed offset is below base: markers are on their way, or offsets were lost
	Deleted                  // the source begins behind the committed offset: nobody will read what was there
	Unreadable               // no member can read the repositions that this one appends
	HasRetired               // another group takes over
)

// Decision is what to do, and why.
type Decision struct {
	Action     Action
	Reason     Reason
	Offset     int64
	Epoch      uint32
	Assignment Assignment // where Action is GoOn
}

// Decide carries out rule 4 of the design's section 4: the commit decides, the journal follows.
func (f *Findings) Decide() Decision {
	return f.Mode.Adjust(f, f.decide())
}

// Metadata is that of the commit with which an epoch begins. It says whether no document of the partition was ever
// committed in this group.
func (f *Findings) Metadata(d *Decision) string {
	return marked(Metadata(d.Epoch, d.Offset), f.Committed.New || f.Committed.Offset < 0 && !f.Known)
}

func (f *Findings) decide() Decision {
	c, p := f.Committed, f.Replica
	switch {
	case f.Duty.Kind == Retired:
		return Decision{Action: Refuse, Reason: HasRetired}
	case c.Offset < 0 && f.Known:
		return f.begin(NoOffset, p.Base, p.Epoch+1)
	case c.Offset < 0:
		return f.begin(New, f.Mode.First(f), 1)
	case !f.Known && f.earlier():
		return f.begin(New, f.Mode.First(f), 1)
	case c.Offset > f.End:
		return f.waitOr(BeyondPatience, Decision{Action: Refuse, Reason: Beyond})
	case c.Ours && c.Epoch == p.Epoch+1 && c.Offset == c.Start: // else something was forwarded, and the journal has lost the reposition
		return Decision{Action: Resume, Reason: Unfinished, Offset: c.Start, Epoch: c.Epoch}
	case c.Ours && c.Epoch > p.Epoch && !f.Known && f.AcceptJournalGap:
		return f.begin(Gap, c.Offset, 1)
	case c.Ours && c.Epoch > p.Epoch:
		return f.waitOr(BehindPatience, Decision{Action: Refuse, Reason: Behind})
	case !c.Ours || c.Epoch < p.Epoch || c.Start != p.Start:
		return f.begin(Foreign, c.Offset, p.Epoch+1)
	case c.Offset < p.Base && f.AcceptLostOffsets:
		return f.waitOr(BelowPatience, f.begin(Below, p.Base, p.Epoch+1))
	case c.Offset < p.Base:
		return f.waitOr(BelowPatience, Decision{Action: Refuse, Reason: Below})
	case c.Offset < f.Begin: // what was judged there and not forwarded dies; and what is committed says that it was counted
		return f.begin(Deleted, f.Begin, p.Epoch+1)
	case f.Moved: // after what an offset below base is a sign of: to begin there would forward again
		return f.begin(Foreign, c.Offset, p.Epoch+1)
	}
	return f.goOn()
}

// earlier says that what is committed of a partition that the journal does not know is of a time before the group took
// over: its name had another journal then. What it has committed itself is where it took over, in epoch 1.
func (f *Findings) earlier() bool {
	from, tookOver := at(f.Duty.From, f.Source)
	c := &f.Committed
	return tookOver && c.Offset <= from && (c.Epoch != 1 || c.Start != from)
}

// Skips returns the offsets [from, to) that the decision leaves out because somebody else has committed an offset
// beyond them. From is at most what was forwarded last, which the journal may not have heard. Ok says that there are
// any.
func (f *Findings) Skips(d *Decision) (from, to int64, ok bool) {
	c, p := f.Committed, f.Replica
	if d.Action != Begin || d.Reason != Foreign || c.Ours && c.Epoch == p.Epoch && c.Start == p.Start { // the document there is another one
		return 0, 0, false
	}
	from = p.Base
	if !f.Known {
		from = f.Mode.First(f)
	}
	from = max(from, f.Begin)
	return from, d.Offset, from < d.Offset
}

func (f *Findings) goOn() Decision {
	c, p := f.Committed, f.Replica
	return Decision{Action: GoOn, Reason: InStep, Offset: c.Offset, Epoch: p.Epoch, Assignment: Assignment{
		TopicPartition: f.TopicPartition, Epoch: p.Epoch, Start: p.Start, Base: c.Offset, Unjournaled: f.unjournaled(), Announced: p.Base, Routed: f.Routed,
		Mode: f.Mode, Tally: c.Tally, New: c.New, There: f.there(),
	}}
}

// there is the base where another group forwarded before: the documents that wait for this one are no beginning.
func (f *Findings) there() int64 {
	if _, tookOver := at(f.Duty.From, f.Source); tookOver {
		return f.Committed.Offset
	}
	return f.End
}

// begin begins an epoch, and never below where the group began to forward.
func (f *Findings) begin(why Reason, offset int64, epoch uint32) Decision {
	return Decision{Action: Begin, Reason: why, Offset: max(offset, f.Duty.Begins(f.Source)), Epoch: epoch}
}

// waitOr decides to wait until patience is over, and then decides what is left to do.
func (f *Findings) waitOr(patience time.Duration, then Decision) Decision {
	if f.Waited < patience {
		return Decision{Action: Wait, Reason: then.Reason}
	}
	return then
}
