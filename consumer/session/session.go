package session

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/phase"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/retry"
	"github.com/unecho/unecho/consumer/signing"
	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/consumer/unpack"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/sink"
)

// key names a partition as the client does.
type key struct {
	topic     string
	partition int32
}

// Session is one member of the group with transactions of its own. Its loop is one goroutine; the client calls assign
// and revoke from others.
type Session struct {
	*Setup
	slot        string // instance id, and with the group the transactional id
	client      *kgo.GroupTransactSession
	unpacker    *unpack.Unpacker   // of the client
	abandon     context.CancelFunc // ends the client's every request
	workers     signing.Workers
	out         *sink.Batch
	records     []kgo.Record
	items       []item   // of the batch at hand
	frames      frames   // of its entries
	reads       []string // topics that the client reads
	subscribed  int      // the version of Sources that these are
	counted     outputs
	intake      *protocol.Intake
	commits     int                                 // by this session since the process started
	patient     map[entry.Source]*protocol.Patience // of the client's goroutine that assigns
	looked      time.Time                           // for leaders of partitions that had none
	followed    time.Time                           // when a shadow last asked what the followed group has committed
	unheard     time.Time                           // since when that was nothing of the source; zero: it was something
	warned      bool                                // of that
	standing    *standing
	outage      *outage
	recordsFrom time.Time         // when what is owed is tried again
	paused      map[key]bool      // partitions that a backfill or a shadow does not poll now
	fruitful    time.Time         // when a poll of a backfill brought records, or somebody asked what is left
	waited      map[key]time.Time // since when a partition of a backfill is fed and not polled
	left        atomic.Bool       // the group, for good

	mu        sync.Mutex
	took      *phase.Phases  // of the way to the partitions that are being given
	unsettled error          // of makeWay
	terms     protocol.Terms // of the partitions that were given last
	assigned  map[key]*assignment
	written   map[key]time.Time // timestamp of the last document that was committed of what is assigned
	unled     map[key]bool      // given to us, and not read: they had no leader
	tallied   int               // partitions of this session in the counters
	leaving   []*assignment     // revoked, their base perhaps not announced
	revoked   bool              // since the last End
	revoking  chan struct{}     // closed when revoked becomes true
	moved     map[entry.Source]bool
	gone      map[entry.Source]int64 // below, deleted documents are counted
	stop      error                  // ends the process
}

// New makes a session for each slot. They start nothing.
func New(setup *Setup, slots []string) ([]*Session, error) {
	sessions := make([]*Session, len(slots))
	for i, slot := range slots {
		u := unpack.New(setup.unpackBounds())
		workers, err := signing.NewWorkers(setup.Signing(), u)
		if err != nil {
			return nil, err
		}
		sessions[i] = &Session{
			Setup: setup, slot: slot, unpacker: u, workers: workers, out: setup.Encoder.NewBatch(),
			intake: protocol.NewIntake(setup.Params.PollRecords), moved: map[entry.Source]bool{}, gone: map[entry.Source]int64{},
			patient: map[entry.Source]*protocol.Patience{}, standing: newStanding(slot, setup.Stir),
			outage: newOutage(),
		}
	}
	return sessions, nil
}

// Run keeps a session alive until drain is done. It opens, works, and whenever an outcome is unknown closes and opens
// again.
func (s *Session) Run(ctx, drain context.Context) error {
	watching, end := context.WithCancel(ctx)
	var watch sync.WaitGroup
	watch.Go(func() { s.watchJournal(watching) })
	err := s.work(ctx, drain)
	end()
	watch.Wait()
	if s.outage.since.Swap(nil) != nil {
		s.Counters.Passing.Add(-1)
	}
	return err
}

func (s *Session) work(ctx, drain context.Context) error {
	wait := rebuildWait
	for {
		commits := s.commits
		err := s.once(ctx, drain)
		if stop := s.stopCause(err); stop != nil {
			return stop
		}
		if drain.Err() != nil || ctx.Err() != nil {
			s.leaveGroup(ctx, drain)
			return nil //nolint:nilerr // draining is no error
		}
		s.rebuilt(err, s.commits > commits)
		if wait = min(2*wait, maxRebuildWait); s.commits > commits {
			wait = rebuildWait
		}
		if err := retry.Pause(drain, wait); err != nil {
			s.leaveGroup(ctx, drain)
			return nil //nolint:nilerr // draining is no error
		}
	}
}

