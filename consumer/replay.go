package consumer

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// errReplayed ends a replay at the journal's end.
var errReplayed = errors.New("replayed")

// Replay reads a whole journal that was never trimmed, up to its present end. It calls fn with the verdicts in the
// order in which they were reached.
func Replay(ctx context.Context, setup Setup, fn func(entry.Source, *index.Verdict)) error {
	name := setup.Journal.Name(setup.Params.Group)
	replica, err := index.NewReplica(setup.Index, index.Fingerprint(setup.Settings))
	if err != nil {
		return fmt.Errorf("replay: %w", err)
	}
	u := journal.NewUnpacker(setup.Journal)
	admin, err := kgo.NewClient(setup.Kafka...)
	if err != nil {
		return fmt.Errorf("replay: %w", err)
	}
	defer admin.Close()
	opts := append(append([]kgo.Opt{}, setup.Kafka...),
		journal.FollowerOptions(name, journal.Place{LeaderEpoch: -1}, u, admin)...)
	client, err := kgo.NewClient(opts...)
	if err != nil {
		return fmt.Errorf("replay: %w", err)
	}
	defer client.Close()
	ends, err := broker.AllOffsets(ctx, kadm.NewClient(admin).ListEndOffsets, name)
	if err != nil {
		return fmt.Errorf("replay: %w", err)
	}
	end, ok := ends.Lookup(name, 0)
	if !ok || end.Offset == 0 {
		return nil
	}
	passed := func(at index.Stamp) error {
		if at.Offset+1 >= end.Offset {
			return errReplayed
		}
		return nil
	}
	err = journal.Follow(ctx, client, journal.Handler{
		Unpacker: u, ProducerTime: true, Owner: setup.Params.Group,
		Passed: func() {},
		Skip: func(at index.Stamp, _ int32, _ *journal.StrayError) error {
			replica.Skip(at)
			return passed(at)
		},
		Apply: func(at index.Stamp, _ int32, rec index.Record) error {
			effect := replica.Apply(at, rec)
			for i := range effect.Judged {
				fn(index.SourceOf(rec, &effect.Judged[i]), &effect.Judged[i])
			}
			return passed(at)
		},
	})
	if errors.Is(err, errReplayed) {
		return nil
	}
	return err
}
