package consumer

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"golang.org/x/sync/errgroup"

	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/unpack"
	"github.com/unecho/unecho/index"
)

// lives serves with one replica after another: one that differs from another member's is given up for one that is restored
// from before the difference (design 4, rule 10), and one under which the journal was trimmed for one from a newer snapshot. A
// process has one life, as a rule.
func (s *Service) lives(ctx, drain context.Context, name *name, slots []string) error {
	var open *dispute
	var times overtakings
	for {
		err := s.live(ctx, drain, name, slots, open)
		var disputed *disputedError
		var overtaken *overtakenError
		switch {
		case errors.As(err, &disputed):
			open = &disputed.dispute
			s.shared.counters.divergences.Add(1)
			s.setup.Logger.Error().Err(disputed).Str("other", open.Member).Int64("journal_offset", open.Offset).
				Msg("replicas differ: this member leaves the group, restores from before that, and replays")
		case errors.As(err, &overtaken):
			if err := times.another(s.shared, overtaken); err != nil {
				return err
			}
		default:
			return err
		}
		s.took = beginPhases()
		s.leave(ctx, slots)
	}
}

// live restores a replica and works with it. Because of an open dispute it begins before the disputed offset.
func (s *Service) live(ctx, drain context.Context, name *name, slots []string, open *dispute) error {
	below := int64(math.MaxInt64)
	if open != nil {
		below = open.Offset
	}
	replica, place, err := s.shared.restore(drain, s.setup.Store, below)
	if err != nil {
		return fmt.Errorf("start: %w", err)
	}
	s.took.end("restore")
	s.mu.Lock()
	s.shared.follower = newFollower(name.member, replica, place.LeaderEpoch, open)
	s.running = true
	s.mu.Unlock()
	return s.work(ctx, drain, name, slots, place)
}

// work owns the goroutines: the follower outlives the sessions, and the keeper's last snapshot comes after them.
func (s *Service) work(ctx, drain context.Context, name *name, slots []string, place journal.Place) error {
	u := journal.NewUnpacker(s.setup.Journal)
	opts := append(append([]kgo.Opt{}, s.setup.Kafka...), journal.FollowerOptions(s.shared.journalTopic, place, u)...)
	client, err := kgo.NewClient(opts...)
	if err != nil {
		return fmt.Errorf("open follower: %w", err)
	}
	defer client.Close()
	group, ctx := errgroup.WithContext(ctx)
	follow, stopFollowing := context.WithCancel(ctx)
	group.Go(func() error {
		defer close(s.shared.follower.ended)
		err := journal.Follow(follow, client, s.handler(place, u))
		if follow.Err() != nil && ctx.Err() == nil {
			return nil
		}
		return s.shared.unfollowed(s.shared.trimmedUnder(ctx, err))
	})
	group.Go(func() error { return name.keep(follow) })
	group.Go(func() error {
		defer stopFollowing()
		return s.sessions(ctx, drain, name.member, slots)
	})
	return group.Wait()
}

// handler applies the journal to the replica.
func (s *Service) handler(from journal.Place, u *unpack.Unpacker) journal.Handler {
	f, said := s.shared.follower, &journalLog{shared: s.shared}
	return journal.Handler{
		From: from.Offset, Unpacker: u,
		Apply: f.apply, Passed: f.passed, Ask: f.asks, ProducerTime: s.setup.ProducerTime, Owner: s.setup.Params.Group,
		Skip: func(at index.Stamp, leaderEpoch int32, why *journal.StrayError) error {
			f.skip(at, leaderEpoch, why)
			said.stray(why)
			return nil
		},
		Untimed: said.withoutTime,
		Trouble: func(err error) { s.setup.Logger.Warn().Err(err).Msg("the journal cannot be read now: asking again") },
	}
}

// unfollowed is what the process ends with when the journal cannot be followed any more.
func (sh *shared) unfollowed(err error) error {
	var overtaken *overtakenError
	switch {
	case errors.As(err, &overtaken):
		return err
	case errors.Is(err, journal.ErrNewer):
		return &StopError{
			What: fmt.Sprintf("journal %s holds what this version of unecho cannot read", sh.journalTopic), Err: err,
			Remedy: "start the version that the other members run",
		}
	case errors.Is(err, journal.ErrLost):
		return &StopError{
			What: "this replica cannot go on", Err: err,
			Remedy: "start again to restore from a snapshot; if it stops here again, the journal lost records: restore it, or delete journal and snapshots to begin anew",
		}
	}
	return err
}