// rebuilt says that the session is built anew. Once is nothing, again and again is trouble.
func (s *Session) rebuilt(because error, committed bool) {
	s.Counters.Rebuilds.Add(1)
	inARow := s.standing.fails(time.Now(), because, committed)
	level := zerolog.InfoLevel
	if inARow > 1 {
		level = zerolog.WarnLevel
	}
	s.Logger.WithLevel(level).Str("session", s.slot).AnErr("because", because).Int("in_a_row", inARow).
		Msg("session is rebuilt")
}

// How long a session waits before it is built again: longer each time, until one commits.
const (
	rebuildWait    = 50 * time.Millisecond
	maxRebuildWait = 3 * time.Second
)

// stopCause returns the error that ends the process, if there is one.
func (s *Session) stopCause(err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var final *stop.Error
	switch {
	case s.stop != nil:
		return s.stop
	case errors.As(err, &final):
		return err
	case errors.Is(err, errStranger), errors.Is(err, kerr.InconsistentGroupProtocol):
		return Shared(s.Params.Group, "the next start names it", err)
	}
	for _, final := range []error{
		kerr.InvalidSessionTimeout, kerr.InvalidTransactionTimeout, kerr.GroupAuthorizationFailed,
		kerr.TopicAuthorizationFailed,
		kerr.TransactionalIDAuthorizationFailed, kerr.ClusterAuthorizationFailed, kerr.InvalidGroupID,
	} {
		if errors.Is(err, final) {
			return &stop.Error{
				What: "session " + s.slot + " cannot work", Err: err,
				Remedy: "correct the setting or the permission that the broker names",
			}
		}
	}
	return nil
}

// stopped remembers an error that ends the process, and wakes the loop. The client by itself would only try again. An
// error that passes by itself, like the end of a context, must not come here.
func (s *Session) stopped(because *stop.Error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stop == nil {
		s.stop = because
	}
	s.abandon()
	return because
}

func (s *Session) once(ctx, drain context.Context) error {
	if err := s.Cluster.Fence(ctx, s.slot); err != nil {
		return err
	}
	if err := s.open(); err != nil {
		return err
	}
	defer s.close(ctx)
	err := s.loop(ctx, drain)
	if err != nil && drain.Err() == nil && s.replaced(ctx) {
		return &stop.Error{
			What:   fmt.Sprintf("another process took the place of %s in group %s", s.slot, s.Params.Group),
			Remedy: "give each process a consumer.member of its own, or none, so that each takes a free one",
			Err:    fmt.Errorf("%w: %w", ErrReplaced, err),
		}
	}
	s.leaveGroup(ctx, drain)
	return err
}

// replaced asks the group whether another process took this session's instance. Such a process has first fenced the
// transactional id, so that the session may see no more than a fenced producer; and building it anew would fence the
// other in turn, for ever. A process whose client has not joined yet, or that the group cannot be asked about, is
// found when this session is fenced again.
func (s *Session) replaced(ctx context.Context) bool {
	own, _ := s.kafkaClient().GroupMetadata()
	if own == "" {
		return false // it had no place that could have been taken
	}
	ctx, cancel := context.WithTimeout(ctx, replacedTimeout)
	defer cancel()
	for {
		by, told := s.successor(ctx, own)
		if told {
			return s.Incarnation.yieldsTo(by)
		}
		if retry.Pause(ctx, replacedPause) != nil {
			return false
		}
	}
}

// successor returns the incarnation of the member that has this session's instance now, unless that is still the
// member own. If nobody else has it, by is this process's own incarnation. Told says that the group has answered and
// that its members have settled.
func (s *Session) successor(ctx context.Context, own string) (by Incarnation, told bool) {
	groups, err := s.Cluster.Admin().DescribeGroups(ctx, s.Params.Group)
	if err != nil {
		return "", false
	}
	group := groups[s.Params.Group]
	for _, m := range group.Members {
		if m.InstanceID != nil && *m.InstanceID == s.slot && m.MemberID != own {
			return IncarnationOf(&m), group.State == "Stable" // else it shows no metadata
		}
	}
	return s.Incarnation, true
}

