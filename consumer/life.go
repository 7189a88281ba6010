package consumer

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/time/rate"

	"github.com/unecho/unecho/consumer/balance"
	"github.com/unecho/unecho/consumer/member"
	"github.com/unecho/unecho/consumer/outputs"
	"github.com/unecho/unecho/consumer/phase"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/retry"
	"github.com/unecho/unecho/consumer/session"
	"github.com/unecho/unecho/consumer/stop"
)

// process is a service that has reached its group, and has a name and slots there.
type process struct {
	*reached
	*kept
	name    *name
	slots   []string
	done    func()        // drains, because the backfill is finished
	took    *phase.Phases // time spent on the way to being ready
	limit   *rate.Limiter
	lookout *lookout
	lags    *lags
	remarks remarks
}

// sessions returns what the sessions that work with a replica have in common.
func (p *process) sessions(replica *member.Follower) *session.Setup {
	s, mode := p.setup, protocol.NewMode(p.setup.Plan)
	return &session.Setup{
		Params: s.Params, Topics: p.lookout.sources, Sink: s.Sink, MaxEntryBytes: int(s.Journal.MaxEntryBytes),
		Cluster: p.cluster, Log: p.log, Replica: replica, Reader: p.reader, Encoder: p.encoder(),
		Clock:       &outputs.Clock{Times: p.lookout.times, Mode: mode, Log: p.log, Replica: replica, Client: p.cluster.Client, Logger: s.Logger},
		Incarnation: p.incarnation, Large: p.large, Counters: p.counters, Waiting: p.waiting, Stir: p.stir,
		Options: s.Sessions, Logger: s.Logger, Mode: mode, Limit: p.limit, Accepted: s.Accepted, Ahead: s.waited,
		PassAfter: s.Journal.PassAfter,
	}
}

// lives serves with one replica after another. A replica that differs from another member's is replaced by one that is
// restored from before the difference (design 4, rule 10). A replica under which the journal was trimmed, or that has lost
// a file, is replaced by one from the newest snapshot. A process that has lost its name goes on under another. As a rule a
// process has one life.
func (p *process) lives(ctx, drain context.Context) error {
	var open *member.Dispute
	var lives member.Lives
	for {
		err := p.live(ctx, drain, open)
		var disputed *member.DisputedError
		switch {
		case errors.As(err, &disputed):
			open = &disputed.Dispute
			p.replicas.Divergences.Add(1)
			p.setup.Logger.Error().Err(disputed).Str("other", open.Member).Int64("journal_offset", open.Offset).
				Msg("replicas differ: this member leaves the group, restores from before that, and replays")
		case errors.Is(err, session.ErrReplaced) && p.staysAlone():
			return &stop.Error{
				What:   fmt.Sprintf("another process with the name of this member, %s, started later in group %s", p.name.member, p.setup.Params.Group),
				Remedy: balance.Together,
				Err:    fmt.Errorf("%w: %w", balance.ErrSecond, session.ErrReplaced),
			}
		case errors.Is(err, session.ErrReplaced) && p.name.lease != nil:
			if err := p.rename(drain); err != nil {
				return err
			}
		default:
			if again, err := lives.Another(p.replica.Load(), err); !again {
				return err
			}
		}
		p.replica.Store(nil) // there is no room for two windows
		p.took = phase.Begin()
		p.cluster.Leave(context.WithoutCancel(ctx), p.slots...)
	}
}

// live restores a replica and works with it. If there is an open dispute, the replica begins before the disputed
// offset.
func (p *process) live(ctx, drain context.Context, open *member.Dispute) error {
	replica, err := member.Restore(drain, p.member(p.name.member, p.replicas, &p.recent), open)
	if err != nil {
		return fmt.Errorf("start: %w", err)
	}
	p.took.End("restore")
	p.replica.Store(replica)
	keepName := func(ctx context.Context) error { p.name.keep(ctx); return nil }
	keepFiles := func(ctx context.Context) error { return member.KeepFiles(ctx, replica) }
	work := func(ctx context.Context) error { return p.takeParts(ctx, drain, replica) }
	return p.hang.following(ctx, replica.Follow, work, keepName, keepFiles)
}

