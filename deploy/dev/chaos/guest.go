//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// guest has an ordinary consumer try for a while to join the group. It must not get a partition. It goes when the group
// may soon be empty, because whoever comes then cannot be refused. It returns false if the group stayed as empty, or
// nobody answered.
func (s *scene) guest(ctx context.Context, e event) (bool, error) {
	if until(ctx, "the group can refuse a guest", recovery, s.crowded) != nil {
		return false, nil
	}
	var given atomic.Int64
	client, err := kgo.NewClient(append(s.world.options[:len(s.world.options):len(s.world.options)],
		kgo.ConsumerGroup(s.name), kgo.ConsumeTopics(s.source), kgo.Balancers(kgo.CooperativeStickyBalancer()),
		kgo.OnPartitionsAssigned(func(_ context.Context, _ *kgo.Client, to map[string][]int32) {
			given.Add(int64(len(to[s.source])))
		}))...)
	if err != nil {
		return false, fmt.Errorf("open a guest's client: %w", err)
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(ctx, e.lasts)
	defer cancel()
	refused := false
	for s.crowded(ctx) {
		polled, done := context.WithTimeout(ctx, watchEvery)
		refused = errors.Is(client.PollFetches(polled).Err(), kerr.InconsistentGroupProtocol) || refused
		done()
	}
	if n := given.Load(); n > 0 {
		s.find("a guest was assigned %d partitions", n)
	}
	return refused || given.Load() > 0, nil
}

// crowded says whether sessions of more than one process are in the group.
func (s *scene) crowded(ctx context.Context) bool {
	groups, err := s.world.admin.DescribeGroups(ctx, s.name)
	return err == nil && len(groups[s.name].Members) > s.config.Consumer.Sessions
}
