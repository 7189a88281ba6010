package consumer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// assignment is a partition that this session may read, with what the steps of an assignment settled.
type assignment struct {
	topicPartition
	epoch     uint32
	start     int64 // of the epoch
	base      int64 // all below is forwarded and committed in this epoch
	announced int64 // the base that the journal has from us
}

// stepsTimeout bounds the patience of the steps: what is not settled then needs a person.
const stepsTimeout = 45 * time.Second

// assign runs the steps of an assignment (design 4, rules 3 and 4) for all partitions that the group gave this session, and
// returns where each is to be read from. The client calls it after each rebalance, before it fetches.
func (s *session) assign(ctx context.Context, given map[string]map[int32]kgo.Offset) (map[string]map[int32]kgo.Offset, error) {
	of, err := s.bind(ctx, given)
	if err != nil {
		return nil, err
	}
	ready := map[entry.Source]*assignment{}
	began := time.Now()
	for len(ready) < len(of) {
		if time.Since(began) > stepsTimeout {
			return nil, s.stopped(&StopError{
				What:   fmt.Sprintf("the group's committed offsets and the journal %s do not come together", s.journalTopic),
				Remedy: "is it the journal of this group? If it was deleted, delete the group's offsets too (kafka-consumer-groups.sh --delete-offsets) or name a new group",
			})
		}
		if err := s.steps(ctx, of, ready); err != nil {
			return nil, err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for topic, partitions := range given {
		for p := range partitions {
			a := ready[s.source(of, topic, p)]
			s.assigned[key{topic, p}] = a
			given[topic][p] = kgo.NewOffset().At(a.base).WithEpoch(-1)
			s.logger.Info().Str("topic", topic).Int32("partition", p).Int64("offset", a.base).
				Uint32("epoch", a.epoch).Msg("partition assigned")
		}
	}
	s.tally(len(s.assigned))
	return given, nil
}

func (*session) source(of []topicPartition, topic string, partition int32) entry.Source {
	for _, tp := range of {
		if tp.topic == topic && tp.source.Partition == partition {
			return tp.source
		}
	}
	return entry.Source{}
}

// bind takes the topics' UUIDs as they are now: a topic that is deleted and created again is another source.
func (s *session) bind(ctx context.Context, given map[string]map[int32]kgo.Offset) ([]topicPartition, error) {
	names := make([]string, 0, len(given))
	for topic := range given {
		names = append(names, topic)
	}
	topics, err := kadm.NewClient(s.admin).ListTopics(ctx, names...)
	if err != nil {
		return nil, fmt.Errorf("describe source topics: %w", err)
	}
	var of []topicPartition
	for topic, partitions := range given {
		detail, ok := topics[topic]
		if !ok || detail.Err != nil {
			return nil, fmt.Errorf("describe source topic %s: %w", topic, errors.Join(detail.Err))
		}
		for p := range partitions {
			of = append(of, topicPartition{topic: topic, source: entry.Source{Topic: detail.ID, Partition: p}})
		}
	}
	return of, nil
}

// steps takes the steps once for every partition that is not ready: barrier, epoch, stable fetch, decision.
func (s *session) steps(ctx context.Context, of []topicPartition, ready map[entry.Source]*assignment) error {
	if err := s.barrier(ctx); err != nil {
		return err
	}
	var open []topicPartition
	known := map[entry.Source]index.Partition{}
	s.follower.look(func(r *index.Replica) {
		for _, tp := range of {
			if ready[tp.source] != nil {
				continue
			}
			open = append(open, tp)
			if p, ok := r.Partition(tp.source); ok {
				known[tp.source] = p
			}
		}
	})
	offsets, err := fetchStable(ctx, s.admin, s.params.Group, open)
	if err != nil {
		return err
	}
	last := int64(-1)
	for _, tp := range open {
		a, landed, err := s.decide(ctx, tp, known, offsets[tp.source])
		if err != nil {
			return err
		}
		if a != nil {
			ready[tp.source] = a
		}
		last = max(last, landed)
	}
	if last >= 0 {
		return s.follower.wait(ctx, last)
	}
	return nil
}

// barrier waits until the replica has passed the journal's end as it is now.
func (s *session) barrier(ctx context.Context) error {
	end, err := s.journalEnd(ctx)
	if err != nil {
		return err
	}
	return s.follower.wait(ctx, end-1)
}

// decide is rule 4 for one partition: it returns the assignment, or the journal offset of a reposition to wait for, or
// neither when the steps must be repeated.
func (s *session) decide(ctx context.Context, tp topicPartition, known map[entry.Source]index.Partition, c committed) (*assignment, int64, error) {
	p, isKnown := known[tp.source]
	switch {
	case c.offset < 0 && isKnown:
		s.logger.Warn().Str("topic", tp.topic).Int32("partition", tp.source.Partition).Int64("offset", p.Base).
			Msg("no committed offset: going on from the last announced base, what was committed beyond it comes out again")
		return s.begin(ctx, tp, p.Base, p.Epoch+1)
	case c.offset < 0:
		offset, err := s.startOffset(ctx, tp)
		if err != nil {
			return nil, -1, err
		}
		return s.begin(ctx, tp, offset, 1)
	case c.ours && c.epoch == p.Epoch+1:
		return s.reposition(ctx, tp, c.start, c.epoch)
	case c.ours && c.epoch > p.Epoch && !isKnown && s.sourceParams.AcceptJournalGap:
		return s.begin(ctx, tp, c.offset, 1)
	case c.ours && c.epoch > p.Epoch:
		return nil, -1, pause(ctx, 100*time.Millisecond)
	case !c.ours || c.epoch < p.Epoch || c.start != p.Start || s.takeMoved(tp.source):
		s.logger.Warn().Str("topic", tp.topic).Int32("partition", tp.source.Partition).Int64("offset", c.offset).
			Msg("the offset was set by someone else: a new epoch begins there")
		return s.begin(ctx, tp, c.offset, p.Epoch+1)
	case c.offset < p.Base:
		return s.wentBack(ctx, tp, p, c)
	}
	return &assignment{topicPartition: tp, epoch: p.Epoch, start: p.Start, base: c.offset, announced: p.Base}, -1, nil
}

// wentBack meets a committed offset below base. A transaction's answer comes before its markers are everywhere, so it is
// fetched again for a while; if it stays, the group's offsets were lost.
func (s *session) wentBack(ctx context.Context, tp topicPartition, p index.Partition, c committed) (*assignment, int64, error) {
	if s.backAt[tp.source].IsZero() {
		s.backAt[tp.source] = time.Now()
	}
	if time.Since(s.backAt[tp.source]) < 3*time.Second {
		return nil, -1, pause(ctx, 100*time.Millisecond)
	}
	delete(s.backAt, tp.source)
	if s.sourceParams.AcceptLostOffsets {
		return s.begin(ctx, tp, p.Base, p.Epoch+1)
	}
	return nil, -1, s.stopped(&StopError{
		What: fmt.Sprintf("the committed offset of %s/%d is %d, but all below %d was forwarded: the group's offsets were lost",
			tp.topic, tp.source.Partition, c.offset, p.Base),
		Remedy: fmt.Sprintf("start with source.accept_lost_offsets: true to go on from %d, or set the offset by hand to forward again", p.Base),
	})
}

// begin commits the beginning of an epoch and then appends it: the commit decides, the journal follows.
func (s *session) begin(ctx context.Context, tp topicPartition, offset int64, epoch uint32) (*assignment, int64, error) {
	if err := s.commitEpoch(ctx, tp, offset, epoch); err != nil {
		return nil, -1, err
	}
	return s.reposition(ctx, tp, offset, epoch)
}

func (s *session) reposition(ctx context.Context, tp topicPartition, offset int64, epoch uint32) (*assignment, int64, error) {
	last, err := s.append(ctx, [][]byte{s.frame(&index.Reposition{
		Header: s.header(), Source: tp.source, Name: tp.topic, Offset: offset, Epoch: epoch,
	})})
	return nil, last, err
}

// startOffset is where an unknown partition begins: source.start for a new topic, the earliest offset for a partition that
// was added to one the journal knows.
func (s *session) startOffset(ctx context.Context, tp topicPartition) (int64, error) {
	added := false
	s.follower.look(func(r *index.Replica) { added = r.KnowsTopic(tp.source.Topic) })
	list := kadm.NewClient(s.admin).ListStartOffsets
	if s.sourceParams.Start == "latest" && !added {
		list = kadm.NewClient(s.admin).ListEndOffsets
	}
	offsets, err := list(ctx, tp.topic)
	if err != nil {
		return 0, fmt.Errorf("list offsets of %s: %w", tp.topic, err)
	}
	o, ok := offsets.Lookup(tp.topic, tp.source.Partition)
	if !ok || o.Err != nil {
		return 0, fmt.Errorf("list offsets of %s/%d: %w", tp.topic, tp.source.Partition, errors.Join(o.Err))
	}
	return o.Offset, nil
}
