//go:build unix

package main

import (
	"context"
	"fmt"
	"io"
	"syscall"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"golang.org/x/sync/errgroup"
)

// slowBy is the delay of a slow network for each 32 KiB, in each direction.
const slowBy = 40 * time.Millisecond

// perform breaks things by the schedule. It returns when everything is whole again and the run's length is over.
func (s *scene) perform(ctx context.Context, events []event, out io.Writer) error {
	began := time.Now()
	group, inner := errgroup.WithContext(ctx)
	for _, e := range events {
		wait(inner, time.Until(began.Add(e.at)))
		if inner.Err() != nil {
			break
		}
		group.Go(func() error {
			done, err := s.suffer(inner, e)
			switch {
			case err != nil:
				return fmt.Errorf("%s: %w", e, err)
			case done:
				s.count(e.fault)
			case e.fault != kill:
				fmt.Fprintf(out, "%s  left out\n", e)
			}
			return nil
		})
	}
	wait(inner, time.Until(began.Add(s.params.length)))
	return group.Wait()
}

// suffer performs one event and undoes it. It returns false if the event is not possible now.
func (s *scene) suffer(ctx context.Context, e event) (done bool, err error) {
	switch e.fault {
	case kill:
		if !s.members[e.member].signal(syscall.SIGKILL, true, e.lasts) {
			return false, nil // the member is away at the moment
		}
		s.watch.lost(string(kill))
	case pause:
		s.members[e.member].pause(ctx, e.lasts)
	case leave:
		return true, s.members[e.member].leaves(ctx, e.lasts)
	case rolling:
		for _, m := range s.members {
			if err := m.leaves(ctx, 0); err != nil {
				return true, err
			}
		}
	case broker:
		return s.loseBroker(ctx, e)
	case leaders:
		s.moveLeaders(ctx, e.broker)
	case database:
		return true, s.loseDatabase(ctx, e.lasts)
	case away, drag, refuse:
		return true, s.world.bucket.suffer(ctx, e)
	case full:
		return s.disk.fill(ctx, lasting(e.lasts))
	case old:
		return s.harmOld(ctx, e)
	case slow, stall, cut:
		s.harmNetwork(ctx, e)
	case widen:
		return s.widen(ctx)
	case strange:
		return true, s.strange(ctx, e)
	case guest:
		return s.guest(ctx, e)
	case remake:
		return true, s.remake(ctx)
	}
	return true, nil
}

// loseBroker kills a broker while the other two are in sync with it.
func (s *scene) loseBroker(ctx context.Context, e event) (bool, error) {
	if err := until(ctx, "all replicas are in sync", recovery, s.world.healthy); err != nil {
		return false, nil //nolint:nilerr // a second broker less, and nobody could write: not what is promised
	}
	s.watch.lost(string(broker))
	return true, s.world.loseBroker(ctx, e.broker, lasting(e.lasts))
}

func (s *scene) loseDatabase(ctx context.Context, lasts time.Duration) error {
	s.world.postgres.Stop()
	wait(ctx, lasts)
	if err := s.world.clocks.begin(ctx, s.world.postgres.Server); err != nil {
		return err
	}
	return s.world.postgres.Await(context.WithoutCancel(ctx))
}

// moveLeaders makes a broker the leader of the journal and of the coordinators' topics, where it is in sync. If that
// fails, for example while a broker is away, the leaders stay.
func (s *scene) moveLeaders(ctx context.Context, to int) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	topics, err := s.world.admin.ListTopicsWithInternal(ctx, s.name+".journal", "__consumer_offsets",
		"__transaction_state")
	if err != nil {
		return
	}
	leader := int32(to + 1)
	var req kadm.AlterPartitionAssignmentsReq
	var set kadm.TopicsSet
	for name, t := range topics {
		for _, p := range t.Partitions {
			order := []int32{leader}
			for _, r := range p.Replicas {
				if r != leader {
					order = append(order, r)
				}
			}
			req.Assign(name, p.Partition, order)
			set.Add(name, p.Partition)
		}
	}
	if _, err := s.world.admin.AlterPartitionAssignments(ctx, req); err == nil {
		_, _ = s.world.admin.ElectLeaders(ctx, kadm.ElectPreferredReplica, set) // it may fail, as said above
	}
}

func (s *scene) harmNetwork(ctx context.Context, e event) {
	one := s.world.proxies[e.broker]
	if e.fault == cut {
		one.Break()
		return
	}
	if e.fault == stall {
		one.Stall()
		wait(ctx, e.lasts)
		one.Flow()
		return
	}
	for _, p := range s.world.proxies {
		p.Slow(slowBy)
	}
	wait(ctx, e.lasts)
	for _, p := range s.world.proxies {
		p.Slow(0)
	}
}
