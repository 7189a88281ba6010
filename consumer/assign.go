package consumer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

type (
	topicPartition = protocol.TopicPartition
	assignment     = protocol.Assignment
)

// assign runs the steps of an assignment (design 4, rules 3 and 4) for all partitions that the group gave this session, and
// returns where each is to be read from. The client calls it after each rebalance, before it fetches.
func (s *session) assign(ctx context.Context, given map[string]map[int32]kgo.Offset) (map[string]map[int32]kgo.Offset, error) {
	s.standing.assigned(time.Now())
	s.mu.Lock()
	took, err := s.took, s.unsettled
	s.unsettled = nil
	s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	took.end("client")
	of, err := s.bind(ctx, partitionsOf(given))
	if err != nil {
		return nil, err
	}
	if err := s.widenAll(ctx, of); err != nil {
		return nil, err
	}
	took.end("topics")
	ready := map[entry.Source]*assignment{}
	for len(ready) < len(of) {
		if err := s.steps(ctx, of, ready, took); err != nil {
			return nil, err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, tp := range of {
		s.give(tp, ready[tp.Source], given)
	}
	s.tally(len(s.assigned))
	s.standing.reads()
	s.logger.Info().Str("session", s.slot).Int("partitions", len(of)).EmbedObject(took).Msg("reading begins")
	return given, nil
}

// give notes what the steps of an assignment came to: where the partition is read from, or that it is not read, for it has no
// leader. The caller holds mu.
func (s *session) give(tp topicPartition, a *assignment, given map[string]map[int32]kgo.Offset) {
	at := key{tp.Topic, tp.Source.Partition}
	if a == nil {
		delete(given[at.topic], at.partition)
		s.unled[at] = true
		s.logger.Warn().Str("topic", at.topic).Int32("partition", at.partition).
			Msg("partition has no leader: it waits for one, the others go on")
		return
	}
	s.assigned[at] = a
	given[at.topic][at.partition] = kgo.NewOffset().At(a.Base).WithEpoch(-1)
	s.logger.Info().Str("topic", at.topic).Int32("partition", at.partition).Int64("offset", a.Base).
		Uint32("epoch", a.Epoch).Msg("partition assigned")
}

func partitionsOf(given map[string]map[int32]kgo.Offset) map[string][]int32 {
	of := make(map[string][]int32, len(given))
	for topic, partitions := range given {
		of[topic] = slices.Collect(maps.Keys(partitions))
	}
	return of
}

// bind takes the topics' UUIDs as they are now: a topic that is deleted and created again is another source.
func (s *session) bind(ctx context.Context, given map[string][]int32) ([]topicPartition, error) {
	topics, err := kadm.NewClient(s.admin).ListTopics(ctx, slices.Collect(maps.Keys(given))...)
	if err != nil {
		return nil, fmt.Errorf("describe source topics: %w", err)
	}
	var of []topicPartition
	for topic, partitions := range given {
		detail, ok := topics[topic]
		if !ok || detail.Err != nil {
			return nil, fmt.Errorf("describe source topic %s: %w", topic, errors.Join(detail.Err))
		}
		for _, p := range partitions {
			of = append(of, topicPartition{Topic: topic, Partitions: int32(len(detail.Partitions)), Source: entry.Source{Topic: detail.ID, Partition: p}})
		}
	}
	return of, nil
}

// steps takes the steps once for every partition that is not ready: barrier, epoch, stable fetch, decision. Ready without an
// assignment is one that has no leader now: nobody could read it, and those beside it do not wait.
func (s *session) steps(ctx context.Context, of []topicPartition, ready map[entry.Source]*assignment, took *phases) error {
	defer took.end("decide")
	if err := s.barrier(ctx); err != nil {
		return err
	}
	took.end("journal")
	open := slices.DeleteFunc(slices.Clone(of), func(tp topicPartition) bool {
		_, is := ready[tp.Source]
		return is
	})
	found := make([]*protocol.Findings, len(open))
	s.follower.look(func(r *index.Replica) {
		for i, tp := range open {
			found[i] = find(r, tp)
		}
	})
	offsets, err := s.fetchStable(ctx, open)
	if err != nil {
		return err
	}
	took.end("stable")
	led, err := s.extents(ctx, found)
	if err != nil {
		return err
	}
	for _, f := range found {
		ready[f.Source] = nil
	}
	var then openings
	for _, f := range led {
		delete(ready, f.Source)
		f.Committed = offsets[f.Source]
		a, err := s.decide(ctx, f, &then)
		if err != nil {
			return err
		}
		if a != nil {
			ready[f.Source] = a
		}
	}
	return s.afterSteps(ctx, &then)
}

// stepsPause is how soon the steps of an assignment are repeated where something passes by itself.
const stepsPause = 100 * time.Millisecond

// afterSteps opens what is to be opened, waits until that is applied, or for what passes by itself.
func (s *session) afterSteps(ctx context.Context, then *openings) error {
	last, err := s.openEpochs(ctx, then.all)
	switch {
	case err != nil:
		return err
	case last >= 0:
		return s.follower.wait(ctx, last)
	case then.waits:
		return pause(ctx, stepsPause)
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
