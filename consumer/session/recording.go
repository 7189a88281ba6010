package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/signing"
	"github.com/unecho/unecho/consumer/unpack"
)

// recording reads again what was passed on unchecked, and brings it to the journal (design 4, rule 18). It has a client
// of its own: that of the session has read on.
type recording struct {
	*Session
	client   *kgo.Client
	unpacker *unpack.Unpacker
	workers  signing.Workers
	of       map[key]*assignment
	fruitful time.Time // when a poll brought records, or somebody asked what is left
}

// recordOwed records what was passed on, if there is anything and the journal is there. No document is judged before.
func (s *Session) recordOwed(ctx, drain context.Context) error {
	if s.outage.lasts() {
		return nil
	}
	of, unsettled := s.owing()
	switch {
	case unsettled:
		return rebuild("the journal answers again: the partitions that were given meanwhile are taken over properly")
	case len(of) == 0:
		return nil
	}
	r, err := s.newRecording(ctx, of)
	if err != nil {
		return err
	}
	defer r.client.Close()
	for r.owes() && drain.Err() == nil && !s.wasRevoked() {
		if err := r.step(ctx, drain); err != nil {
			if errors.Is(err, errAway) { // what is left is recorded when it is back again
				return nil
			}
			return err
		}
	}
	return nil
}

// isDue says that an outage was over before the batch was polled, and that something is to be recorded before it.
func (s *Session) isDue(b *batch) bool {
	if s.outage.lasts() {
		return false
	}
	return slices.ContainsFunc(b.groups, func(g group) bool { return g.Owes() || g.Unsettled })
}

// owing lists the assignments that owe, and says whether any was given while the journal was away.
func (s *Session) owing() (of map[key]*assignment, unsettled bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for k, a := range s.assigned {
		unsettled = unsettled || a.Unsettled
		if a.Owes() {
			if of == nil {
				of = map[key]*assignment{}
			}
			of[k] = a
		}
	}
	return of, unsettled
}

// newRecording makes ready to record what is owed, and passes over what the source does not hold any more.
func (s *Session) newRecording(ctx context.Context, of map[key]*assignment) (*recording, error) {
	r := &recording{Session: s, of: of, unpacker: unpack.New(s.unpackBounds()), fruitful: time.Now()}
	var err error
	if r.workers, err = signing.NewWorkers(s.Signing(), r.unpacker); err != nil {
		return nil, err
	}
	begins, err := broker.Offsets(ctx, s.Cluster.Admin().ListStartOffsets, topicsIn(of)...)
	if err != nil {
		return nil, fmt.Errorf("list offsets of the source: %w", err)
	}
	owed, at := int64(0), map[string]map[int32]kgo.Offset{}
	for k, a := range of {
		r.skipDeleted(k, a, begins)
		if owed += a.Owed; !a.Owes() {
			continue
		}
		if at[k.topic] == nil {
			at[k.topic] = map[int32]kgo.Offset{}
		}
		at[k.topic][k.partition] = kgo.NewOffset().At(a.Recorded())
	}
	s.Logger.Info().Str("session", s.slot).Int64("offsets", owed).Msg("recording what was passed on unchecked")
	r.client, err = kgo.NewClient(slices.Concat(s.Cluster.Options, s.Options, r.unpacker.Options(s.Cluster.Client),
		s.readOptions(), []kgo.Opt{kgo.ConsumePartitions(at)})...)
	if err != nil {
		return nil, fmt.Errorf("open the client that records: %w", err)
	}
	return r, nil
}

func topicsIn(of map[key]*assignment) (topics []string) {
	seen := map[string]bool{}
	for k := range of {
		if !seen[k.topic] {
			seen[k.topic] = true
			topics = append(topics, k.topic)
		}
	}
	return topics
}

// skipDeleted passes over what retention has deleted meanwhile: nobody can record it.
func (r *recording) skipDeleted(k key, a *assignment, begins kadm.ListedOffsets) {
	o, ok := begins.Lookup(k.topic, k.partition)
	if !ok || o.Err != nil || o.Offset <= a.Recorded() {
		return
	}
	r.Logger.Warn().Str("topic", k.topic).Int32("partition", k.partition).Int64("from", a.Recorded()).
		Int64("to", min(o.Offset, a.Base)).Msg("what was passed on unchecked was deleted from the source before it was recorded")
	a.Owed = max(0, a.Base-o.Offset)
}

// owes says that something is left to record.
func (r *recording) owes() bool {
	for _, a := range r.of {
		if a.Owes() {
			return true
		}
	}
	return false
}

// step records what one poll brings.
func (r *recording) step(ctx, drain context.Context) error {
	wait, cancel := context.WithTimeout(drain, quiet)
	defer cancel()
	fetches := r.client.PollRecords(wait, r.Params.PollRecords)
	r.unpacker.Polled(fetches)
	for _, e := range fetches.Errors() {
		if !errors.Is(e.Err, context.Canceled) && !errors.Is(e.Err, context.DeadlineExceeded) && !errors.Is(e.Err, unpack.ErrLater) {
			return fmt.Errorf("read %s/%d again: %w", e.Topic, e.Partition, e.Err)
		}
	}
	if fetches.NumRecords() == 0 {
		r.passBarren(ctx)
		return nil
	}
	r.fruitful = time.Now()
	b := r.batch(fetches)
	if len(b.groups) == 0 {
		r.unpacker.Done(fetches)
		return nil
	}
	err := r.whileAssigned(ctx, func(ctx context.Context) error { return r.sign(ctx, r.workers, b) })
	if err == nil && !r.wasRevoked() {
		_, err = r.transact(ctx, b)
		r.Counters.Recorded.Add(uint64(b.Size)) //nolint:gosec // no batch has a negative size
	}
	r.workers.Rest()
	r.unpacker.Done(fetches)
	return err
}

// batch sorts what was polled by partition, up to where it was passed on.
func (r *recording) batch(fetches kgo.Fetches) *batch {
	b := &batch{polled: time.Now(), records: true}
	var groups []protocol.Group
	size := 0
	fetches.EachPartition(func(p kgo.FetchTopicPartition) {
		a := r.of[key{p.Topic, p.Partition}]
		if a == nil || !a.Owes() || len(p.Records) == 0 {
			return
		}
		g := group{begins: -1}
		for _, record := range p.Records {
			if !g.Polled(record.Offset, a.Base) {
				break
			}
			if !record.Attrs.IsControl() {
				g.items = append(g.items, item{record: record})
			}
		}
		size += len(g.items)
		g.Assignment = a
		b.groups = append(b.groups, g)
	})
	for i := range b.groups {
		b.groups[i].Documents = documents(b.groups[i].items)
		groups = append(groups, b.groups[i].Group)
	}
	b.Batch = protocol.NewRecording(groups, size, r.intake)
	return b
}

// passBarren passes over offsets that hold no document any more, if nothing has come for a while.
func (r *recording) passBarren(ctx context.Context) {
	if time.Since(r.fruitful) < broker.BarrenPatience {
		return
	}
	r.fruitful = time.Now()
	for _, a := range r.of {
		topics := broker.NewTopics(r.Cluster.Client, r.Logger)
		if a.Owes() && topics.Barren(ctx, r.unpacker.Renew(), a.Topic, a.Source.Partition, a.Recorded(), a.Base) {
			a.Owed = 0
		}
	}
}
