package audit

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/retry"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/consumer/unpack"
	"github.com/unecho/unecho/index/entry"
)

// lookAgain is how often the end of a partition is asked for while a transaction is open.
const lookAgain = 50 * time.Millisecond

// ends returns what the topics hold at this moment. It waits until every transaction below their ends is decided,
// because a reader of committed records would not get to the ends before.
func (a *audit) ends(ctx context.Context, topics []string) (topic.Range, error) {
	starts, err := broker.AllOffsets(ctx, a.admin.ListStartOffsets, topics...)
	if err != nil {
		return nil, err
	}
	ends, err := broker.AllOffsets(ctx, a.admin.ListEndOffsets, topics...)
	if err != nil {
		return nil, err
	}
	if err := a.decided(ctx, topics, ends); err != nil {
		return nil, err
	}
	all := topic.Range{}
	ends.Each(func(o kadm.ListedOffset) {
		from := starts[o.Topic][o.Partition].Offset
		all[entry.Name(o.Topic, o.Partition)] = topic.Part{From: from, To: max(from, o.Offset)}
	})
	return all, nil
}

// due returns the part of the source that must be in the outputs.
func (a *audit) due(ctx context.Context) (topic.Range, error) {
	all, err := a.ends(ctx, a.in.Sources)
	if err != nil || a.in.Group == "" {
		return all, err
	}
	committed, err := broker.Committed(ctx, a.admin, a.in.Group)
	if err != nil {
		return nil, err
	}
	for p, s := range all {
		to := s.From
		if o, ok := committed.Lookup(p.Topic, p.Partition); ok {
			to = o.At
		}
		all[p] = topic.Part{From: s.From, To: min(max(s.From, to), s.To)}
	}
	return all, nil
}

// decided waits until the last stable offset of each partition has reached its end.
func (a *audit) decided(ctx context.Context, topics []string, ends kadm.ListedOffsets) error {
	var (
		open  entry.PartitionName
		waits bool
	)
	for {
		stable, err := broker.AllOffsets(ctx, a.admin.ListCommittedOffsets, topics...)
		switch {
		case waits && ctx.Err() != nil:
			return fmt.Errorf("wait for the transactions open in %v: %w", open, ctx.Err())
		case err != nil:
			return err
		}
		if open, waits = undecided(ends, stable); !waits {
			return nil
		}
		if err := a.progress(StageWait, 0, 0); err != nil && ctx.Err() == nil {
			return err
		}
		_ = retry.Pause(ctx, lookAgain) // if ctx is done, the next look says who is waited for
	}
}

// undecided names a partition whose last stable offset is below its end.
func undecided(ends, stable kadm.ListedOffsets) (open entry.PartitionName, found bool) {
	ends.Each(func(o kadm.ListedOffset) {
		if stable[o.Topic][o.Partition].Offset < o.Offset {
			open, found = entry.Name(o.Topic, o.Partition), true
		}
	})
	return open, found
}

// What a client fetches ahead from one broker, and of one partition. Small documents take ten times that in memory.
const (
	readAhead          = 2 << 20
	readAheadPartition = 256 << 10
)

// errGone says that records which were there when the audit began were deleted meanwhile.
var errGone = errors.New("records were deleted while they were read")

// each hands the committed records of a range to fn, and reports its progress. Offsets without a record for the reader,
// such as those of control records, count as read. Batches that cannot be unpacked are passed over, because the members
// have not judged their records either.
func (a *audit) each(ctx context.Context, stage Stage, all topic.Range, u *unpack.Unpacker,
	fn func(*kgo.Record) error,
) error {
	total := all.Offsets()
	if err := a.progress(stage, 0, total); err != nil {
		return err
	}
	err := all.Read(ctx, topic.Reading{
		Options: a.in.Options, Unpacker: u,
		More:   []kgo.Opt{kgo.FetchMaxBytes(readAhead), kgo.FetchMaxPartitionBytes(readAheadPartition)},
		Unread: func(topic.Part) error { return nil },
		Told:   func(left topic.Range) error { return a.progress(stage, total-left.Offsets(), total) },
	}, fn)
	switch {
	case errors.Is(err, kerr.OffsetOutOfRange):
		return errGone
	case err != nil:
		return err
	}
	return a.progress(stage, total, total)
}

// Stage is a part of an audit.
type Stage string

// Stages, in their order.
const (
	StageWait     Stage = "waiting for open transactions"
	StageCopy     Stage = "copying the journal"
	StageSnapshot Stage = "restoring the snapshot"
	StageJournal  Stage = "replaying the journal"
	StageSource   Stage = "reading the source"
	StageOutputs  Stage = "reading the outputs"
	StageCompare  Stage = "settling up"
)

// Progress is how far a stage has come, in records.
type Progress struct {
	Stage       Stage
	Done, Total int64 // Total 0: unknown
}

// stride is how many source records are settled between two reports of progress.
const stride = 10_000

// progress tells the caller how far a stage is. It returns an error if the audit was interrupted, which between two
// calls to Kafka nothing else notices.
func (a *audit) progress(stage Stage, done, total int64) error {
	if a.in.Progress != nil {
		a.in.Progress(Progress{Stage: stage, Done: done, Total: total})
	}
	return a.interrupted()
}
