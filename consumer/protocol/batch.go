package protocol

import (
	"errors"
	"fmt"
	"iter"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// ErrUnreadable says that no member can read the entries that this one appends.
var ErrUnreadable = errors.New("appended entries have no verdict")

// Group is the part of a batch that comes from one partition, ascending by offset.
type Group struct {
	*Assignment
	End       int64 // the offset behind all that was polled, markers of transactions too
	Begins    int64 // the partition's first offset when this was polled; -1: nobody said
	Beyond    bool  // records were polled beyond the reach
	Documents iter.Seq[*Document]
}

// NewGroup begins a group of a at from, or behind what the groups before it have of a.
func NewGroup(before []Group, a *Assignment, from int64) Group {
	for i := range before {
		if before[i].Assignment == a {
			from = before[i].End
		}
	}
	return Group{Assignment: a, End: from, Begins: -1}
}

// Polled notes that the record at offset was polled, and says whether it belongs to the batch. A commit covers what
// was polled, and no more. Records at or beyond reach are to be polled again: the commit ends at reach. A client may
// bring records twice, as when a partition gets another leader: those below the end are passed over.
func (g *Group) Polled(offset, reach int64) bool {
	switch {
	case offset < g.End:
		return false
	case offset >= reach:
		g.End, g.Beyond = max(g.End, reach), true
		return false
	}
	g.End = offset + 1
	return true
}

// Batch leads what one poll gave to one transaction (design 5). It asks for one thing after the other. The caller
// does what Wants says, and answers by the method that is named there.
type Batch struct {
	Groups []Group
	Size   int // documents of all groups

	intake    *Intake
	records   bool // what was passed on is recorded, and nothing is forwarded
	inJournal bool // it was recorded
	wants     Want
	until     int64
	appends   int // of entries
	forgets   []*index.Forget
	refused   *Refusal
}

// Refusal is a record that an output did not take.
type Refusal struct {
	Transient bool // it may be taken another time: nobody knows which of the others were
	Untimely  bool // it was refused for its timestamp
}

// NewBatch begins the way of a batch. The session keeps the intake.
func NewBatch(groups []Group, size int, intake *Intake) *Batch {
	for i := range groups {
		groups[i].Bypasses, groups[i].Pending = false, Tally{}
	}
	return &Batch{Groups: groups, Size: size, intake: intake, wants: WantVerdicts}
}

// Wants says what is needed next.
func (b *Batch) Wants() Want { return b.wants }

// Until is the journal offset that the replica has to reach.
func (b *Batch) Until() int64 { return b.until }

// Appends is how often entries of this batch were appended.
func (b *Batch) Appends() int { return b.appends }

// Revoked says that partitions were taken away, whether or not the batch has some of them. A batch that waits for the
// journal ends at once. One whose outputs come next goes on, and ends by Produced.
func (b *Batch) Revoked() {
	switch b.wants {
	case WantVerdicts, WantEntries, WantTimeCheck, WantForgets, WantReached, WantForget, WantForgotten:
		b.refused, b.wants = nil, WantAbort
	case WantOutputs, WantCommit, WantOffsets, WantAbort, Done, Rebuild, GiveUp: // it ends by itself
	case WantUnjournaled, WantRecords, WantEnds, WantAnnouncements, WantSigned: // of no batch
	}
}

// Recall takes the verdicts of documents that were fed. These are not signed. A fed document without a verdict is
// rejected. It is signed all the same, because the journal does not have the reason.
func (b *Batch) Recall(r *index.Replica) {
	for i := range b.Groups {
		g := &b.Groups[i]
		if !g.Mode.Fed() {
			continue
		}
		for d := range g.Documents {
			d.Verdict, d.Judged = r.Held(g.Source, g.Epoch, d.Entry.Offset)
		}
	}
}

// Judge answers WantVerdicts: it takes the verdicts that the replica holds (design 4, rule 5). If it fails, the batch
// is over. The error is ErrUnreadable, or one of Assignment.Judge; in that case of is the assignment that failed.
func (b *Batch) Judge(r *index.Replica) (of *Assignment, err error) {
	missing := false
	for i := range b.Groups {
		g := &b.Groups[i]
		if err := g.Judge(r, g.Documents); err != nil {
			return g.Assignment, err
		}
		for d := range g.Documents {
			missing = missing || !d.Judged && !d.Rejected && !d.Bypassed
		}
	}
	switch {
	case !missing && b.records:
		b.recorded()
	case !missing:
		b.wants = WantTimeCheck
	case !AppendAgain(b.appends):
		return nil, ErrUnreadable
	default:
		b.wants = WantEntries
	}
	return nil, nil
}

// Runs frames the documents that have no verdict yet, and calls fn with each run. The run is good until fn returns.
func (b *Batch) Runs(h index.Header, bounds RunLimits, fn func(*Assignment, *index.Run)) {
	for i := range b.Groups {
		g := &b.Groups[i]
		g.Runs(h, g.Documents, bounds, func(run *index.Run) { fn(g.Assignment, run) })
	}
}

// CheckTimes answers WantTimeCheck: untimely says whether the output of a document's verdict would refuse its
// timestamp. Unique documents of that kind are forgotten before they are tried.
func (b *Batch) CheckTimes(h index.Header, untimely func(*Assignment, *Document) bool) {
	b.forgets = b.forgets[:0]
	for i := range b.Groups {
		g := &b.Groups[i]
		for d := range g.Documents {
			if !d.Judged && !d.Unchecked || d.Withheld || !untimely(g.Assignment, d) {
				continue
			}
			if g.Untimely(d) == Forget {
				b.forgets = append(b.forgets, &index.Forget{Header: h, Target: d.Verdict.Position})
			}
		}
	}
	b.wants = WantOutputs
	if len(b.forgets) > 0 {
		b.wants = WantForgets
	}
}

// Forgets are the records that WantForgets and WantForget want in the journal.
func (b *Batch) Forgets() []*index.Forget { return b.forgets }

// Appended answers WantEntries, WantForgets and WantForget with the journal offset of the last record.
func (b *Batch) Appended(last int64) {
	b.until = last + 1
	switch b.wants { //nolint:exhaustive // nothing else is answered so
	case WantEntries:
		b.appends, b.wants = b.appends+1, WantReached
	case WantForgets:
		b.wants = WantReached
	case WantForget:
		b.wants = WantForgotten
	}
}

// Reached answers WantReached and WantForgotten.
func (b *Batch) Reached() {
	if b.wants == WantForgotten {
		b.wants = Done
		return
	}
	b.wants = WantVerdicts
}

// Produced answers WantOutputs, when every output has answered: refused is nil if they took everything. A commit
// covers all that was polled. So the transaction aborts if an output refused one record, or a partition was taken
// away.
func (b *Batch) Produced(refused *Refusal, revoked bool) {
	b.refused, b.wants = refused, WantCommit
	if revoked {
		b.refused = nil
	}
	if refused != nil || revoked {
		b.wants = WantAbort
		return
	}
	for i := range b.Groups {
		if g := &b.Groups[i]; g.Mode.Finite() {
			g.Pending.Add(g.count())
		}
	}
}

// Ended answers WantCommit. Only "committed" is sure. After an error the session is built anew: if it went on, the client
// would rewind to the offset it believes committed, and the batch could go out twice. After "not committed" the group is
// asked.
func (b *Batch) Ended(committed bool, err error) {
	switch {
	case err != nil:
		b.wants = Rebuild
	case !committed: // perhaps after it took effect
		b.wants = WantOffsets
	default:
		for i := range b.Groups {
			b.Groups[i].Committed(b.Groups[i].End)
		}
		b.wants = Done
	}
}

// Offsets answers WantOffsets. If the offsets are where the batch began, the commit had no effect. The session then
// goes on where the client has rewound to. Otherwise somebody has committed, perhaps this batch, and why says where.
func (b *Batch) Offsets(of func(entry.Source) Committed) (why error) {
	b.wants = Done
	for i := range b.Groups {
		a := b.Groups[i].Assignment
		if c := of(a.Source); !a.Unmoved(c) {
			b.wants = Rebuild
			return fmt.Errorf("%s/%d is committed to %d, not %d", a.Topic, a.Source.Partition, c.Offset, a.Base)
		}
	}
	return nil
}

// Aborted answers WantAbort. After a refusal the next poll brings the same documents again, perhaps fewer of them.
func (b *Batch) Aborted(h index.Header) Answer {
	b.wants = Done
	switch {
	case b.refused == nil:
		return Again
	case b.refused.Transient:
		b.wants = Rebuild
		return Again
	}
	a, d := b.First()
	answer := a.Refused(d, b.Size, b.refused.Untimely)
	switch answer {
	case Split:
		b.intake.split(b.Size)
	case Forget:
		b.forgets = append(b.forgets[:0], &index.Forget{Header: h, Target: d.Verdict.Position})
		b.wants = WantForget
	case Hopeless:
		b.wants = GiveUp
	case Again:
	}
	return answer
}

// First is the first document of the batch, which has one.
func (b *Batch) First() (*Assignment, *Document) {
	for i := range b.Groups {
		for d := range b.Groups[i].Documents {
			return b.Groups[i].Assignment, d
		}
	}
	return nil, nil
}
