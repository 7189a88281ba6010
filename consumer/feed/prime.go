package feed

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/twmb/franz-go/pkg/kerr"

	"github.com/unecho/unecho/consumer/backfill"
	"github.com/unecho/unecho/consumer/protocol/feeding"
	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/index"
)

// recordOf returns the journal record for what the merge made.
func (s *Setup) recordOf(f *index.Feed, rejected []uint64) index.Record {
	if s.Priming == 0 {
		return f
	}
	return feeding.HistoryOf(s.Plan, s.Priming, f, rejected)
}

// taken returns what a replica has taken of what was fed.
func (s *Setup) taken(r *index.Replica) feeding.Taken {
	if s.Priming == 0 {
		return r
	}
	return feeding.Primed{Replica: r, Number: s.Priming}
}

// primed returns how far a replica says that the ranges are primed.
func (s *Setup) primed(r *index.Replica) (feeding.State, error) {
	now, inForce := feeding.PrimedState(s.Plan, s.Priming, r)
	if !inForce {
		return now, &stop.Error{
			What:   "another priming of this group was begun meanwhile, and takes the place of this one",
			Remedy: "look at what that one does: the same command shows it",
		}
	}
	return now, nil
}

// whatIsLeft finds the first offset of each range that is still there. Of a topic that was deleted, nothing is left.
func (s *Setup) whatIsLeft(ctx context.Context, of *feeding.State) error {
	ids := map[string][16]byte{}
	var names []string
	for _, r := range s.Plan.Ranges {
		if _, known := ids[r.Topic]; !known {
			names = append(names, r.Topic)
		}
		ids[r.Topic] = r.Source.Topic
	}
	topics, err := s.Cluster.Admin().ListTopics(ctx, names...)
	if err != nil {
		return fmt.Errorf("describe topics: %w", err)
	}
	starts, err := s.Cluster.Admin().ListStartOffsets(ctx, names...)
	if err != nil {
		return fmt.Errorf("list offsets: %w", err)
	}
	for _, r := range s.Plan.Ranges {
		detail, ok := topics[r.Topic]
		gone := !ok || errors.Is(detail.Err, kerr.UnknownTopicOrPartition) ||
			detail.Err == nil && [16]byte(detail.ID) != r.Source.Topic
		start, listed := starts.Lookup(r.Topic, r.Source.Partition)
		switch {
		case gone && backfill.IsHistory(r.Topic):
			return &stop.Error{
				What:   fmt.Sprintf("topic %s, which holds the documents of the files, was deleted before all were primed", r.Topic),
				Remedy: "give the same command again: it copies the files, and primes the group with what is missing",
			}
		case gone:
			s.Logger.Warn().Str("topic", r.Topic).Msg("the topic was deleted: nothing of it is primed any more")
			of.Left = append(of.Left, math.MaxInt64)
		case detail.Err != nil:
			return fmt.Errorf("describe topic %s: %w", r.Topic, detail.Err)
		case !listed:
			return fmt.Errorf("list offsets: nothing is said of %s/%d", r.Topic, r.Source.Partition)
		case start.Err != nil:
			return fmt.Errorf("list offsets of %s/%d: %w", r.Topic, r.Source.Partition, start.Err)
		default:
			of.Left = append(of.Left, start.Offset)
		}
	}
	return nil
}
