package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/retry"
	"github.com/unecho/unecho/consumer/routing"
	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/index"
)

// takeOver does what the takeovers ask for until each is over. It takes the earliest step first, for all that ask for
// it, so that a rebalance takes a few requests however many partitions it brings.
func (t *takeovers) takeOver(ctx context.Context, all []*protocol.Takeover) error {
	for {
		ask, some := earliest(all)
		var err error
		step := "decide"
		switch ask {
		case protocol.AskEnd:
			step, err = "journal", t.askEnd(ctx, some)
		case protocol.AskPass:
			step, err = "journal", t.askPass(ctx, some)
		case protocol.AskOffset:
			step, err = "stable", t.askOffsets(ctx, some)
		case protocol.AskExtent:
			err = t.askExtents(ctx, some)
		case protocol.AskCommit:
			err = t.askCommits(ctx, some)
		case protocol.AskReposition:
			err = t.askRepositions(ctx, some)
		case protocol.AskApply:
			err = t.askApplied(ctx, some)
		case protocol.AskPause:
			if err = retry.Pause(ctx, askPause); err == nil {
				each(some, (*protocol.Takeover).Resume)
			}
		case protocol.Taken, protocol.Leaderless, protocol.Refused:
			return nil
		case protocol.Outdated:
			return t.outdated()
		}
		if err != nil {
			return err
		}
		t.phases.End(step)
	}
}

// outdated says that another routing is in force than the session works by. Its process ends, if the routing is not
// its own.
func (t *takeovers) outdated() error {
	if _, _, err := t.ourDuty(); err != nil {
		return err
	}
	return rebuild("the group has another duty")
}

// duty reads the routing in force, and what it has the group do. It is an error that ends the process if the routing is
// not its own.
func (s *Setup) duty() (routed uint64, d protocol.Duty, err error) {
	s.Replica.Look(func(r *index.Replica) {
		routed = r.Routed()
		if err = s.Agreed.SameRouting(s.Log, r); err == nil {
			d, err = routing.DutyOf(r.Routes().Text)
		}
	})
	return routed, d, err
}

// ourDuty is duty, and ends the process if the routing is not its own.
func (t *takeovers) ourDuty() (routed uint64, d protocol.Duty, err error) {
	routed, d, err = t.duty()
	var final *stop.Error
	if errors.As(err, &final) {
		err = t.mail.stop(final)
	}
	return routed, d, err
}

func topicsOf(some []*protocol.Takeover) (names []string) {
	for _, t := range some {
		if !slices.Contains(names, t.Topic) {
			names = append(names, t.Topic)
		}
	}
	return names
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
func (t *takeovers) askEnd(ctx context.Context, some []*protocol.Takeover) error {
	var end int64
	err := retry.While(ctx, askPause, func() (err error) {
		end, err = t.Log.End(ctx)
		return err
	}, func(err error, since time.Duration) bool {
		away := t.PassAfter > 0 && broker.MayPass(err)
		if away {
			t.tells.tellAway(some, since)
		}
		return away
	})
	if err != nil {
		return err
	}
	each(some, func(of *protocol.Takeover) { of.JournalEnd(end) })
	return nil
}

func (t *takeovers) askPass(ctx context.Context, some []*protocol.Takeover) error {
	if err := t.waitUntil(ctx, some); err != nil {
		return err
	}
	t.Replica.Look(func(r *index.Replica) {
		each(some, func(of *protocol.Takeover) { of.Passed(r, t.moved[of.Source]) })
	})
	return nil
}

// waitUntil waits until the replica has come as far as all of them need it.
func (t *takeovers) waitUntil(ctx context.Context, some []*protocol.Takeover) error {
	until := int64(0)
	each(some, func(of *protocol.Takeover) { until = max(until, of.Until()) })
	return t.Replica.Wait(ctx, until-1)
}

func (t *takeovers) askOffsets(ctx context.Context, some []*protocol.Takeover) error {
	of := make([]topicPartition, len(some))
	for i, one := range some {
		of[i] = one.TopicPartition
	}
	offsets, err := t.Cluster.StableOffsets(ctx, of, t.Ahead)
	if err != nil {
		return err
	}
	each(some, func(of *protocol.Takeover) { of.Offset(offsets[of.Source]) })
	return nil
}

// askExtents reads where partitions begin and end. The takeovers then decide, and their decisions are logged here.
func (t *takeovers) askExtents(ctx context.Context, some []*protocol.Takeover) error {
	names := topicsOf(some)
	admin := t.Cluster.Admin()
	starts, err := broker.Offsets(ctx, admin.ListStartOffsets, names...)
	if err != nil {
		return fmt.Errorf("list offsets of the source: %w", err)
	}
	ends, err := broker.Offsets(ctx, admin.ListEndOffsets, names...)
	if err != nil {
		return fmt.Errorf("list offsets of the source: %w", err)
	}
	for _, of := range some {
		start, ok := starts.Lookup(of.Topic, of.Source.Partition)
		end, also := ends.Lookup(of.Topic, of.Source.Partition)
		if !ok || !also || start.Err != nil || end.Err != nil {
			of.NoLeader()
			continue
		}
		of.Extent(start.Offset, end.Offset, time.Now())
		if err := t.tells.decided(of); err != nil {
			return err
		}
	}
	return nil
}

// commitPartitions bounds a commit: the coordinator writes one batch of it, which must stay below the 1 MiB that
// Kafka takes by default. An offset takes some 400 bytes of it at most, with the longest name of a topic.
const commitPartitions = 1000

// commitEpochs commits the beginnings of epochs.
func (t *takeovers) commitEpochs(ctx context.Context, some []*protocol.Takeover) error {
	all := make([]standstill, len(some))
	for i, of := range some {
		all[i] = standstill{of.TopicPartition, of.Decision.Offset, protocol.Metadata(of.Decision.Epoch, of.Decision.Offset)}
	}
	return t.client.commitPlainly(ctx, all)
}

// askCommits commits the epochs that begin. Where one commit fails, none of their repositions is appended.
func (t *takeovers) askCommits(ctx context.Context, begin []*protocol.Takeover) error {
	for some := range slices.Chunk(begin, commitPartitions) {
		t.tells.allSkipped(some)
		err := t.commitEpochs(ctx, some)
		t.tells.allDeleted(some, err)
		if err != nil {
			return err
		}
	}
	for _, of := range begin {
		delete(t.moved, of.Source)
		of.Begun(true)
	}
	return nil
}

func (t *takeovers) askRepositions(ctx context.Context, some []*protocol.Takeover) error {
	frames, repeats := make([][]byte, len(some)), 0
	for i, of := range some {
		frames[i] = journal.Append(nil, of.NextReposition(t.Log.Header()))
		repeats = max(repeats, of.Repeats())
	}
	if err := t.Log.BeforeRepeat(ctx, repeats); err != nil {
		return err
	}
	last, err := t.Log.Put(ctx, frames...)
	if err != nil {
		return err
	}
	each(some, func(of *protocol.Takeover) { of.Appended(last) })
	return nil
}

func (t *takeovers) askApplied(ctx context.Context, some []*protocol.Takeover) error {
	if err := t.waitUntil(ctx, some); err != nil {
		return err
	}
	each(some, (*protocol.Takeover).Applied)
	return nil
}