// How long a session waits for the group to settle, and how often it looks.
const (
	replacedTimeout = 2 * time.Second
	replacedPause   = 50 * time.Millisecond
)

// leaveGroup is part of a final shutdown. It runs before the client is closed, because closing would wait for a
// rebalance that others hold up. It runs again afterwards, because a client that was about to join may have joined in
// between.
func (s *Session) leaveGroup(ctx, drain context.Context) {
	if drain.Err() == nil || ctx.Err() != nil || s.Params.KeepMembership {
		return
	}
	s.left.Store(true)
	s.Cluster.Leave(ctx, s.slot)
}

func (s *Session) open() error {
	life, abandon := context.WithCancel(context.Background())
	s.mu.Lock()
	if stop := s.stop; stop != nil { // watchJournal may find that a person is needed, also between two clients
		s.mu.Unlock()
		abandon()
		return stop
	}
	s.abandon = abandon
	s.assigned, s.unled, s.leaving = map[key]*assignment{}, map[key]bool{}, nil
	s.written = map[key]time.Time{}
	s.revoked, s.revoking = false, make(chan struct{})
	s.terms, s.followed = protocol.Terms{Mode: s.Mode}, time.Time{}
	s.took, s.unsettled = phase.Begin(), nil
	s.unpacker = s.unpacker.Renew()
	s.mu.Unlock()
	s.standing.opens(time.Now())
	if s.reads, s.subscribed = s.Sources.List(); len(s.reads) == 0 {
		s.standing.idles(time.Now()) // the client joins the group with the first topic
	}
	s.paused, s.waited, s.fruitful = map[key]bool{}, map[key]time.Time{}, time.Now()
	s.out, s.records = s.Encoder.NewBatch(), nil // the client before may still hold what it was given
	deals := newBalancer(s.Incarnation)
	opts := append(append(append(s.sessionOptions(s.slot, deals), s.leaveLogger()...), s.unpacker.Options(s.Cluster.Client)...),
		kgo.WithContext(life),
		kgo.AdjustFetchOffsetsFn(s.assign),
		kgo.OnPartitionsAssigned(func(ctx context.Context, client *kgo.Client, given map[string][]int32) {
			if deals.again() {
				client.ForceRebalance()
			}
			s.makeWay(ctx, given)
		}),
		kgo.OnPartitionsRevoked(func(_ context.Context, _ *kgo.Client, taken map[string][]int32) { s.revoke(taken) }),
		kgo.OnPartitionsLost(func(_ context.Context, _ *kgo.Client, taken map[string][]int32) { s.revoke(taken) }),
	)
	s.mu.Lock() // its callbacks may come before it is returned
	defer s.mu.Unlock()
	client, err := kgo.NewGroupTransactSession(opts...)
	if err != nil {
		abandon()
		return fmt.Errorf("open session %s: %w", s.slot, err)
	}
	s.client = client
	return nil
}

// kafkaClient is the client as its callbacks see it, which may come before open has it.
func (s *Session) kafkaClient() *kgo.Client {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.client.Client()
}

// close ends the client without leaving the group. At a final shutdown leaveGroup does that.
//
// Closing waits for the end of a rebalance, which others may hold up. The client uses that wait: it leaves the group
// where its revoked partitions would belong to nobody. It gets closeWait for that.
func (s *Session) close(ctx context.Context) {
	timer := time.AfterFunc(closeWait, s.abandon)
	s.client.CloseAllowingRebalance()
	timer.Stop()
	s.abandon()
	s.mu.Lock()
	last := s.leaving
	for k, a := range s.assigned {
		last = append(last, a)
		s.Waiting.forget(k.topic, k.partition)
	}
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if err := s.announce(ctx, last); err != nil {
		s.Logger.Debug().Err(err).Msg("last base is not announced") // the next owner fetches it
	}
}

const closeWait = 500 * time.Millisecond
