package broker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/unecho/unecho/consumer/retry"
)

// Listing lists the offsets of all partitions of topics, as kadm does.
type Listing func(ctx context.Context, topics ...string) (kadm.ListedOffsets, error)

// Offsets lists offsets of all partitions whose leader answers. A partition without a leader has the error in its
// place, so that it does not hide the others. Any other error of a partition is returned, and so is the error if nobody
// answers.
func Offsets(ctx context.Context, list Listing, topics ...string) (kadm.ListedOffsets, error) {
	listed, err := list(ctx, topics...)
	var some *kadm.ShardErrors
	if errors.As(err, &some) && (!some.AllFailed || errors.Is(err, kerr.LeaderNotAvailable)) {
		for _, failed := range some.Errs {
			note(listed, failed)
		}
		err = nil
	}
	if err != nil {
		return nil, err
	}
	listed.Each(func(o kadm.ListedOffset) {
		if o.Err != nil && (o.Partition < 0 || !Transient(o.Err)) { // below 0: the error is about the topic
			err = fmt.Errorf("topic %s: %w", o.Topic, o.Err)
		}
	})
	return listed, err
}

// AllOffsets is Offsets where each partition must have a leader.
func AllOffsets(ctx context.Context, list Listing, topics ...string) (kadm.ListedOffsets, error) {
	listed, err := Offsets(ctx, list, topics...)
	listed.Each(func(o kadm.ListedOffset) {
		if o.Err != nil && err == nil {
			err = fmt.Errorf("%s/%d: %w", o.Topic, o.Partition, o.Err)
		}
	})
	if err != nil {
		return nil, fmt.Errorf("list offsets: %w", err)
	}
	return listed, nil
}

// OffsetOf lists the offset of one partition, which must have a leader. The others do not matter.
func OffsetOf(ctx context.Context, list Listing, topic string, partition int32) (kadm.ListedOffset, error) {
	listed, err := Offsets(ctx, list, topic)
	o, ok := listed.Lookup(topic, partition)
	switch {
	case err == nil && !ok:
		err = ErrNoPartition
	case err == nil:
		err = o.Err
	}
	if err != nil {
		return o, fmt.Errorf("list offsets of %s/%d: %w", topic, partition, err)
	}
	return o, nil
}

// ErrNoPartition says that Kafka tells nothing of a partition.
var ErrNoPartition = errors.New("no such partition is known")

// After lists the first offsets from a moment on, or the end where there is none.
func After(admin *kadm.Client, at time.Time) Listing {
	return func(ctx context.Context, topics ...string) (kadm.ListedOffsets, error) {
		return admin.ListOffsetsAfterMilli(ctx, at.UnixMilli(), topics...)
	}
}

// Committed returns what a group has committed. A group that nobody has joined yet has committed nothing.
func Committed(ctx context.Context, admin *kadm.Client, group string) (kadm.OffsetResponses, error) {
	offsets, err := admin.FetchOffsets(ctx, group)
	if err == nil {
		err = offsets.Error()
	}
	if err != nil && !NoGroup(err) {
		return nil, fmt.Errorf("fetch committed offsets of group %s: %w", group, err)
	}
	return offsets, nil
}

// note sets the error of a failed request in the partitions that it was about.
func note(listed kadm.ListedOffsets, failed kadm.ShardError) {
	req, ok := failed.Req.(*kmsg.ListOffsetsRequest)
	if !ok {
		return
	}
	for _, t := range req.Topics {
		if listed[t.Topic] == nil {
			listed[t.Topic] = map[int32]kadm.ListedOffset{}
		}
		for _, p := range t.Partitions {
			listed[t.Topic][p.Partition] = kadm.ListedOffset{Topic: t.Topic, Partition: p.Partition, Err: failed.Err}
		}
	}
}

// NoGroup says that nobody has joined a group yet, or that it was deleted.
func NoGroup(err error) bool { return errors.Is(err, kerr.GroupIDNotFound) }

// ErrOpen says that a transaction was still open when the time was up.
var ErrOpen = errors.New("a transaction is open")

// committedPoll is how often the ends of topics are looked at.
const committedPoll = 20 * time.Millisecond

// AwaitCommitted waits until all that stands in topics now can be read by readers of committed records, but for what was
// aborted, and returns how far that is. Kafka answers that a transaction is committed a moment before it writes that into
// the topics, and a reader that asks in between sees their ends too early. Transactions that begin meanwhile are not waited
// for. A partition without a leader and a topic that there is not are waited for as well. When ctx ends, the error is its
// cause beside ErrOpen, or beside what kept the brokers from answering.
func AwaitCommitted(ctx context.Context, admin *kadm.Client, topics ...string) (kadm.ListedOffsets, error) {
	var ends kadm.ListedOffsets // at first
	for last := ErrOpen; ; {
		var err error
		if ends == nil {
			ends, err = AllOffsets(ctx, admin.ListEndOffsets, topics...)
		}
		var stable kadm.ListedOffsets
		if err == nil {
			stable, err = AllOffsets(ctx, admin.ListCommittedOffsets, topics...)
		}
		if err != nil && !Transient(err) {
			return nil, err
		}
		switch {
		case err == nil && reach(stable, ends):
			return stable, nil
		case err == nil:
			last = ErrOpen
		case ctx.Err() == nil:
			last = err
		}
		if err := retry.Pause(ctx, committedPoll); err != nil {
			return nil, errors.Join(err, last)
		}
	}
}

func reach(offsets, ends kadm.ListedOffsets) bool {
	all := true
	ends.Each(func(end kadm.ListedOffset) {
		at, ok := offsets.Lookup(end.Topic, end.Partition)
		all = all && ok && at.Offset >= end.Offset
	})
	return all
}
