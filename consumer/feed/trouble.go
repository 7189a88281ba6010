package feed

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
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/consumer/unpack"
)

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
	return r.unpacker.LeftAlone(polling)
}

func (r *reader) trouble(topic string, partition int32, err error) error {
	var stopped *kgo.ErrDecompressTooLarge
	var lost *kgo.ErrDataLoss
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), errors.Is(err, unpack.ErrLater):
		return nil
	case errors.As(err, &stopped):
		ended := unpack.Ended(stopped)
		if r.Fill > 0 {
			ended.Remedy = "begin with a later --from"
		}
		return ended
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
	topics, _, err := s.topics(ctx)
	if err != nil {
		return err
	}
	for _, r := range s.Plan.Ranges {
		switch gone, err := gone(topics, r); {
		case err != nil:
			return err
		case gone:
			return &stop.Error{
				What:   fmt.Sprintf("topic %s was deleted since the backfill began", r.Topic),
				Remedy: "begin a backfill of another name, if the topic was created again and has what is wanted",
			}
		}
	}
	return nil
}

func (s *Setup) topics(ctx context.Context) (topics kadm.TopicDetails, names []string, err error) {
	for _, r := range s.Plan.Ranges {
		names = append(names, r.Topic)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	if topics, err = s.Cluster.Admin().ListTopics(ctx, names...); err != nil {
		return nil, nil, fmt.Errorf("describe topics: %w", err)
	}
	return topics, names, nil
}

// gone says that the topic of a range was deleted; it may have been created again.
func gone(topics kadm.TopicDetails, r protocol.Range) (bool, error) {
	detail, ok := topics[r.Topic]
	switch {
	case !ok || errors.Is(detail.Err, kerr.UnknownTopicOrPartition):
		return true, nil
	case detail.Err != nil:
		return false, fmt.Errorf("describe topic %s: %w", r.Topic, detail.Err)
	}
	return [16]byte(detail.ID) != r.Source.Topic, nil
}
