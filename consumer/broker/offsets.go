package broker

import (
	"context"
	"errors"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Listing lists offsets of all partitions of topics, as kadm does.
type Listing func(ctx context.Context, topics ...string) (kadm.ListedOffsets, error)

// Offsets lists offsets as far as the partitions have leaders that answer. One that has none now has that as its error: it does
// not hide the others. Any other mistake of a partition is returned, and so is that nobody answers.
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
		if o.Err != nil && (o.Partition < 0 || !Passing(o.Err)) { // below 0: the topic is meant
			err = o.Err
		}
	})
	return listed, err
}

// note gives the partitions of a request that failed its error.
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