// following works while a replica follows the journal. Following outlives the work, and so does what is beside. After an
// error of one of them the others have as long as watch gives.
func (h hang) following(ctx context.Context, follow, work func(context.Context) error,
	beside ...func(context.Context) error,
) error {
	group, ctx := errgroup.WithContext(ctx)
	longer, stop := context.WithCancel(ctx)
	group.Go(func() error {
		err := follow(longer)
		if longer.Err() != nil && ctx.Err() == nil {
			return nil
		}
		return err
	})
	for _, run := range beside {
		group.Go(func() error { return run(longer) })
	}
	group.Go(func() error {
		defer stop()
		return work(ctx)
	})
	defer h.watch(ctx)()
	return group.Wait()
}

// takeParts takes part in the group each time the replica has caught up, and takes a last snapshot.
func (p *process) takeParts(ctx, drain context.Context, replica *member.Follower) error {
	keeper := member.NewKeeper(replica, p.setup.Store, p.setup.Snapshot, p.name.member)
	for {
		accused, err := p.prepare(ctx, drain, replica)
		if err != nil || drain.Err() != nil {
			return err
		}
		if err := p.fill(ctx, drain, keeper); err != nil {
			return err
		}
		if drain.Err() != nil {
			return p.finish(ctx, keeper)
		}
		switch err := p.takePart(ctx, drain, keeper, accused); {
		case err == nil && ctx.Err() == nil:
			return p.finish(ctx, keeper)
		case !errors.Is(err, member.ErrBehind): // or err is nil: another replica is needed, or the time to drain is over
			return err
		}
		p.took = phase.Begin()
		p.withdrawals.Add(1)
		p.setup.Logger.Warn().Dur("max_lag_ms", p.setup.Params.MaxLag).
			Msg("the replica lags behind the journal: this member leaves the group until it has caught up")
		p.cluster.Leave(context.WithoutCancel(ctx), p.slots...)
	}
}

// prepare catches up and settles an open dispute. It returns no error when it is time to drain.
func (p *process) prepare(ctx, drain context.Context, replica *member.Follower) (accused bool, err error) {
	starting, cancel := context.WithCancel(ctx)
	defer context.AfterFunc(drain, cancel)()
	defer cancel()
	err = replica.CatchUp(starting, p.setup.Params.MaxLag)
	if err == nil {
		accused, err = replica.SettleDispute(starting)
	}
	if drain.Err() != nil {
		return false, nil
	}
	return accused, err
}

// fill fills the window before the sessions begin, if the group's duty is that. It returns when the group is to forward
// and its window is filled, or when it is time to drain.
func (p *process) fill(ctx, drain context.Context, keeper *member.Keeper) error {
	if _, filled, err := dutyOf(keeper.Follower); filled || err != nil {
		return err
	}
	with, err := p.filling(keeper.Follower)
	if err != nil {
		return err
	}
	filling, stop := context.WithCancel(ctx)
	defer stop()
	defer context.AfterFunc(drain, stop)()
	var beside sync.WaitGroup
	beside.Go(func() { keeper.Run(filling) })
	beside.Go(func() { p.remarks.Run(filling, keeper.Follower) })
	beside.Go(func() { p.lookout.Run(filling, p.cluster.Client) })
	beside.Go(func() { p.logFill(filling, keeper.Follower) })
	r := rounds{filling: with, caughtUp: p.filled}
	err = r.Run(filling)
	stop()
	beside.Wait()
	p.stands.Store(&state{})
	p.took.End("fill")
	if drain.Err() != nil {
		return nil
	}
	return err
}

// filled says that the window is filled: the process would forward as soon as its group has taken over.
func (p *process) filled() {
	if p.stands.Swap(&state{ready: true}).ready {
		return
	}
	event := p.setup.Logger.Info().Str("group", p.setup.Params.Group)
	now := p.replica.Load().Reading().Index
	if event = event.Int("documents", now.Documents); now.Documents > 0 {
		event = event.Time("since", time.UnixMilli(now.OldestApplied).UTC())
	}
	event.Msg("the window is filled: after unecho takeover this group forwards")
}

