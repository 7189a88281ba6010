package takeover

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/cluster"
	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/mail"
	"github.com/unecho/unecho/consumer/phase"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/retry"
	"github.com/unecho/unecho/consumer/standing"
	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// steps are what takeovers ask for.
type steps struct {
	*Setup
	tells    adviser
	losses   losses
	identity func() cluster.Identity // in the group
	moved    map[entry.Source]bool   // the source has another document there than was judged
}

func newSteps(setup *Setup, slot string, box *mail.Box, st *standing.Session) steps {
	return steps{
		Setup: setup, tells: adviser{setup, slot, box, st}, losses: losses{setup, st, map[entry.Source]int64{}},
		moved: map[entry.Source]bool{},
	}
}

// takeOver does what the takeovers ask for until each is over. It takes the earliest step first, for all that ask for
// it, so that a rebalance takes a few requests however many partitions it brings.
func (t *steps) takeOver(ctx context.Context, all []*protocol.Takeover, phases *phase.Phases) error {
	for {
		ask, some := earliest(all)
		var err error
		step := "decide"
		switch ask {
		case protocol.AskEnd:
			step, err = "journal", t.askEnd(ctx, some)
		case protocol.AskReached:
			step, err = "journal", t.askReplica(ctx, ask, some)
		case protocol.AskOffset:
			step, err = "stable", t.askOffsets(ctx, some)
		case protocol.AskExtent:
			err = t.askExtents(ctx, some)
		case protocol.AskCommit:
			err = t.askCommits(ctx, some)
		case protocol.AskReposition:
			err = t.askRepositions(ctx, some)
		case protocol.AskApply:
			err = t.askReplica(ctx, ask, some)
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
		phases.End(step)
	}
}

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

// askPause is the time until the steps are repeated, when they wait for something that passes by itself.
const askPause = 100 * time.Millisecond

// askEnd asks where the journal ends. A session that passes documents on waits for as long as the journal is away:
// after an error the client would take all its partitions from it, also those that go on without the journal.
func (t *steps) askEnd(ctx context.Context, some []*protocol.Takeover) error {
	var end int64
	err := retry.While(ctx, askPause, func() (err error) {
		end, err = t.Log.End(ctx)
		return err
	}, func(err error, since time.Duration) bool {
		away := t.Waits && broker.Retriable(err)
		if away {
			t.tells.logAway(some, since)
		}
		return away
	})
	if err != nil {
		return err
	}
	each(some, func(of *protocol.Takeover) { of.JournalEnd(end) })
	return nil
}

// askReplica waits until the replica has come as far as all of them need it.
func (t *steps) askReplica(ctx context.Context, ask protocol.Ask, some []*protocol.Takeover) error {
	until := int64(0)
	each(some, func(of *protocol.Takeover) { until = max(until, of.Until()) })
	err := t.Replica.Wait(ctx, until-1)
	switch {
	case err != nil:
	case ask == protocol.AskApply:
		each(some, (*protocol.Takeover).Applied)
	default:
		t.Replica.Look(func(r *index.Replica) {
			each(some, func(of *protocol.Takeover) { of.Reached(r, t.moved[of.Source]) })
		})
	}
	return err
}

func (t *steps) askOffsets(ctx context.Context, some []*protocol.Takeover) error {
	of := make([]protocol.TopicPartition, len(some))
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
func (t *steps) askExtents(ctx context.Context, some []*protocol.Takeover) error {
	names := protocol.Topics(some)
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
		of.AcceptLostOffsets = slices.Contains(t.LostOffsets, protocol.LostOffsets(of.Name(), of.Replica.Base))
		of.Extent(start.Offset, end.Offset, time.Now())
		if err := t.tells.decided(ctx, of); err != nil {
			return err
		}
	}
	return nil
}

// askCommits commits the epochs that begin. Where one commit fails, none of their repositions is appended.
func (t *steps) askCommits(ctx context.Context, begin []*protocol.Takeover) error {
	for some := range slices.Chunk(begin, commitPartitions) {
		t.losses.skipped(some)
		epochs := make([]cluster.Commit, len(some))
		for i, of := range some {
			d := &of.Decision
			epochs[i] = cluster.Commit{TopicPartition: of.TopicPartition, Offset: d.Offset, Metadata: of.Metadata(d)}
		}
		err := t.Cluster.Commit(ctx, t.identity(), epochs)
		t.losses.deleted(some, err)
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

// commitPartitions bounds a commit: the coordinator writes one batch of it, which must stay below the 1 MiB that
// Kafka takes by default. An offset takes some 400 bytes of it at most, with the longest name of a topic.
const commitPartitions = 1000

func (t *steps) askRepositions(ctx context.Context, some []*protocol.Takeover) error {
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

// outdated says that another routing is in force than the session works by. Its process ends, if the routing is not
// its own.
func (t *steps) outdated() error {
	if _, _, err := t.duty(); err != nil {
		return err
	}
	return errors.New("the group has another duty")
}

// duty is what the routing in force has the group do. It ends the process if that is not its own.
func (t *steps) duty() (routed uint64, d protocol.Duty, err error) {
	routed, d, err = t.Replica.Duty()
	var final *stop.Error
	if errors.As(err, &final) {
		err = t.tells.mail.Stop(final)
	}
	return routed, d, err
}

func each(some []*protocol.Takeover, do func(*protocol.Takeover)) {
	for _, t := range some {
		do(t)
	}
}
