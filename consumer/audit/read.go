package audit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/retry"
	"github.com/unecho/unecho/consumer/unpack"
	"github.com/unecho/unecho/index/entry"
)

// span is the part of a partition that is read: [from, to).
type span struct{ from, to int64 }

type spans map[entry.PartitionName]span

// lookAgain is how often the end of a partition is asked for while a transaction is open.
const lookAgain = 50 * time.Millisecond

// ends returns what the topics hold at this moment. It waits until every transaction below their ends is decided,
// because a reader of committed records would not get to the ends before.
func (a *audit) ends(ctx context.Context, topics []string) (spans, error) {
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
	all := spans{}
	ends.Each(func(o kadm.ListedOffset) {
		from := starts[o.Topic][o.Partition].Offset
		all[entry.Name(o.Topic, o.Partition)] = span{from: from, to: max(from, o.Offset)}
	})
	return all, nil
}

// due returns the part of the source that must be in the outputs.
func (a *audit) due(ctx context.Context) (spans, error) {
	all, err := a.ends(ctx, a.in.Sources)
	if err != nil || a.in.Group == "" {
		return all, err
	}
	committed, err := broker.Committed(ctx, a.admin, a.in.Group)
	if err != nil {
		return nil, err
	}
	for p, s := range all {
		to := s.from
		if o, ok := committed.Lookup(p.Topic, p.Partition); ok {
			to = o.At
		}
		all[p] = span{from: s.from, to: min(max(s.from, to), s.to)}
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

// read opens a client with the options of like. It hands each committed record of the spans to fn, those of a partition
// in order. After each fetch it calls told with the spans that are left, if there are any. The client also returns
// control records, which fn does not see: without them the end of a partition would not be noticed where its last
// records were aborted.
func read(ctx context.Context, like *kgo.Client, u *unpack.Unpacker, all spans, fn func(*kgo.Record) error,
	told func(left spans) error,
) error {
	from, left := map[string]map[int32]kgo.Offset{}, spans{}
	for p, s := range all {
		if s.from < s.to {
			if from[p.Topic] == nil {
				from[p.Topic] = map[int32]kgo.Offset{}
			}
			from[p.Topic][p.Partition] = kgo.NewOffset().At(s.from)
			left[p] = s
		}
	}
	if len(left) == 0 {
		return nil
	}
	client, err := kgo.NewClient(slices.Concat(like.Opts(), u.Options(like), []kgo.Opt{
		kgo.ConsumePartitions(from), kgo.ConsumeResetOffset(kgo.NoResetOffset()),
		kgo.FetchMaxBytes(readAhead), kgo.FetchMaxPartitionBytes(readAheadPartition),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.KeepControlRecords(),
	})...)
	if err != nil {
		return fmt.Errorf("read topics: %w", err)
	}
	defer client.Close()
	g := reading{left: left, waiting: map[entry.PartitionName]*waiting{}, room: mostWaiting, fn: fn}
	for len(left) > 0 {
		fetches := client.PollFetches(ctx)
		u.Polled(fetches)
		if err := g.skipUnreadable(client, fetches); err != nil {
			if errors.Is(err, kerr.OffsetOutOfRange) {
				err = errGone
			}
			return fmt.Errorf("read topics: %w", err)
		}
		for it := fetches.RecordIter(); !it.Done(); {
			if err := g.take(it.Next()); err != nil {
				return err
			}
		}
		u.Done(fetches)
		if len(left) == 0 {
			break
		}
		if err := told(left); err != nil {
			return err
		}
	}
	return nil
}

// skipUnreadable goes on behind batches that cannot be unpacked, because the members have not judged their records either. It
// returns any other error.
func (g *reading) skipUnreadable(client *kgo.Client, fetches kgo.Fetches) error {
	for _, failed := range fetches.Errors() {
		var batch *kgo.ErrDecompressTooLarge
		switch {
		case errors.Is(failed.Err, unpack.ErrLater):
			continue
		case !errors.As(failed.Err, &batch):
			return failed.Err
		}
		client.SetOffsets(map[string]map[int32]kgo.EpochOffset{
			batch.Topic: {batch.Partition: {Epoch: batch.Epoch, Offset: batch.NextOffset}},
		})
		if p := entry.Name(batch.Topic, batch.Partition); g.left[p] != (span{}) {
			if err := g.reach(p, batch.NextOffset); err != nil {
				return err
			}
		}
	}
	return nil
}

// reading is the way through spans.
type reading struct {
	left    spans
	waiting map[entry.PartitionName]*waiting
	room    int // bytes of records that may still wait
	fn      func(*kgo.Record) error
}

// take takes a record if its partition's end is not reached yet, and strikes the partition off when it is.
func (g *reading) take(r *kgo.Record) error {
	p := entry.Name(r.Topic, r.Partition)
	s, ok := g.left[p]
	if !ok || r.Offset < s.from {
		return nil // the client may bring it a second time, as when a partition gets another leader
	}
	w := g.waiting[p]
	if w == nil {
		w = &waiting{room: &g.room}
		g.waiting[p] = w
	}
	if r.Offset < s.to {
		if err := w.take(r, g.fn); err != nil {
			return err
		}
	}
	return g.reach(p, r.Offset+1)
}

// reach notes that a partition was read up to an offset. At its end the broker's word counts for what still waits.
func (g *reading) reach(p entry.PartitionName, offset int64) error {
	s := g.left[p]
	if g.left[p] = (span{from: offset, to: s.to}); offset < s.to {
		return nil
	}
	delete(g.left, p)
	if w := g.waiting[p]; w != nil {
		return w.release(len(w.records), g.fn)
	}
	return nil
}
