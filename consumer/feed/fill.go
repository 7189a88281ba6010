package feed

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/unecho/unecho/consumer/protocol/feeding"
	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/index"
)

// recordOf returns the journal record for what the merge made.
func (s *Setup) recordOf(f *index.Feed, rejected []uint64) index.Record {
	if s.Fill == 0 {
		return f
	}
	return feeding.FillOf(s.Plan, s.Fill, f, rejected)
}

func (s *Setup) taken(r *index.Replica) feeding.Taken {
	if s.Fill == 0 {
		return r
	}
	return feeding.Filled{Replica: r, Number: s.Fill}
}

// ErrOver says that a fill is over before all of it was brought: the group judges, or another fill was begun.
var ErrOver = errors.New("the group judges already, or another fill of it was begun meanwhile")

// filled returns how far a replica says that the ranges are brought. The group may judge before a slow feeder sees that
// others have brought all.
func (s *Setup) filled(r *index.Replica) (feeding.State, error) {
	now, inForce := feeding.FilledState(s.Plan, s.Fill, r)
	if !inForce && (r.Filled().Number != s.Fill || !s.brought(&now)) {
		return now, ErrOver
	}
	return now, nil
}

func (s *Setup) brought(now *feeding.State) bool {
	for i, of := range s.Plan.Ranges {
		if now.Parts[i].Through < of.To && of.From < of.To {
			return false
		}
	}
	return true
}

// whatIsLeft finds the first offset of each range that is still there. Of a topic that was deleted, nothing is left.
func (s *Setup) whatIsLeft(ctx context.Context, of *feeding.State) error {
	topics, names, err := s.topics(ctx)
	if err != nil {
		return err
	}
	starts, err := s.Cluster.Admin().ListStartOffsets(ctx, names...)
	if err != nil {
		return fmt.Errorf("list offsets: %w", err)
	}
	for _, r := range s.Plan.Ranges {
		gone, err := gone(topics, r)
		start, listed := starts.Lookup(r.Topic, r.Source.Partition)
		switch {
		case err != nil:
			return err
		case gone && r.Topic == s.Files:
			return &stop.Error{
				What:   fmt.Sprintf("topic %s, which holds the documents of the files, was deleted before all were brought", r.Topic),
				Remedy: "give the same command again: it copies the files, and brings what is missing",
			}
		case gone:
			s.Logger.Warn().Str("topic", r.Topic).Msg("the topic was deleted: nothing of it is brought any more")
			of.Left = append(of.Left, math.MaxInt64)
		case !listed:
			return fmt.Errorf("list offsets: nothing is said of %v", r.Name())
		case start.Err != nil:
			return fmt.Errorf("list offsets of %v: %w", r.Name(), start.Err)
		default:
			of.Left = append(of.Left, start.Offset)
		}
	}
	return nil
}