// sessions takes part in the group as often as the replica has caught up, and takes a last snapshot.
func (s *Service) sessions(ctx, drain context.Context, member string, slots []string) error {
	k := newKeeper(s.shared, s.setup.Store, s.setup.Snapshot, member)
	for {
		accused, err := s.prepare(ctx, drain)
		if err != nil || drain.Err() != nil {
			return err
		}
		switch err := s.takePart(ctx, drain, k, slots, accused); {
		case err == nil && ctx.Err() == nil:
			return s.finish(ctx, k)
		case !errors.Is(err, errBehind): // or nil: another replica is needed, or the time to drain is over
			return err
		}
		s.took = beginPhases()
		s.shared.counters.withdrawals.Add(1)
		s.setup.Logger.Warn().Dur("max_lag_ms", s.setup.Params.MaxLag).
			Msg("the replica lags behind the journal: this member leaves the group until it has caught up")
		s.leave(ctx, slots)
	}
}

// prepare catches up and settles an open dispute. It returns nil when it is time to drain.
func (s *Service) prepare(ctx, drain context.Context) (accused bool, err error) {
	starting, cancel := context.WithCancel(ctx)
	defer context.AfterFunc(drain, cancel)()
	defer cancel()
	err = s.catchUp(starting)
	if err == nil {
		accused, err = s.settleDispute(starting)
	}
	if drain.Err() != nil {
		return false, nil
	}
	return accused, err
}

// takePart runs the sessions and what goes beside them until it is time to drain, or the replica lags: errBehind.
func (s *Service) takePart(ctx, drain context.Context, k *keeper, slots []string, accused bool) error {
	working, withdraw := context.WithCancelCause(ctx)
	defer withdraw(nil)
	group, inner := errgroup.WithContext(working)
	draining, stop := context.WithCancel(drain)
	defer context.AfterFunc(inner, stop)()
	defer stop()
	sessions, err := s.shared.newSessions(slots)
	if err != nil {
		return err
	}
	for _, session := range sessions {
		group.Go(func() error { return session.run(inner, draining) })
	}
	s.took.end("catch_up")
	beside, stopBeside := context.WithCancel(ctx)
	var others sync.WaitGroup
	others.Go(func() {
		if accused { // whoever restores now must not begin with a snapshot of the accused
			k.keep(beside, k.snapshot)
		}
		k.run(beside)
	})
	others.Go(func() { s.watchLag(beside) })
	others.Go(func() { s.watchStanding(beside, k.member, sessions) })
	others.Go(func() { s.watchReplica(beside, withdraw) })
	err = group.Wait()
	stopBeside()
	others.Wait()
	if err == nil && errors.Is(context.Cause(working), errBehind) {
		return errBehind
	}
	return err
}

// leave takes all slots out of the group, whose partitions others get at once.
func (s *Service) leave(ctx context.Context, slots []string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveTimeout)
	defer cancel()
	for _, slot := range slots {
		if err := s.shared.leave(ctx, slot); err != nil {
			s.setup.Logger.Warn().Err(err).Msg("the group notices only by its time-out that this session is gone")
		}
	}
}

// finish is the end of a drain: the last snapshot, at the journal's end.
func (s *Service) finish(ctx context.Context, k *keeper) error {
	if end, err := s.shared.journalEnd(ctx); err == nil {
		if err := s.shared.follower.wait(ctx, end-1); err != nil {
			return err
		}
	}
	k.keep(ctx, k.snapshot)
	return nil
}

// catchUp passes the journal's end as it is when it asks, again until that is soon done, and makes sure of settings
// and routing: members that differ must not run together.
func (s *Service) catchUp(ctx context.Context) error {
	for declared := 0; ; {
		end, err := s.shared.journalEnd(ctx)
		if err != nil {
			return err
		}
		began := time.Now()
		if err := s.shared.follower.wait(ctx, end-1); err != nil {
			return err
		}
		if err := s.belongs(); err != nil {
			return err
		}
		took := time.Since(began)
		if took > s.setup.Params.MaxLag/2 {
			continue // what came meanwhile may be as much
		}
		agreed, err := s.shared.agree(ctx, declared)
		if err != nil {
			return err
		}
		declared++
		if agreed {
			s.shared.follower.caughtUp.Store(true)
			s.setup.Logger.Info().Int64("journal_offset", end).Dur("took_ms", took).Msg("caught up with the journal")
			return nil
		}
	}
}
