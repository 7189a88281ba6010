package consumer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kgo"
	"golang.org/x/sync/semaphore"

	"github.com/unecho/unecho/consumer/cluster"
	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/gateway"
	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/member"
	"github.com/unecho/unecho/consumer/phase"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/recent"
	"github.com/unecho/unecho/consumer/routing"
	"github.com/unecho/unecho/consumer/session"
	"github.com/unecho/unecho/consumer/signing"
	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/sink"
)

// Params are the settings of the group. The package that reads them defines them, as it does the types that follow.
type Params = session.Params

// SourceParams say what is read.
type SourceParams = session.SourceParams

// Waiting is a partition that waits for a person.
type Waiting = session.Waiting

// Standing says whether the process would forward a document that came now.
type Standing = session.Standing

// Latency is how long batches took, by stage.
type Latency = session.Latency

// Histogram counts durations by their length, or other values by their size.
type Histogram = session.Histogram

// Verdicts say how many documents of a source topic were committed.
type Verdicts = session.Verdicts

// StopError ends the process because a person is needed.
type StopError = stop.Error

// DefaultParams are the defaults of the group's settings.
func DefaultParams() Params { return session.DefaultParams() }

// DefaultSourceParams are the defaults of the source's settings.
func DefaultSourceParams() SourceParams { return session.DefaultSourceParams() }

// Setup is everything a service is made of. The caller closes the store.
type Setup struct {
	Kafka    []kgo.Opt // how the cluster is reached
	Sessions []kgo.Opt // more for the clients that documents pass
	Params   Params
	Source   SourceParams
	Document document.Params
	Index    index.Params
	Journal  journal.Params
	Sink     sink.Params
	Snapshot snapshot.Params
	Store    snapshot.Store
	Leases   snapshot.Leaser // nil: there are none, and Params.Member is set
	Settings []byte          // canonical text of all settings that decide verdicts
	Plan     *protocol.Plan  // of a backfill; nil is a live group
	MaxRate  int             // documents a second that a backfill judges at most; 0 is no bound
	GoesOn   bool            // the backfill goes on as a live group, which begins with the last snapshot of the backfill
	Logger   zerolog.Logger
	// ProducerTime accepts a journal whose records carry the appender's time. The embedded broker, which lives in the
	// appender's process, stamps no time of its own.
	ProducerTime bool

	lagEvery time.Duration // for tests; 0: the constant
	// sourcesEvery is for tests; 0: the constant
	sourcesEvery time.Duration
	forbidden    time.Duration // for tests; 0: journal.ForbiddenPatience
	waited       time.Duration // for tests: how long a partition has waited already when it begins to wait
}

// Service is one process of the consumer group.
type Service struct {
	setup    Setup
	agreed   *member.Agreed
	session  session.Setup // common to all sessions; cluster, log and replica are set later
	replicas *member.Counters
	loops    []setting.Mistake // topics in two roles
	lookout  *lookout          // for topics that source.pattern brings; used by one goroutine at a time
	stirred  chan struct{}     // signals that a session's standing has changed

	done context.CancelFunc // drains, because the backfill is finished
	took *phase.Phases      // time spent on the way to being ready; only used by the goroutine that runs the service

	withdrawals atomic.Uint64
	ready       atomic.Bool

	mu      sync.Mutex
	log     *journal.Log     // nil: the cluster is not reached yet
	replica *member.Follower // nil: there is none yet
	owed    owed             // of the source
	stands  Standing
	called  string // the member's name; empty: it has none yet
	lagRead bool   // the last reading of the lags succeeded

	backfill protocol.Progress
	recent   recent.Copies
	forgets  sync.Mutex // held while documents are forgotten for somebody

	roster roster // of the group

	taken *gateway.Counters // over HTTP

	cut   cuts   // only used by the goroutine that reads the lags
	doubt doubts // as cut
}

// New builds a service from valid parameters. It starts nothing.
func New(setup Setup) (*Service, error) {
	setup.Document.Registry.Logger = setup.Logger
	reader, err := document.New(setup.Document, setup.Source.When...)
	if err != nil {
		return nil, fmt.Errorf("build service: %w", err)
	}
	setup.Journal.Topic = setup.Journal.Name(setup.Params.Group)
	choice, err := routing.Choose(setup.Source.Choice(), setup.Sink, setup.Journal.Topic)
	if err != nil {
		return nil, fmt.Errorf("build service: %w", err)
	}
	s := &Service{
		lookout: newLookout(), taken: &gateway.Counters{},
		setup: setup, replicas: member.NewCounters(), stirred: make(chan struct{}, 1), owed: unknownLag(),
		lagRead: true,
		loops:   Loops(setup.Params, setup.Source, setup.Journal, setup.Sink),
	}
	s.session = session.Setup{
		Params: setup.Params, Source: setup.Source, Sink: setup.Sink, MaxEntryBytes: int(setup.Journal.MaxEntryBytes),
		Reader: reader, Sources: session.NewSources(choice),
		Times: session.NewTimes(setup.Sink), Incarnation: session.NewIncarnation(time.Now()),
		Large: semaphore.NewWeighted(signing.LargeAtOnce), Counters: session.NewCounters(setup.Source.Topics),
		Waiting: &session.WaitingList{}, Stir: s.stir,
		Options: setup.Sessions, Logger: setup.Logger, Mode: protocol.NewMode(setup.Plan), Limit: setup.limit(), Ahead: setup.waited,
		PassAfter: setup.Journal.PassAfter(),
	}
	s.fix(setup.Index)
	return s, nil
}

