package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/routing"
	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/index"
)

// This file is what a session does otherwise where the group's routing gives it another duty than to forward all it
// judges (design 4, rule 17). A shadow asks what the group that it follows has committed, and reads no further.

// followEvery is how often a shadow asks.
const followEvery = 200 * time.Millisecond

// duty reads the routing in force, and what it has the group do. It stops the process if the routing is not its own.
func (s *Session) duty() (routed uint64, d protocol.Duty, err error) {
	s.Replica.Look(func(r *index.Replica) {
		routed = r.Routed()
		if err = s.Agreed.SameRouting(s.Log, r); err == nil {
			d, err = routing.DutyOf(r.Routes().Text)
		}
	})
	var final *stop.Error
	if errors.As(err, &final) {
		err = s.stopped(final)
	}
	return routed, d, err
}

// mode is that of the partitions that were given last.
func (s *Session) mode() protocol.Mode {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.terms.Mode
}

// follow asks what the followed group has committed, if it is time to. It ends the session if the group has another
// duty by now: a shadow that has nothing to read would not notice.
func (s *Session) follow(ctx context.Context) error {
	if !s.mode().Follows() {
		return nil
	}
	routed, _, err := s.duty()
	if err != nil {
		return err
	}
	s.mu.Lock()
	terms := s.terms
	s.mu.Unlock()
	if routed != terms.Routed {
		return rebuild("the group has another duty: it was a shadow of %s", terms.Duty.Other)
	}
	if time.Since(s.followed) < followEvery {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	committed, err := broker.Committed(ctx, s.Cluster.Admin(), terms.Duty.Other)
	if err != nil {
		if !broker.MayPass(err) && ctx.Err() == nil {
			return err
		}
		return nil // the next look may tell
	}
	s.followed = time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	for at, a := range s.assigned {
		a.Followed = offsetOf(committed, at.topic, at.partition)
	}
	s.follows(terms.Duty.Other, committed)
	return nil
}

// followPatience is how long a shadow may find nothing committed before it says so.
const followPatience = 10 * time.Second

// follows says once that the followed group has committed nothing of the source for long. There may be no such group,
// or it reads something else. The caller holds mu.
func (s *Session) follows(group string, committed kadm.OffsetResponses) {
	topics := map[string]bool{}
	for at := range s.assigned {
		topics[at.topic] = true
	}
	for topic := range topics {
		for _, o := range committed[topic] {
			if o.At >= 0 {
				s.unheard = time.Time{}
				return
			}
		}
	}
	switch {
	case len(topics) == 0:
	case s.unheard.IsZero():
		s.unheard = time.Now().Add(-s.Ahead)
	case time.Since(s.unheard) >= followPatience && !s.warned:
		s.warned = true
		s.Logger.Warn().Str("session", s.slot).Str("group", group).
			Str("remedy", "name the group that is at work in consumer.succeeds, or start that group").
			Msg("the group that this shadow follows has committed nothing of the source: there is nothing to judge")
	}
}

func offsetOf(committed kadm.OffsetResponses, topic string, partition int32) int64 {
	if o, ok := committed.Lookup(topic, partition); ok {
		return o.At
	}
	return -1
}

// askFollowed reads for takeovers what the followed group has committed, and where the history begins that a shadow
// judges. That is as long ago as the window reaches: what a shadow judges is not forwarded, so reading the source
// from there on is all it needs to fill its window. One that is primed begins where the followed group is.
func (s *Session) askFollowed(ctx context.Context, some []*protocol.Takeover) error {
	d := some[0].Duty
	if !some[0].Mode.Follows() {
		return nil
	}
	committed, err := broker.Committed(ctx, s.Cluster.Admin(), d.Other)
	if err != nil {
		return err
	}
	list := s.Cluster.Admin().ListStartOffsets
	switch age := s.Replica.Params().Window.Age; {
	case s.Source.Start == "latest", s.Source.PrimeFrom == PrimeFromUnique:
		list = s.Cluster.Admin().ListEndOffsets
	case age > 0:
		list = broker.After(s.Cluster.Admin(), time.Now().Add(-age))
	}
	since, err := broker.Offsets(ctx, list, topicsOf(some)...)
	if err != nil {
		return fmt.Errorf("list offsets of the source: %w", err)
	}
	for _, t := range some {
		from, _ := since.Lookup(t.Topic, t.Source.Partition)
		t.Follows(offsetOf(committed, t.Topic, t.Source.Partition), from.Offset)
	}
	return nil
}

func topicsOf(some []*protocol.Takeover) (names []string) {
	seen := map[string]bool{}
	for _, t := range some {
		if !seen[t.Topic] {
			seen[t.Topic] = true
			names = append(names, t.Topic)
		}
	}
	return names
}
