package feed

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/consumer/unpack"
)

// untoldPatience is how long a partition may have been left alone when a poll begins that does not tell of it.
const untoldPatience = 5 * time.Second

// troubled returns the first error of a poll that does not pass by itself.
func (r *reader) troubled(fetches kgo.Fetches, polling time.Time) (first error) {
	fetches.EachError(func(topic string, partition int32, err error) {
		if first == nil {
			first = r.trouble(topic, partition, err)
		}
	})
	if first != nil {
		return first
	}
	if p, is := r.unpacker.Unreported(polling.Add(-untoldPatience)); is {
		return fmt.Errorf("%s/%d stands still at a batch that cannot be unpacked, and the client does not say so", p.Topic, p.Number)
	}
	return nil
}

func (r *reader) trouble(topic string, partition int32, err error) error {
	var stopped *kgo.ErrDecompressTooLarge
	var lost *kgo.ErrDataLoss
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), errors.Is(err, unpack.ErrLater):
		return nil
	case errors.As(err, &stopped):
		if r.Fill == 0 {
			return unpack.Ended(stopped)
		}
		return &stop.Error{
			What: fmt.Sprintf("a batch of %s/%d, from offset %d to below %d, holds more records than source.max_batch_bytes "+
				"has room for, or cannot be read",
				topic, partition, stopped.Offset, stopped.NextOffset), Err: err,
			Remedy: "begin with a later --from",
		}
	case errors.Is(err, kerr.OffsetOutOfRange), errors.As(err, &lost):
		return r.deleted(topic, partition, err)
	case broker.Forbidden(err):
		return &stop.Error{
			What: fmt.Sprintf("%s/%d cannot be read", topic, partition), Err: err,
			Remedy: "grant this principal Read on the topic: the rights that unecho needs are listed in permissions.md",
		}
	}
	return fmt.Errorf("read %s/%d: %w", topic, partition, err)
}

// deleted is the error for documents of the plan that are there no more. A fill goes on with what is left.
func (s *Setup) deleted(topic string, partition int32, err error) error {
	if s.Fill > 0 {
		return fmt.Errorf("documents of %s/%d were deleted: %w", topic, partition, err)
	}
	return &stop.Error{
		What: fmt.Sprintf("documents of %s/%d were deleted before the backfill read them", topic, partition), Err: err,
		Remedy: "raise the topic's retention, and begin a backfill of another name: its range begins with what is left",
	}
}

// whole returns an error if documents between those that were polled before and these were deleted meanwhile.
func (r *reader) whole(number int, p *kgo.FetchTopicPartition) error {
	position := r.merge.Position(number)
	if begins := p.LogStartOffset; begins > position && p.Records[0].Offset > position {
		return r.deleted(p.Topic, p.Partition, fmt.Errorf("the topic begins at %d, read was below %d", begins, position))
	}
	return nil
}

// sameTopics makes sure that the topics of the plan are those that it was made for.
func (s *Setup) sameTopics(ctx context.Context) error {
	names := map[string][16]byte{}
	var list []string
	for _, r := range s.Plan.Ranges {
		if _, known := names[r.Topic]; !known {
			list = append(list, r.Topic)
		}
		names[r.Topic] = r.Source.Topic
	}
	topics, err := s.Cluster.Admin().ListTopics(ctx, list...)
	if err != nil {
		return fmt.Errorf("describe source topics: %w", err)
	}
	for _, name := range list {
		detail, ok := topics[name]
		switch gone := !ok || errors.Is(detail.Err, kerr.UnknownTopicOrPartition); {
		case gone || detail.Err == nil && [16]byte(detail.ID) != names[name]:
			return &stop.Error{
				What:   fmt.Sprintf("topic %s was deleted since the backfill began", name),
				Remedy: "begin a backfill of another name, if the topic was created again and has what is wanted",
			}
		case detail.Err != nil:
			return fmt.Errorf("describe source topic %s: %w", name, detail.Err)
		}
	}
	return nil
}