// encoder makes the output records. fingerprint is that of the settings.
func (s *Setup) encoder(fingerprint uint64) *sink.Encoder {
	encoder := sink.New(s.Sink, s.Index.Index.Name, fmt.Sprintf("%s:%016x", s.Index.Algorithm(), fingerprint))
	if s.Plan != nil || s.Index.Window.Late > 0 {
		encoder.MarkLate()
	}
	return encoder
}

// routing is the canonical text of what members agree on beside the settings.
func (s *Setup) routing() []byte {
	text := routing.Text(s.Source.Choice(), s.Sink)
	if s.Plan != nil {
		return routing.WithPlan(text, s.Plan)
	}
	return text
}

// Run serves until ctx is done, then drains: it finishes and commits what is polled, takes a last snapshot and leaves
// the group, all within the drain timeout. It returns nil after a drain, and a *StopError if a person is needed. A
// backfill that is finished drains by itself.
func (s *Service) Run(ctx context.Context) error {
	ctx, s.done = context.WithCancel(ctx)
	defer s.done()
	hard, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	stop := context.AfterFunc(ctx, func() {
		timer := time.AfterFunc(drainTime(s.setup.Params.DrainTimeout), cancel)
		context.AfterFunc(hard, func() { timer.Stop() })
	})
	defer stop()
	err := s.serve(hard, ctx)
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

func (s *Service) serve(ctx, drain context.Context) error {
	s.took = phase.Begin()
	if err := s.closed(); err != nil {
		return err
	}
	c, log, err := s.connect(drain)
	if err != nil {
		return err
	}
	defer c.Client.Close()
	s.mu.Lock()
	s.log = log
	s.mu.Unlock()
	s.took.End("connect")
	called, lease, err := s.takeName(drain)
	if err != nil {
		return err
	}
	name := &name{leases: s.setup.Leases, lease: lease, member: called, logger: s.setup.Logger}
	defer name.release()
	s.mu.Lock()
	s.called = called
	s.mu.Unlock()
	s.took.End("name")
	slots, err := s.slots(drain, c, called)
	if err != nil {
		return fmt.Errorf("start: %w", err)
	}
	s.took.End("fence")
	return s.lives(ctx, drain, &process{Service: s, cluster: c, name: name, slots: slots})
}

// Stats returns what the service has done and how it stands. It may be called at any time.
func (s *Service) Stats() Stats {
	st := s.counted()
	st.Waiting, st.Untaken = s.session.Waiting.List(), s.lookout.list()
	s.mu.Lock()
	defer s.mu.Unlock()
	st.Lags, st.GroupLags, st.Member = s.owed.ours, s.owed.all, s.called
	st.SourceLag, st.Leaderless, st.Standing = s.owed.lag, len(s.owed.leaderless), s.stands
	st.Params, st.Bounds = s.setup.Index, boundsOf(s.setup.Index.Window)
	if s.log != nil {
		st.JournalEnd = s.log.LastEnd()
		st.JournalStart, st.StartTime = s.log.Oldest()
	}
	if s.replica == nil {
		return st
	}
	st.Journal = s.log.Stats()
	st.ClockAhead, st.ClockKnown = s.log.Ahead()
	last := s.replica.Reading()
	st.Params, st.Bounds = last.Params, boundsOf(last.Params.Window)
	st.Index, st.JournalNext, st.AppliedTime = last.Index, last.Next, last.AppendTime
	st.ConfirmedTime, st.Settings = last.ConfirmedTime, last.Settings
	return st
}

// Ready says whether the service would forward a document that came now. It has caught up and takes part in the group.
// Each of its sessions reads what the group gave it, or was given nothing. None of its partitions waits for a person. A
// rebalance does not change that, unless it takes long until the partitions are read.
func (s *Service) Ready() bool { return s.ready.Load() && len(s.session.Waiting.List()) == 0 }

// Lookup returns what the index holds at least as similar to e as the threshold: see member.Follower.Lookup. It returns
// member.ErrNoReplica before there is a replica, and after.
func (s *Service) Lookup(ctx context.Context, e *entry.Entry, most int) (index.Answer, error) {
	replica := s.follower()
	if replica == nil {
		return index.Answer{}, member.ErrNoReplica
	}
	return replica.Lookup(ctx, e, most)
}

// Recent returns the last copies that the group found, as this member's replica saw them. It may be called at any time.
func (s *Service) Recent() *recent.Copies { return &s.recent }

// process is a service that has reached its cluster, and has a name and slots there.
type process struct {
	*Service
	cluster *cluster.Cluster
	name    *name
	slots   []string

	working []*session.Session // of the life at hand; read by the goroutine that reads the lags
	times   lagTimes           // only used by that goroutine
}

// member returns the setup of each replica of the process.
func (p *process) member() *member.Setup {
	s := &p.setup
	return &member.Setup{
		Name: p.name.member, Group: s.Params.Group, Kafka: s.Kafka, Log: p.log, Journal: s.Journal, Agreed: p.agreed,
		Store: s.Store, Leases: s.Leases,
		AcceptJournalGap: s.Source.AcceptJournalGap, ProducerTime: s.ProducerTime, Counters: p.replicas, Recent: &p.recent,
		Logger: s.Logger,
	}
}

// sessions returns the sessions that work with a replica.
func (p *process) sessions(replica *member.Follower) ([]*session.Session, error) {
	setup := p.session
	setup.Cluster, setup.Log, setup.Replica = p.cluster, p.log, replica
	setup.Encoder = p.setup.encoder(p.log.Fingerprint())
	return session.New(&setup, p.slots)
}

func (s *Service) forbiddenPatience() time.Duration {
	return cmp.Or(s.setup.forbidden, journal.ForbiddenPatience)
}
