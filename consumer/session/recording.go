package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

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

// errLater ends a recording that does not come further now.
var errLater = errors.New("what was passed on cannot be read now")

// recordOwed records what was passed on, if there is anything and the journal is there. No document of these partitions
// is judged before.
func (s *Session) recordOwed(ctx, drain context.Context) error {
	if s.outage.lasts() || time.Now().Before(s.recordsFrom) {
		return nil
	}
	of := s.owing()
	if len(of) == 0 {
		return nil
	}
	r, err := s.newRecording(ctx, of)
	switch {
	case errors.Is(err, errLater):
		return nil
	case err != nil:
		return err
	}
	defer r.client.Close()
	for r.owes() && drain.Err() == nil && r.holds() {
		switch err := r.step(ctx, drain); {
		case errors.Is(err, errAway): // what is left is recorded when it is back again
			return nil
		case errors.Is(err, errLater):
			s.recordsFrom = time.Now().Add(quiet)
			return nil
		case err != nil:
			return err
		}
	}
	return nil
}

// isDue says that an outage was over before the batch was polled, and that something is to be recorded before it.
func (s *Session) isDue(b *batch) bool {
	return !s.outage.lasts() && slices.ContainsFunc(b.groups, func(g group) bool { return g.Owes() })
}

// owing lists the assignments that owe.
func (s *Session) owing() map[key]*assignment {
	s.mu.Lock()
	defer s.mu.Unlock()
	of := map[key]*assignment{}
	for k, a := range s.assigned {
		if a.Owes() {
			of[k] = a
		}
	}
	return of
}

// holds says that none of the partitions was taken away.
func (r *recording) holds() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for k, a := range r.of {
		if r.assigned[k] != a {
			return false
		}
	}
	return !r.revoked
}

// newRecording makes ready to record what is owed. It passes over what the source does not hold any more, and leaves
// partitions out that have no leader: they are tried again soon.
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
		begin, ok := begins.Lookup(k.topic, k.partition)
		if !ok || begin.Err != nil {
			delete(of, k)
			s.recordsFrom = time.Now().Add(quiet)
			continue
		}
		if r.skipDeleted(a, begin.Offset); !a.Owes() {
			continue
		}
		owed += a.Owed
		if at[k.topic] == nil {
			at[k.topic] = map[int32]kgo.Offset{}
		}
		at[k.topic][k.partition] = kgo.NewOffset().At(a.Recorded())
	}
	if owed == 0 {
		return nil, errLater
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
func (r *recording) skipDeleted(a *assignment, begin int64) {
	if begin <= a.Recorded() {
		return
	}
	r.Logger.Warn().Str("topic", a.Topic).Int32("partition", a.Source.Partition).Int64("from", a.Recorded()).
		Int64("to", min(begin, a.Base)).Msg("what was passed on unchecked was deleted from the source before it was recorded")
	a.Owed = max(0, a.Base-begin)
}

// owes says that something is left to record.
func (r *recording) owes() bool { return r.owed() > 0 }

// owed is how many offsets are left to record.
func (r *recording) owed() (n int64) {
	for _, a := range r.of {
		n += a.Owed
	}
	return n
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
		return r.passBarren(ctx)
	}
	b := r.batch(fetches)
	if len(b.groups) == 0 {
		r.unpacker.Done(fetches)
		return nil
	}
	r.fruitful = time.Now()
	err := r.whileAssigned(ctx, func(ctx context.Context) error { return r.sign(ctx, r.workers, b) })
	if err == nil && !r.wasRevoked() {
		owed := r.owed()
		_, err = r.transact(ctx, b)
		if r.owed() < owed { // it was not cut short
			r.Counters.Recorded.Add(b.judged())
		}
	}
	r.workers.Rest()
	r.unpacker.Done(fetches)
	r.pauseRecorded()
	return err
}

// pauseRecorded has the client bring no more of partitions that are recorded. What comes there would hide that nothing
// comes of the others.
func (r *recording) pauseRecorded() {
	recorded := map[string][]int32{}
	for k, a := range r.of {
		if !a.Owes() {
			recorded[k.topic] = append(recorded[k.topic], k.partition)
		}
	}
	r.client.PauseFetchPartitions(recorded)
}

// batch sorts what was polled by partition, up to where it was passed on.
func (r *recording) batch(fetches kgo.Fetches) *batch {
	b := &batch{records: true}
	var groups []protocol.Group
	size := 0
	fetches.EachPartition(func(p kgo.FetchTopicPartition) {
		a := r.of[key{p.Topic, p.Partition}]
		if a == nil || !a.Owes() || len(p.Records) == 0 {
			return
		}
		g := group{begins: -1, Group: protocol.NewGroup(groups, a, a.Recorded())}
		for _, record := range p.Records {
			if g.Polled(record.Offset, a.Base) && !record.Attrs.IsControl() {
				g.items = append(g.items, item{record: record})
			}
		}
		size += len(g.items)
		g.Documents = documents(g.items)
		b.groups, groups = append(b.groups, g), append(groups, g.Group)
	})
	b.Batch = protocol.NewRecording(groups, size, r.intake)
	return b
}

// passBarren passes over offsets that hold no document any more, if nothing has come for a while. If there are others,
// their partitions cannot be read now, as when they have no leader.
func (r *recording) passBarren(ctx context.Context) error {
	if time.Since(r.fruitful) < broker.BarrenPatience {
		return nil
	}
	r.fruitful = time.Now()
	for _, a := range r.of {
		topics := broker.NewTopics(r.Cluster.Client, r.Logger)
		if a.Owes() && topics.Barren(ctx, r.unpacker.Renew(), a.Topic, a.Source.Partition, a.Recorded(), a.Base) {
			a.Owed = 0
		}
	}
	if r.owes() {
		return errLater
	}
	return nil
}
