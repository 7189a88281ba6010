package session

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/pipeline"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/unpack"
)

// recorder reads again what was passed on unchecked, so that it comes to the journal (design 4, rule 18). It has a client
// of its own: that of the session has read on.
type recorder struct {
	*Setup
	slot        string
	asked       []*assignment                          // what it was made for
	of          map[protocol.PartitionName]*assignment // those that could be read
	client      *kgo.Client
	pipeline    *pipeline.Pipeline
	lastRecords time.Time // when a poll brought records, or somebody asked what is left
	owed        int64     // offsets, when the batch at hand was polled
}

// newRecorder makes ready to record what is owed. It passes over what the source does not hold any more, and leaves
// partitions out that have no leader. It is nil if no partition can be read now.
func newRecorder(ctx context.Context, setup *Setup, slot string, owing []*assignment) (*recorder, error) {
	r := &recorder{
		Setup: setup, slot: slot, asked: slices.Clone(owing), of: map[protocol.PartitionName]*assignment{}, lastRecords: time.Now(),
	}
	var err error
	if r.pipeline, err = setup.pipeline(); err != nil {
		return nil, err
	}
	begins, err := broker.Offsets(ctx, r.Cluster.Admin().ListStartOffsets, protocol.Topics(owing)...)
	if err != nil {
		return nil, fmt.Errorf("list offsets of the source: %w", err)
	}
	var at kadm.Offsets
	for _, a := range owing {
		begin, ok := begins.Lookup(a.Topic, a.Source.Partition)
		if !ok || begin.Err != nil {
			continue
		}
		if r.skipDeleted(a, begin.Offset); !a.HasUnjournaled() {
			continue
		}
		r.of[a.Name()] = a
		at.AddOffset(a.Topic, a.Source.Partition, a.Journaled(), -1)
	}
	if len(r.of) == 0 {
		return nil, nil
	}
	r.Logger.Info().Str("session", slot).Int64("offsets", unjournaled(slices.Collect(maps.Values(r.of)))).
		Msg("recording what was passed on unchecked")
	r.client, err = kgo.NewClient(slices.Concat(r.Cluster.Options, r.Options, r.pipeline.Unpacker.Options(r.Cluster.Client),
		r.readOptions(), []kgo.Opt{kgo.ConsumePartitions(at.KOffsets()), kgo.ConsumeResetOffset(kgo.NoResetOffset())})...)
	if err != nil {
		return nil, fmt.Errorf("open the client that records: %w", err)
	}
	return r, nil
}

// reads says that it goes on for these partitions: it was made for all of them, and can read some.
func (r *recorder) reads(owing []*assignment) (some bool) {
	if r == nil {
		return false
	}
	for _, a := range owing {
		if !slices.Contains(r.asked, a) {
			return false
		}
		some = some || r.of[a.Name()] == a
	}
	return some
}

// skipDeleted passes over what retention has deleted meanwhile: nobody can record it.
func (r *recorder) skipDeleted(a *assignment, begin int64) {
	if begin <= a.Journaled() {
		return
	}
	r.Logger.Warn().Str("topic", a.Topic).Int32("partition", a.Source.Partition).Int64("from", a.Journaled()).
		Int64("to", min(begin, a.Base)).Msg("what was passed on unchecked was deleted from the source before it was recorded")
	a.Unjournaled = max(0, a.Base-begin)
}

// unjournaled is how many offsets are left to record.
func unjournaled(of []*assignment) (n int64) {
	for _, a := range of {
		n += a.Unjournaled
	}
	return n
}

// poll polls what is owed. Of partitions that are recorded nothing more is to come: it would hide that nothing comes of
// the others.
func (r *recorder) poll(drain context.Context, step *protocol.Step) (kgo.Fetches, error) {
	recorded := map[string][]int32{}
	for _, a := range r.of {
		if !slices.Contains(step.Of, a) {
			recorded[a.Topic] = append(recorded[a.Topic], a.Source.Partition)
		}
	}
	r.client.PauseFetchPartitions(recorded)
	wait, cancel := context.WithTimeout(drain, protocol.Quiet)
	defer cancel()
	fetches := r.client.PollRecords(wait, step.Records)
	r.pipeline.Unpacker.Polled(fetches)
	for _, e := range fetches.Errors() {
		if !errors.Is(e.Err, context.Canceled) && !errors.Is(e.Err, context.DeadlineExceeded) && !errors.Is(e.Err, unpack.ErrLater) {
			return nil, fmt.Errorf("read %s/%d again: %w", e.Topic, e.Partition, e.Err)
		}
	}
	return fetches, nil
}

// counts counts the documents of a batch that was recorded. It was not, where that was cut short.
func (r *recorder) counts(b *pipeline.Batch) {
	if r != nil && unjournaled(r.asked) < r.owed {
		r.Counters.Recorded.Add(b.Verdicts())
	}
}

// skipEmpty passes over offsets that hold no document any more, if nothing has come for a while. If something is left
// then, its partition cannot be read now, as when it has no leader.
func (r *recorder) skipEmpty(ctx context.Context) (left bool) {
	if time.Since(r.lastRecords) < protocol.EmptyPatience {
		return false
	}
	r.lastRecords = time.Now()
	for _, a := range r.of {
		topics := broker.NewTopics(r.Cluster.Client, r.Logger)
		if a.HasUnjournaled() && topics.Empty(ctx, r.pipeline.Unpacker.Renew(), a.Topic, a.Source.Partition, a.Journaled(), a.Base) {
			a.Unjournaled = 0
		}
		left = left || a.HasUnjournaled()
	}
	return left
}
