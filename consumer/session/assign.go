package session

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/index/entry"
)

// assign runs the steps of an assignment (design 4, rules 3 and 4) for all partitions that the group gave this
// session, and returns where each is to be read from. The client calls it after each rebalance, before it fetches.
func (s *Session) assign(ctx context.Context,
	given map[string]map[int32]kgo.Offset,
) (map[string]map[int32]kgo.Offset, error) {
	s.standing.assigned(time.Now())
	s.mu.Lock()
	took, err := s.took, s.unsettled
	s.unsettled = nil
	s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	took.End("client")
	of, err := s.bind(ctx, partitionsOf(given))
	if err != nil {
		return nil, err
	}
	s.leaveOut(of, given)
	if of, err = s.leaveOutUnread(of, given); err != nil {
		return nil, err
	}
	if err := s.fitOutputs(ctx, of); err != nil {
		return nil, err
	}
	took.End("topics")
	terms, err := s.begunTerms()
	if err != nil {
		return nil, err
	}
	takeovers := make([]*protocol.Takeover, len(of))
	for i, tp := range of {
		its := terms // what was written to a topic before it was found is not to be lost
		its.Latest = its.Latest && !s.passing(tp.Topic)
		takeovers[i] = protocol.NewTakeover(tp, its, s.patience(tp.Source))
	}
	if err := s.takeOver(ctx, takeovers, took); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range takeovers {
		s.give(t, given)
	}
	s.tally(len(s.assigned))
	s.standing.reads()
	s.Logger.Info().Str("session", s.slot).Int("partitions", len(of)).EmbedObject(took).Msg("reading begins")
	return given, nil
}

// begunTerms are the terms of the takeovers that begin now. What they say of the group's duty is found outdated if
// that changes before the partitions are taken over.
func (s *Session) begunTerms() (protocol.Terms, error) {
	routed, duty, err := s.duty()
	terms := protocol.Terms{
		Routed: routed, Duty: duty, Latest: s.Source.Start == "latest",
		AcceptLostOffsets: s.Source.AcceptLostOffsets, AcceptJournalGap: s.Source.AcceptJournalGap, Mode: s.Mode.Under(&duty),
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.terms = terms
	return terms, err
}

// patience returns what is remembered of a partition from one takeover to the next.
func (s *Session) patience(of entry.Source) *protocol.Patience {
	p := s.patient[of]
	if p == nil {
		p = &protocol.Patience{Ahead: s.Ahead}
		s.patient[of] = p
	}
	return p
}

// give notes the result of a takeover: where the partition is read from, or that it is not read because it has no
// leader. The caller holds mu.
func (s *Session) give(t *protocol.Takeover, given map[string]map[int32]kgo.Offset) {
	at := key{t.Topic, t.Source.Partition}
	if t.Asks() == protocol.Leaderless {
		delete(given[at.topic], at.partition)
		s.unled[at] = true
		s.Logger.Warn().Str("topic", at.topic).Int32("partition", at.partition).
			Msg("partition has no leader: it waits for one, the others go on")
		return
	}
	a := t.Assignment()
	s.assigned[at] = a
	given[at.topic][at.partition] = kgo.NewOffset().At(a.Base).WithEpoch(-1)
	if a.Mode.Follows() && a.Base > max(a.Followed, t.Begin) {
		s.Logger.Warn().Str("topic", at.topic).Int32("partition", at.partition).Int64("offset", a.Base).
			Int64("followed", a.Followed).Msg("this shadow is beyond what the group that it follows has committed, and waits: " +
			"a group that has taken over begins with a new journal without consumer.succeeds")
	}
	s.Logger.Info().Str("topic", at.topic).Int32("partition", at.partition).Int64("offset", a.Base).
		Uint32("epoch", a.Epoch).Msg("partition assigned")
}

func partitionsOf(given map[string]map[int32]kgo.Offset) map[string][]int32 {
	of := make(map[string][]int32, len(given))
	for topic, partitions := range given {
		of[topic] = slices.Collect(maps.Keys(partitions))
	}
	return of
}

// leaveOut drops what bind has left out. A broker that has just begun may not know a topic that is there, so it is
// looked for as a partition without a leader is.
func (s *Session) leaveOut(of []topicPartition, given map[string]map[int32]kgo.Offset) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for topic, partitions := range given {
		if !slices.ContainsFunc(of, func(tp topicPartition) bool { return tp.Topic == topic }) {
			for p := range partitions {
				s.unled[key{topic, p}] = true
			}
			delete(given, topic)
			s.Logger.Info().Str("topic", topic).Msg("a topic is gone before it is read: the others go on")
		}
	}
}

// bind looks up the topics' UUIDs, as they are now. A topic that is deleted and created again is another source. One
// that is gone, and was not named, is left out.
func (s *Session) bind(ctx context.Context, given map[string][]int32) ([]topicPartition, error) {
	topics, err := s.Cluster.Admin().ListTopics(ctx, slices.Collect(maps.Keys(given))...)
	if err != nil {
		return nil, fmt.Errorf("describe source topics: %w", err)
	}
	var of []topicPartition
	for topic, partitions := range given {
		detail, ok := topics[topic]
		if s.passing(topic) && (!ok || errors.Is(detail.Err, kerr.UnknownTopicOrPartition)) {
			continue
		}
		if !ok || detail.Err != nil {
			return nil, fmt.Errorf("describe source topic %s: %w", topic, errors.Join(detail.Err))
		}
		for _, p := range partitions {
			of = append(of, topicPartition{
				Topic: topic, Partitions: int32(len(detail.Partitions)),
				Source: entry.Source{Topic: detail.ID, Partition: p},
			})
		}
	}
	return of, nil
}
