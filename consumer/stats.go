package consumer

import (
	"sync/atomic"
	"time"

	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/sink"
)

// Stats is what a service has done since it started, and how it stands.
type Stats struct {
	Unique    uint64 // committed by this process
	Reemitted uint64 // of them copies
	Duplicate uint64
	Rejected  map[sink.Reason]uint64
	Commits   uint64
	Rebuilds  uint64 // sessions closed and opened again
	Deleted   uint64 // offsets of the source that retention deleted before this process read them

	Withdrawals uint64 // times this process left the group because its replica lagged
	Divergences uint64 // claims of other replicas that this one could not confirm
	Accusations uint64 // of them those that were found wrong

	Latency Latency

	Strays       map[journal.Reason]uint64 // records of the journal passed over
	Journal      journal.Stats
	JournalNext  int64 // the replica's next offset; -1 until it is restored
	JournalEnd   int64 // the journal's end when last read; -1 when unknown
	AppliedTime  int64 // LogAppendTime of the last applied record, ms
	Index        index.Stats
	SourceLag    int64     // offsets of the source not yet committed, all members of the group together; -1 when unknown
	Leaderless   int       // partitions of the source that have no leader; their lag is not known
	Partitions   int       // of the source, assigned to this process
	Waiting      []Waiting // of them those that wait for a person
	SnapshotNext int64     // journal offset of the newest snapshot; -1 when there is none
	SnapshotTime int64     // when it was taken, ms; 0 when there is none
	SnapshotErrs uint64
	Ready        bool
	Standing     Standing
}

type counters struct {
	unique, reemitted, duplicate           atomic.Uint64
	commits, rebuilds, snapshotErrs        atomic.Uint64
	deleted, withdrawals                   atomic.Uint64
	divergences, accusations               atomic.Uint64
	strays                                 strayCounters
	rejected                               [16]atomic.Uint64
	sign, judge, forward                   histogram
	partitions                             atomic.Int64
	journalEnd, snapshotNext, snapshotTime atomic.Int64
	ready                                  atomic.Bool
}

func (c *counters) latency(sign, judge, forward time.Duration) {
	c.sign.observe(sign)
	c.judge.observe(judge)
	c.forward.observe(forward)
}

// outputs says how many documents of a batch went where.
type outputs struct {
	unique, reemitted, duplicate uint64
	rejected                     map[sink.Reason]uint64
}

// outputs counts a batch by what was produced. A commit forgets what outputs have refused of it.
func (b *batch) outputs() outputs {
	o := outputs{rejected: map[sink.Reason]uint64{}}
	for i := range b.groups {
		for k := range b.groups[i].items {
			it := &b.groups[i].items[k]
			level := b.groups[i].Level(it.record.Offset)
			switch {
			case level > protocol.Whole || !it.Judged || it.Verdict.Forgotten || it.withheld != nil:
				reason, _ := it.reason()
				o.rejected[reason]++
			case it.Verdict.Reemitted:
				o.unique++
				o.reemitted++
			case it.Verdict.Unique():
				o.unique++
			default:
				o.duplicate++
			}
		}
	}
	return o
}

// committed adds a batch that was committed.
func (c *counters) committed(o outputs) {
	for reason, n := range o.rejected {
		c.rejected[reasonNumber(reason)].Add(n)
	}
	c.unique.Add(o.unique)
	c.reemitted.Add(o.reemitted)
	c.duplicate.Add(o.duplicate)
	c.commits.Add(1)
}

func reasonNumber(reason sink.Reason) int {
	for i, r := range sink.Reasons() {
		if r == reason {
			return i
		}
	}
	return len(sink.Reasons())
}

func (c *counters) stats() Stats {
	s := Stats{
		Unique: c.unique.Load(), Reemitted: c.reemitted.Load(), Duplicate: c.duplicate.Load(), Rejected: map[sink.Reason]uint64{},
		Commits: c.commits.Load(), Rebuilds: c.rebuilds.Load(), Deleted: c.deleted.Load(),
		Withdrawals: c.withdrawals.Load(), Divergences: c.divergences.Load(), Accusations: c.accusations.Load(),
		Strays:     c.strays.read(),
		Latency:    Latency{Sign: c.sign.read(), Judge: c.judge.read(), Forward: c.forward.read()},
		Partitions: int(c.partitions.Load()), JournalNext: -1,
		JournalEnd: c.journalEnd.Load(), SnapshotNext: c.snapshotNext.Load(), SnapshotTime: c.snapshotTime.Load(),
		SnapshotErrs: c.snapshotErrs.Load(), Ready: c.ready.Load(),
	}
	for i, r := range sink.Reasons() {
		s.Rejected[r] = c.rejected[i].Load()
	}
	return s
}
