package consumer

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/unecho/unecho/consumer/cluster"
	"github.com/unecho/unecho/consumer/feed"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/retry"
	"github.com/unecho/unecho/consumer/session"
)

// Progress is how far a backfill has come, with all its processes.
type Progress = protocol.Progress

// progressEvery is how often the progress is read. A backfill ends that much later than its last commit.
const progressEvery = 500 * time.Millisecond

// progress reads how far a backfill has come.
type progress struct {
	*reached
	last     *atomic.Pointer[Progress]
	finished func() // all is committed
}

// Run reads until ctx is done, or all is committed.
func (p *progress) Run(ctx context.Context) {
	for {
		reading, cancel := context.WithTimeout(ctx, lagEvery)
		now, err := cluster.Progress(reading, p.cluster.Admin(), p.setup.Params.Group, p.setup.Plan)
		cancel()
		if err == nil {
			p.last.Store(&now)
			if now.Finished {
				p.finished()
				return
			}
		}
		if retry.Pause(ctx, progressEvery) != nil {
			return
		}
	}
}

// feedEvery is how often a process looks whether it is the one that feeds.
const feedEvery = 50 * time.Millisecond

// feeder feeds the replicas while a session of this process has the first partition of the plan. That one may have no
// leader: others that need none of it go on.
type feeder struct {
	setup    *Setup
	common   *session.Setup
	sessions []*session.Session
}

// Run feeds until all is fed, or it is time to drain.
func (f *feeder) Run(ctx, drain context.Context) error {
	if f.setup.Plan.Order != protocol.ByPlace || len(f.setup.Plan.Ranges) == 0 {
		return nil
	}
	first := f.setup.Plan.Ranges[0].Name()
	elected := func() bool {
		return slices.ContainsFunc(f.sessions, func(s *session.Session) bool { return s.Standing.Has(first) })
	}
	return f.whileElected(ctx, drain, elected, f.feed)
}

// whileElected runs the feeder whenever this process is elected, one at a time, until one has fed all, ends with an
// error of its own, or it is time to drain.
func (f *feeder) whileElected(ctx, drain context.Context, elected func() bool, run func(context.Context) error) error {
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
					f.setup.Logger.Debug().Err(err).Msg("the feeder ended with the process")
				}
			}
			return nil
		}
	}
}

func (f *feeder) feed(ctx context.Context) error {
	c := f.common // by the settings of its replica entries are signed
	return feed.Run(ctx, feed.Setup{
		Plan: f.setup.Plan, Cluster: c.Cluster, Log: c.Log, Replica: c.Replica, Signing: c.Signing(),
		MaxBatchBytes: int(f.setup.Params.MaxBatchBytes), FetchBytes: int(f.setup.Params.FetchBytes),
		MaxRate: f.setup.MaxRate, MaxHeld: session.MostHeld, Logger: f.setup.Logger,
	})
}
