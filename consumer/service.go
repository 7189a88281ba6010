package consumer

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/unecho/unecho/consumer/balance"
	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/gateway"
	"github.com/unecho/unecho/consumer/measure"
	"github.com/unecho/unecho/consumer/member"
	"github.com/unecho/unecho/consumer/outputs"
	"github.com/unecho/unecho/consumer/phase"
	"github.com/unecho/unecho/consumer/recent"
	"github.com/unecho/unecho/consumer/retry"
	"github.com/unecho/unecho/consumer/routing"
	"github.com/unecho/unecho/consumer/standing"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/snapshot"
)

// Service is one process of the consumer group, as others see it. What works in it is a process.
type Service struct {
	kept
	setup   Setup
	reader  *document.Reader
	lookout *lookout
	roster  roster            // of the group
	taken   *gateway.Counters // over HTTP
	forgets sync.Mutex        // held while documents are forgotten for somebody
}

// kept is what a process keeps from one life to the next: what its sessions and replicas share, and what was last read
// of how it stands, which has one writer each.
type kept struct {
	incarnation balance.Incarnation
	counters    *measure.Counters
	waiting     *standing.WaitingList
	replicas    *member.Counters
	hang        hang
	recent      recent.Copies
	withdrawals atomic.Uint64
	stirred     chan struct{} // signals that a session's standing has changed

	group    atomic.Pointer[reached]         // nil: the cluster is not reached yet
	replica  atomic.Pointer[member.Follower] // nil: there is none yet
	called   atomic.Pointer[string]          // the member's name; empty: it has none yet
	owed     atomic.Pointer[backlog]         // of the source
	stands   atomic.Pointer[state]
	progress atomic.Pointer[Progress]
}

// New builds a service from valid parameters. It starts nothing.
func New(setup Setup) (*Service, error) {
	reader, choice, err := setup.build()
	if err != nil {
		return nil, err
	}
	replicas := member.NewCounters()
	s := &Service{
		setup: setup, reader: reader, taken: &gateway.Counters{},
		kept: kept{
			incarnation: balance.NewIncarnation(time.Now(), setup.Snapshot.For == snapshot.ByOne), counters: measure.NewCounters(document.Named(setup.Sources)),
			waiting: &standing.WaitingList{}, replicas: replicas, hang: hang{setup.lastSteps, replicas, make(chan error, 1)}, stirred: make(chan struct{}, 1),
		},
	}
	s.lookout = &lookout{
		setup: &s.setup, sources: routing.NewTopics(choice), times: outputs.NewTimes(setup.Sink), counters: s.counters,
		missing: map[string]int{},
	}
	s.lookout.untaken.Store(new([]Untaken))
	s.called.Store(new(string))
	s.owed.Store(unknownLag())
	s.stands.Store(&state{})
	s.progress.Store(&Progress{})
	return s, nil
}

// Run serves until ctx is done, then drains: it finishes and commits what is polled, takes a last snapshot and leaves
// the group, all within the drain timeout. It returns nil after a drain, and a *StopError if a person is needed, which is
// ErrHangs if a disk or a server holds it up for longer. A backfill that is finished drains by itself.
func (s *Service) Run(ctx context.Context) error {
	ctx, done := context.WithCancel(ctx)
	defer done()
	hard, cut := retry.Outlast(ctx, drainTime(s.setup.Params.DrainTimeout))
	defer cut()
	return s.run(hard, ctx, done)
}

