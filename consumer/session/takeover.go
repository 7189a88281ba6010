package session

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/phase"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/retry"
	"github.com/unecho/unecho/index"
)

// takeOver does what the takeovers ask for until each is over. It takes the earliest step first, for all that ask for
// it, so that a rebalance takes a few requests however many partitions it brings.
func (s *Session) takeOver(ctx context.Context, all []*protocol.Takeover, took *phase.Phases) error {
	for {
		ask, some := earliest(all)
		var err error
		step := "decide"
		switch ask {
		case protocol.AskEnd:
			step, err = "journal", s.askEnd(ctx, some)
		case protocol.AskPass:
			step, err = "journal", s.askPass(ctx, some)
		case protocol.AskOffset:
			step, err = "stable", s.askOffsets(ctx, some)
		case protocol.AskExtent:
			err = s.askExtents(ctx, some)
		case protocol.AskCommit:
			err = s.askCommits(ctx, some)
		case protocol.AskReposition:
			err = s.askRepositions(ctx, some)
		case protocol.AskApply:
			err = s.askApplied(ctx, some)
		case protocol.AskPause:
			if err = retry.Pause(ctx, askPause); err == nil {
				each(some, (*protocol.Takeover).Resume)
			}
		case protocol.Taken, protocol.Leaderless, protocol.Refused:
			return nil
		case protocol.Outdated:
			return s.outdated()
		}
		if err != nil {
			return err
		}
		took.End(step)
	}
}

// outdated says that another routing is in force than the session works by. Its process ends, if the routing is not
// its own.
func (s *Session) outdated() error {
	if _, _, err := s.duty(); err != nil {
		return err
	}
	return rebuild("the group has another duty")
}

// askPause is the time until the steps are repeated, when they wait for something that passes by itself.
const askPause = 100 * time.Millisecond

// earliest returns the earliest step that any takeover asks for, and all takeovers that ask for it.
func earliest(all []*protocol.Takeover) (ask protocol.Ask, some []*protocol.Takeover) {
	for _, t := range all {
		switch {
		case len(some) > 0 && t.Asks() > ask:
		case len(some) > 0 && t.Asks() == ask:
			some = append(some, t)
		default:
			ask, some = t.Asks(), append(some[:0:0], t)
		}
	}
	if len(some) == 0 {
		return protocol.Taken, nil
	}
	return ask, some
}

func each(some []*protocol.Takeover, do func(*protocol.Takeover)) {
	for _, t := range some {
		do(t)
	}
}

// askEnd asks where the journal ends. A session that passes documents on waits for as long as the journal is away:
// after an error the client would take all its partitions from it, also those that go on without the journal.
func (s *Session) askEnd(ctx context.Context, some []*protocol.Takeover) error {
	var end int64
	err := retry.While(ctx, askPause, func() (err error) {
		end, err = s.Log.End(ctx)
		return err
	}, func(err error, since time.Duration) bool {
		away := s.PassAfter > 0 && broker.MayPass(err)
		if away {
			s.tellAway(some, since)
		}
		return away
	})
	if err != nil {
		return err
	}
	each(some, func(t *protocol.Takeover) { t.JournalEnd(end) })
	return nil
}

func (s *Session) askPass(ctx context.Context, some []*protocol.Takeover) error {
	if err := s.waitUntil(ctx, some); err != nil {
		return err
	}
	s.Replica.Look(func(r *index.Replica) {
		each(some, func(t *protocol.Takeover) { t.Passed(r, s.hasMoved(t.Source)) })
	})
	return nil
}

// waitUntil waits until the replica has come as far as all of them need it.
func (s *Session) waitUntil(ctx context.Context, some []*protocol.Takeover) error {
	until := int64(0)
	each(some, func(t *protocol.Takeover) { until = max(until, t.Until()) })
	return s.Replica.Wait(ctx, until-1)
}

func (s *Session) askOffsets(ctx context.Context, some []*protocol.Takeover) error {
	of := make([]topicPartition, len(some))
	for i, t := range some {
		of[i] = t.TopicPartition
	}
	if err := s.askFollowed(ctx, some); err != nil { // first: what the group itself has committed is never beyond it
		return err
	}
	offsets, err := s.Cluster.StableOffsets(ctx, of, s.Ahead)
	if err != nil {
		return err
	}
	each(some, func(t *protocol.Takeover) { t.Offset(offsets[t.Source]) })
	return nil
}

// askExtents reads where partitions begin and end. The takeovers then decide, and their decisions are logged here.
func (s *Session) askExtents(ctx context.Context, some []*protocol.Takeover) error {
	names := topicsOf(some)
	admin := s.Cluster.Admin()
	starts, err := broker.Offsets(ctx, admin.ListStartOffsets, names...)
	if err != nil {
		return fmt.Errorf("list offsets of the source: %w", err)
	}
	ends, err := broker.Offsets(ctx, admin.ListEndOffsets, names...)
	if err != nil {
		return fmt.Errorf("list offsets of the source: %w", err)
	}
	for _, t := range some {
		start, ok := starts.Lookup(t.Topic, t.Source.Partition)
		end, also := ends.Lookup(t.Topic, t.Source.Partition)
		if !ok || !also || start.Err != nil || end.Err != nil {
			t.NoLeader()
			continue
		}
		t.Extent(start.Offset, end.Offset, time.Now())
		if err := s.decided(t); err != nil {
			return err
		}
	}
	return nil
}

// askCommits commits the epochs that begin. Where one commit fails, none of their repositions is appended.
func (s *Session) askCommits(ctx context.Context, begin []*protocol.Takeover) error {
	for some := range slices.Chunk(begin, commitPartitions) {
		s.allSkipped(some)
		err := s.commitEpochs(ctx, some)
		s.allDeleted(some, err)
		if err != nil {
			return err
		}
	}
	for _, t := range begin {
		s.setMoved(t.Source, false)
		t.Begun(true)
	}
	return nil
}

func (s *Session) askRepositions(ctx context.Context, some []*protocol.Takeover) error {
	frames, repeats := make([][]byte, len(some)), 0
	for i, t := range some {
		frames[i] = journal.Append(nil, t.NextReposition(s.Log.Header()))
		repeats = max(repeats, t.Repeats())
	}
	if err := s.Log.BeforeRepeat(ctx, repeats); err != nil {
		return err
	}
	last, err := s.Log.Put(ctx, frames...)
	if err != nil {
		return err
	}
	each(some, func(t *protocol.Takeover) { t.Appended(last) })
	return nil
}

func (s *Session) askApplied(ctx context.Context, some []*protocol.Takeover) error {
	if err := s.waitUntil(ctx, some); err != nil {
		return err
	}
	each(some, (*protocol.Takeover).Applied)
	return nil
}
