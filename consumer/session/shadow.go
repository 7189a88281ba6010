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

// follow asks what the followed group has committed.
func (l *loop) follow(ctx context.Context, step *protocol.Step) error {
	_, d, err := l.duty()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	committed, err := broker.Committed(ctx, l.Cluster.Admin(), d.Other)
	switch {
	case err != nil && !broker.MayPass(err) && ctx.Err() == nil:
		return err
	case err != nil: // the next look may tell
		l.member.Followed(time.Now(), nil)
		return nil
	}
	l.member.Followed(time.Now(), func(a *assignment) int64 { return offsetOf(committed, a.Topic, a.Source.Partition) })
	if l.unheard.lasts(step.Of, committed, l.Ahead) {
		l.Logger.Warn().Str("session", l.slot).Str("group", d.Other).
			Str("remedy", "name the group that is at work in consumer.succeeds, or start that group").
			Msg("the group that this shadow follows has committed nothing of the source: there is nothing to judge")
	}
	return nil
}

// silence is how long nothing was heard of the followed group.
type silence struct {
	since time.Time // zero: something was
	told  bool
}

// followPatience is how long a shadow may find nothing committed before it says so.
const followPatience = 10 * time.Second

// lasts says once that the followed group has committed nothing of these partitions' topics for long. There may be no
// such group, or it reads something else. A silence that begins has lasted for ahead.
func (s *silence) lasts(of []*assignment, committed kadm.OffsetResponses, ahead time.Duration) bool {
	for _, topic := range topicsIn(of) {
		for _, o := range committed[topic] {
			if o.At >= 0 {
				s.since = time.Time{}
				return false
			}
		}
	}
	switch {
	case len(of) == 0:
	case s.since.IsZero():
		s.since = time.Now().Add(-ahead)
	case time.Since(s.since) >= followPatience && !s.told:
		s.told = true
		return true
	}
	return false
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
func (t *takeovers) askFollowed(ctx context.Context, some []*protocol.Takeover) error {
	d := some[0].Duty
	if !some[0].Mode.Follows() {
		return nil
	}
	committed, err := broker.Committed(ctx, t.Cluster.Admin(), d.Other)
	if err != nil {
		return err
	}
	list := t.Cluster.Admin().ListStartOffsets
	switch age := t.Replica.Params().Window.Age; {
	case t.Source.Start == "latest", t.Source.PrimeFrom == PrimeFromUnique:
		list = t.Cluster.Admin().ListEndOffsets
	case age > 0:
		list = broker.After(t.Cluster.Admin(), time.Now().Add(-age))
	}
	since, err := broker.Offsets(ctx, list, topicsOf(some)...)
	if err != nil {
		return fmt.Errorf("list offsets of the source: %w", err)
	}
	for _, of := range some {
		from, _ := since.Lookup(of.Topic, of.Source.Partition)
		of.Follows(offsetOf(committed, of.Topic, of.Source.Partition), from.Offset)
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