// fillEvery is how often a process says how far the fill of its window is.
const fillEvery = 10 * time.Second

// logFill says how far the window is filled, until ctx is done.
func (p *process) logFill(ctx context.Context, replica *member.Follower) {
	for told := time.Now(); ; {
		now, is := fillOf(replica), p.stands.Load()
		if !is.ready {
			trouble := fmt.Sprintf("the window is being filled: %d of %d offsets, %d documents", now.Done, now.Total, now.Documents)
			if d, _, err := dutyOf(replica); err == nil && filledByPerson(&d) {
				trouble += "; the group forwards when unecho fill is done: if it does not run any more, run it again"
			}
			p.stands.CompareAndSwap(is, &state{Standing{Trouble: trouble}, false})
		}
		if !is.ready && time.Since(told) >= fillEvery {
			told = time.Now()
			p.setup.Logger.Info().Int64("done", now.Done).Int64("of", now.Total).Int("documents", now.Documents).Msg("the window is being filled")
		}
		if retry.Pause(ctx, standingEvery) != nil {
			return
		}
	}
}

// takePart runs the sessions and their companions until it is time to drain, or until the replica lags:
// member.ErrBehind. Another member may end it: balance.ErrSecond.
func (p *process) takePart(ctx, drain context.Context, keeper *member.Keeper, accused bool) error {
	working, withdraw := context.WithCancelCause(ctx)
	defer withdraw(nil)
	keeper.Alone = p.aloneOr(withdraw)
	group, inner := errgroup.WithContext(working)
	draining, stop := context.WithCancel(drain)
	defer context.AfterFunc(inner, stop)()
	defer stop()
	setup := p.sessions(keeper.Follower)
	sessions, err := session.New(setup, p.slots)
	if err != nil {
		return err
	}
	for _, session := range sessions {
		group.Go(func() error { return session.Run(inner, draining) })
	}
	p.took.End("catch_up")
	if p.setup.Plan != nil {
		feeder := feeder{setup: p.setup, common: setup, sessions: sessions}
		group.Go(func() error { return feeder.Run(inner, draining) })
	}
	beside, stopBeside := context.WithCancel(ctx)
	var others sync.WaitGroup
	others.Go(func() {
		if accused { // so that nobody restores a snapshot of the accused
			keeper.Take(beside)
		}
		keeper.Run(beside)
	})
	others.Go(func() { keeper.WatchLag(beside, p.setup.Params.MaxLag, setup.PassAfter > 0, withdraw) })
	p.watch(beside, &others, setup, sessions)
	err = group.Wait()
	stopBeside()
	others.Wait()
	if cause := context.Cause(working); err == nil && (errors.Is(cause, member.ErrBehind) || errors.Is(cause, balance.ErrSecond)) {
		return cause
	}
	return err
}

// watch runs what only informs, beside the sessions.
func (p *process) watch(ctx context.Context, group *sync.WaitGroup, common *session.Setup, sessions []*session.Session) {
	group.Go(func() { p.lags.Run(ctx, sessions) })
	group.Go(func() { p.remarks.Run(ctx, common.Replica) })
	group.Go(func() { p.lookout.Run(ctx, p.cluster.Client) })
	if p.setup.Plan != nil {
		group.Go(func() { (&progress{p.reached, &p.progress, p.done}).Run(ctx) })
	}
	ready := &readiness{common, p.replicas, sessions, p.name.member, p.took, p.stirred, &p.stands}
	group.Go(func() { ready.Run(ctx) })
}

// finish ends a drain with the last snapshot, at the journal's end. Nobody would read that of a backfill that is
// finished.
func (p *process) finish(ctx context.Context, keeper *member.Keeper) error {
	if p.setup.Plan != nil && !p.setup.GoesOn && p.progress.Load().Finished {
		return nil
	}
	if end, err := p.log.End(ctx); err == nil {
		if err := keeper.Wait(ctx, end-1); err != nil {
			return err
		}
	}
	keeper.Take(ctx)
	return nil
}
