package consumer

import (
	"context"

	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/gateway"
	"github.com/unecho/unecho/consumer/member"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// Gateway opens the gateway of this process. The caller closes it.
func (s *Service) Gateway() (*gateway.Gateway, error) {
	reader, err := document.New(s.setup.Document, s.setup.Source.When...)
	if err != nil {
		return nil, err
	}
	return gateway.New(gateway.Setup{Kafka: s.setup.Kafka, Reader: reader, Group: s})
}

// Answered implements gateway.Group. It returns member.ErrNoReplica before there is a replica, and after.
func (s *Service) Answered(of []entry.Request) (known []index.Answered, next int64, err error) {
	replica := s.follower()
	if replica == nil {
		return nil, 0, member.ErrNoReplica
	}
	known = make([]index.Answered, len(of))
	replica.Look(func(r *index.Replica) {
		for i := range of {
			if of[i] != (entry.Request{}) {
				known[i], _ = r.Answered(of[i])
			}
		}
		next = r.Next()
	})
	return known, next, nil
}

// Committed implements gateway.Group.
func (s *Service) Committed(ctx context.Context) (gateway.Commits, error) {
	s.mu.Lock()
	log := s.log
	s.mu.Unlock()
	if log == nil {
		return nil, member.ErrNoReplica
	}
	got, err := broker.Committed(ctx, kadm.NewClient(log.Client()), s.setup.Params.Group)
	if err != nil {
		return nil, err
	}
	commits := gateway.Commits{}
	for topic, partitions := range got {
		for n, p := range partitions {
			commits[gateway.Place{Topic: topic, Partition: n}] = protocol.NewCommitted(p.At, p.Metadata)
		}
	}
	return commits, nil
}

// JournalEnd implements gateway.Group.
func (s *Service) JournalEnd(ctx context.Context) (int64, error) {
	s.mu.Lock()
	log := s.log
	s.mu.Unlock()
	if log == nil {
		return 0, member.ErrNoReplica
	}
	return log.End(ctx)
}