// run serves until hard is done, and drains from when ctx is.
func (s *Service) run(hard, ctx context.Context, done func()) error {
	err := s.hang.inTime(func() error { return s.serve(hard, ctx, done) })
	if err != nil && ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// drainReserve is the part of the drain timeout that is left for the last steps: ending a transaction, giving back
// leases, closing connections. Servers may no longer answer then.
const drainReserve = 2 * time.Second

// drainTime is the part of the drain timeout that work may take.
func drainTime(timeout time.Duration) time.Duration { return max(timeout-drainReserve, timeout/2) }

// serve makes a process and has it live. The process calls done to drain, because the backfill is finished.
func (s *Service) serve(ctx, drain context.Context, done func()) (err error) {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	defer s.hang.watch(ctx)()
	took := phase.Begin()
	if err := s.setup.closed(); err != nil {
		return err
	}
	r, err := s.setup.connect(drain, s.reader, s.lookout)
	if err != nil {
		return err
	}
	defer r.cluster.Client.Close()
	closed, err := openFiles(r)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closed()) }()
	s.replicas.Watch(r.files)
	s.group.Store(r)
	took.End("connect")
	sources, _ := s.lookout.sources.List()
	r.preview(drain, sources)
	took.End("preview")
	name, err := s.setup.takeName(drain)
	if err != nil {
		return err
	}
	p := &process{
		reached: r, kept: &s.kept, name: name, took: took, done: done, lookout: s.lookout, limit: s.setup.limit(),
		lags: s.lags(r), remarks: remarks{setup: r.setup},
	}
	defer func() {
		end(err)
		p.name.release()
	}()
	s.called.Store(&name.member)
	took.End("name")
	if err := p.refuseSecond(drain); err != nil {
		return err
	}
	if p.slots, err = r.fence(drain, name.member); err != nil {
		return fmt.Errorf("start: %w", err)
	}
	took.End("fence")
	return p.lives(ctx, drain)
}

// Stats returns what the service has done and how it stands. It may be called at any time.
func (s *Service) Stats() Stats {
	st := s.counted()
	owed, stands := s.owed.Load(), s.stands.Load()
	st.Lags, st.GroupLags, st.SourceLag, st.LagErr, st.Leaderless = owed.ours, owed.all, owed.lag, owed.why, len(owed.leaderless)
	st.Standing, st.Ready = stands.Standing, stands.ready && st.FileTrouble == ""
	st.Waiting, st.Untaken = s.waiting.List(), *s.lookout.untaken.Load()
	st.Params, st.Member = s.setup.Index, *s.called.Load()
	if r := s.group.Load(); r != nil {
		st.Params, st.JournalEnd = r.setup.Index, r.log.LastEnd()
		st.JournalStart, st.StartTime = r.log.Oldest()
		st.Journal = r.log.Stats()
		st.ClockAhead, st.ClockKnown = r.log.Ahead()
	}
	if replica := s.replica.Load(); replica != nil {
		last := replica.Reading()
		st.Params, st.Index, st.JournalNext, st.AppliedTime = last.Params, last.Index, last.Next, last.AppendTime
		st.ConfirmedTime, st.Settings = last.ConfirmedTime, last.Settings
	}
	w := &st.Params.Duplicates.Remember
	st.Bounds = WindowLimits{Age: w.Age, Documents: w.Documents, Bytes: int64(w.Memory)}
	return st
}

// Ready says whether the service would forward a document that came now. It has caught up and takes part in the group.
// Each of its sessions reads what the group gave it, or was given nothing. None of its partitions waits for a person. A
// rebalance does not change that, unless it takes long until the partitions are read. Judging does not wait for files of
// old documents for long.
func (s *Service) Ready() bool {
	return s.stands.Load().ready && len(s.waiting.List()) == 0 && s.replicas.FileTrouble(time.Now()) == ""
}

// Lookup returns what the index holds at least as similar to e as the threshold, or else the nearest: see
// member.Follower.Lookup. It returns member.ErrNoReplica before there is a replica, and after.
func (s *Service) Lookup(ctx context.Context, e *entry.Entry, most int) (index.Answer, error) {
	replica := s.replica.Load()
	if replica == nil {
		return index.Answer{}, member.ErrNoReplica
	}
	return replica.Lookup(ctx, e, most)
}

// Recent returns the last copies that the group found, as this member's replica saw them. It may be called at any time.
func (s *Service) Recent() *recent.Copies { return &s.recent }

// Backfill returns how far the backfill had come when that was read last.
func (s *Service) Backfill() Progress { return *s.progress.Load() }
