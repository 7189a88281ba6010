package consumer

import (
	"context"
	"slices"
	"time"

	"golang.org/x/time/rate"

	"github.com/unecho/unecho/consumer/cluster"
	"github.com/unecho/unecho/consumer/feed"
	"github.com/unecho/unecho/consumer/member"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/session"
)

// Progress is how far a backfill has come, with all its processes.
type Progress = protocol.Progress

// Backfill returns how far the backfill had come when that was read last.
func (s *Service) Backfill() Progress {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.backfill
}

// limit is the bound on the rate, or nil if there is none.
func (s *Setup) limit() *rate.Limiter {
	if s.MaxRate <= 0 {
		return nil
	}
	return rate.NewLimiter(rate.Limit(s.MaxRate), max(1, s.MaxRate/10))
}

// progressEvery is how often the progress is read. A backfill ends that much later than its last commit.
const progressEvery = 500 * time.Millisecond

// watchBackfill reads the progress until ctx is done, and has the service drain when all is committed.
func (p *process) watchBackfill(ctx context.Context) {
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	for {
		reading, cancel := context.WithTimeout(ctx, lagEvery)
		now, err := cluster.Progress(reading, p.cluster.Admin(), p.setup.Params.Group, p.setup.Plan)
		cancel()
		if err == nil {
			p.mu.Lock()
			p.backfill = now
			p.mu.Unlock()
			if now.Finished {
				p.done()
				return
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// feedEvery is how often a process looks whether it is the one that feeds.
const feedEvery = 50 * time.Millisecond

// feed feeds the replicas while a session of this process has the first partition of the plan. That one may have no
// leader: others that need none of it go on.
func (p *process) feed(ctx, drain context.Context, replica *member.Follower, sessions []*session.Session) error {
	if p.setup.Plan.Order != protocol.ByPlace || len(p.setup.Plan.Ranges) == 0 {
		return nil
	}
	first := p.setup.Plan.Ranges[0]
	elected := func() bool {
		return slices.ContainsFunc(sessions, func(s *session.Session) bool { return s.Has(first) })
	}
	return p.whileElected(ctx, drain, elected, func(ctx context.Context) error { return p.runFeeder(ctx, replica) })
}

// whileElected runs the feeder whenever this process is elected, one at a time, until one has fed all, ends with an
// error of its own, or it is time to drain.
func (p *process) whileElected(ctx, drain context.Context, elected func() bool, run func(context.Context) error) error {
	tick := time.NewTicker(feedEvery)
	defer tick.Stop()
	var feeding context.Context
	var stop context.CancelFunc
	ended := make(chan error, 1)
	for {
		switch is := elected(); {
		case is && stop == nil:
			feeding, stop = context.WithCancel(ctx)
			go func() { ended <- run(feeding) }()
		case !is && stop != nil:
			stop() // it may be elected again before the feeder has ended
		}
		select {
		case <-tick.C:
		case err := <-ended:
			stopped := feeding.Err() != nil && ctx.Err() == nil
			stop()
			switch stop = nil; {
			case err == nil:
				return nil // all is fed
			case !stopped:
				return err
			}
		case <-drain.Done():
			if stop != nil {
				stop()
				if err := <-ended; err != nil {
					p.setup.Logger.Debug().Err(err).Msg("the feeder ended with the process")
				}
			}
			return nil
		}
	}
}

func (p *process) runFeeder(ctx context.Context, replica *member.Follower) error {
	setup := p.session
	setup.Replica = replica // by whose settings entries are signed
	return feed.Run(ctx, feed.Setup{
		Plan: p.setup.Plan, Cluster: p.cluster, Log: p.log, Replica: replica, Signing: setup.Signing(),
		MaxBatchBytes: int(p.setup.Source.MaxBatchBytes), FetchBytes: int(p.setup.Params.FetchBytes),
		MaxRate: p.setup.MaxRate, MaxHeld: session.MostHeld, Logger: p.setup.Logger,
	})
}
