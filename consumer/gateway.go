package consumer

import (
	"context"
	"errors"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/gateway"
	"github.com/unecho/unecho/consumer/member"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/routing"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// Gateway opens the gateway of this process. The caller closes it.
func (s *Service) Gateway() (*gateway.Gateway, error) {
	return gateway.New(gateway.Setup{Kafka: s.setup.Kafka, Reader: s.reader, Group: s, Counters: s.taken})
}

// NotForwarding implements gateway.Group. What the group's duty is, the member's replica knows: without one it forwards.
func (s *Service) NotForwarding() gateway.NotForwarding {
	silence := gateway.NotForwarding{DryRun: s.setup.Sink.DryRun}
	if replica := s.replica.Load(); replica != nil {
		replica.Look(func(r *index.Replica) { silence.Other = forwardsInstead(r) })
	}
	return silence
}

// forwardsInstead is the group that forwards what this one judges; it is empty if this one does. A duty that cannot be
// read ends the process elsewhere.
func forwardsInstead(r *index.Replica) string {
	if d, err := routing.DutyOf(r.Routes().Text); err == nil && d.Kind != protocol.Forwards {
		return d.Other
	}
	return ""
}

// errSilent says that the replica's verdicts are not those of the outputs.
var errSilent = errors.New("the group forwards nothing")

// Answered implements gateway.Group. It returns member.ErrNoReplica before there is a replica, and after. A group that
// forwards nothing answers nothing: its verdicts say what another group might do.
func (s *Service) Answered(of []entry.Request) (known []index.Answered, next int64, err error) {
	replica := s.replica.Load()
	if replica == nil {
		return nil, 0, member.ErrNoReplica
	}
	known = make([]index.Answered, len(of))
	silent := s.setup.Sink.DryRun
	replica.Look(func(r *index.Replica) {
		if silent = silent || forwardsInstead(r) != ""; silent {
			return
		}
		for i := range of {
			if of[i] != (entry.Request{}) {
				known[i], _ = r.Answered(of[i])
			}
		}
		next = r.Next()
	})
	if silent {
		return nil, 0, errSilent
	}
	return known, next, nil
}

// Committed implements gateway.Group.
func (s *Service) Committed(ctx context.Context) (gateway.Commits, error) {
	r := s.group.Load()
	if r == nil {
		return nil, member.ErrNoReplica
	}
	got, err := broker.Committed(ctx, r.cluster.Admin(), s.setup.Params.Group)
	if err != nil {
		return nil, err
	}
	commits := gateway.Commits{}
	for topic, partitions := range got {
		for n, p := range partitions {
			commits[entry.Name(topic, n)] = protocol.NewCommitted(p.At, p.Metadata)
		}
	}
	return commits, nil
}

// JournalEnd implements gateway.Group.
func (s *Service) JournalEnd(ctx context.Context) (int64, error) {
	r := s.group.Load()
	if r == nil {
		return 0, member.ErrNoReplica
	}
	return r.log.End(ctx)
}
