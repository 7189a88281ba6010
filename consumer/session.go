package consumer

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/unpack"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/sink"
)

// key names a partition as the client does.
type key struct {
	topic     string
	partition int32
}

// session is one member of the group with transactions of its own. Its loop is one goroutine; the client calls assign and
// revoke from others.
type session struct {
	*shared
	slot     string // instance id, and with the group the transactional id
	client   *kgo.GroupTransactSession
	unpacker *unpack.Unpacker   // of the client
	abandon  context.CancelFunc // ends the client's every request
	workers  []*worker
	out      *sink.Batch
	records  []kgo.Record
	items    []item // of the batch at hand
	frames   frames // of its entries
	intake   *protocol.Intake
	commits  int                                 // by this session since the process started
	patient  map[entry.Source]*protocol.Patience // of the client's goroutine that assigns
	looked   time.Time                           // for leaders of partitions that had none
	standing *standing
	left     atomic.Bool // the group, for good

	mu        sync.Mutex
	took      *phases // of the way to the partitions that are being given
	unsettled error   // of makeWay
	assigned  map[key]*assignment
	unled     map[key]bool  // given to us, and not read: they had no leader
	tallied   int           // partitions of this session in the counters
	leaving   []*assignment // revoked, their base perhaps not announced
	revoked   bool          // since the last End
	revoking  chan struct{} // closed when revoked becomes true
	moved     map[entry.Source]bool
	gone      map[entry.Source]int64 // below, deleted documents are counted
	stop      error                  // ends the process
}

func (sh *shared) newSession(slot string) (*session, error) {
	u := unpack.New(sh.unpackBounds())
	workers, err := newWorkers(sh, u)
	if err != nil {
		return nil, err
	}
	return &session{
		shared: sh, slot: slot, unpacker: u, workers: workers, out: sh.encoder.NewBatch(), intake: protocol.NewIntake(sh.params.PollRecords),
		moved: map[entry.Source]bool{}, gone: map[entry.Source]int64{}, patient: map[entry.Source]*protocol.Patience{}, standing: newStanding(slot, sh.stir),
	}, nil
}

func (sh *shared) newSessions(slots []string) ([]*session, error) {
	sessions := make([]*session, len(slots))
	for i, slot := range slots {
		s, err := sh.newSession(slot)
		if err != nil {
			return nil, err
		}
		sessions[i] = s
	}
	return sessions, nil
}

// run keeps a session alive until drain is done. It opens, works, and whenever an outcome is unknown closes and opens again.
func (s *session) run(ctx, drain context.Context) error {
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
		if err := pause(drain, wait); err != nil {
			s.leaveGroup(ctx, drain)
			return nil //nolint:nilerr // draining is no error
		}
	}
}

// rebuilt says that the session is built anew. Once is nothing, again and again is trouble.
func (s *session) rebuilt(because error, committed bool) {
	s.counters.rebuilds.Add(1)
	inARow := s.standing.fails(time.Now(), because, committed)
	level := zerolog.InfoLevel
	if inARow > 1 {
		level = zerolog.WarnLevel
	}
	s.logger.WithLevel(level).Str("session", s.slot).AnErr("because", because).Int("in_a_row", inARow).Msg("session is rebuilt")
}

// How long a session waits before it is built again: longer each time, until one commits.
const (
	rebuildWait    = 50 * time.Millisecond
	maxRebuildWait = 3 * time.Second
)

// stopCause returns the error that ends the process, if there is one.
func (s *session) stopCause(err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var stop *StopError
	switch {
	case s.stop != nil:
		return s.stop
	case errors.As(err, &stop):
		return err
	}
	for _, final := range []error{
		kerr.InvalidSessionTimeout, kerr.InvalidTransactionTimeout, kerr.GroupAuthorizationFailed, kerr.TopicAuthorizationFailed,
		kerr.TransactionalIDAuthorizationFailed, kerr.ClusterAuthorizationFailed, kerr.InconsistentGroupProtocol, kerr.InvalidGroupID,
	} {
		if errors.Is(err, final) {
			return &StopError{
				What: "session " + s.slot + " cannot work", Err: err,
				Remedy: "correct the setting or the permission that the broker names",
			}
		}
	}
	return nil
}

// stopped remembers an error that the client would retry, and wakes the loop, which ends the process with it.
func (s *session) stopped(err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stop == nil {
		s.stop = err
	}
	s.abandon()
	return err
}

func (s *session) once(ctx, drain context.Context) error {
	if err := s.fence(ctx, s.transactionalID(s.slot)); err != nil {
		return err
	}
	if err := s.open(); err != nil {
		return err
	}
	defer s.close(ctx)
	err := s.loop(ctx, drain)
	if err != nil && drain.Err() == nil && s.replaced(ctx) {
		return &StopError{
			What:   fmt.Sprintf("another process took the place of %s in group %s", s.slot, s.params.Group),
			Remedy: "give each process a consumer.member of its own, or none, so that each takes a free one", Err: err,
		}
	}
	s.leaveGroup(ctx, drain)
	return err
}

// replaced asks the group whether another process took this session's instance. Such a process has first fenced the
// transactional id, so that the session may see no more than a fenced producer; and building it anew would fence the other in
// turn, for ever. Whose client has not joined yet, or cannot be asked for, is found when this session is fenced again.
func (s *session) replaced(ctx context.Context) bool {
	own, _ := s.kafkaClient().GroupMetadata()
	if own == "" {
		return false // it had no place that could have been taken
	}
	ctx, cancel := context.WithTimeout(ctx, replacedTimeout)
	defer cancel()
	for {
		by, told := s.successor(ctx, own)
		if told {
			return s.incarnation.yieldsTo(by)
		}
		if pause(ctx, replacedPause) != nil {
			return false
		}
	}
}

// successor is who has the instance instead of the member own: this process itself where nobody has. It is told when the group
// can be asked and its members have settled.
func (s *session) successor(ctx context.Context, own string) (by incarnation, told bool) {
	groups, err := kadm.NewClient(s.admin).DescribeGroups(ctx, s.params.Group)
	if err != nil {
		return "", false
	}
	group := groups[s.params.Group]
	for _, m := range group.Members {
		if m.InstanceID != nil && *m.InstanceID == s.slot && m.MemberID != own {
			return incarnationOf(&m), group.State == "Stable" // else it shows no metadata
		}
	}
	return s.incarnation, true
}

// How long a session waits for the group to settle, and how often it looks.
const (
	replacedTimeout = 2 * time.Second
	replacedPause   = 50 * time.Millisecond
)

// leaveGroup is part of a final shutdown. It comes before the client is closed, which would wait for a rebalance that others
// hold up, and again after that: a client that was about to join may have joined in between.
func (s *session) leaveGroup(ctx, drain context.Context) {
	if drain.Err() == nil || ctx.Err() != nil || s.params.KeepMembership {
		return
	}
	s.left.Store(true)
	ctx, cancel := context.WithTimeout(ctx, leaveTimeout)
	defer cancel()
	if err := s.leave(ctx, s.slot); err != nil {
		s.logger.Warn().Err(err).Msg("the group notices only by its time-out that this session is gone")
	}
}

const leaveTimeout = 5 * time.Second

func (s *session) open() error {
	s.mu.Lock()
	s.assigned, s.unled, s.leaving = map[key]*assignment{}, map[key]bool{}, nil
	s.revoked, s.revoking = false, make(chan struct{})
	s.took, s.unsettled = beginPhases(), nil
	s.mu.Unlock()
	s.standing.opens(time.Now())
	s.out, s.records = s.encoder.NewBatch(), nil // the client before may still hold what it was given
	life, abandon := context.WithCancel(context.Background())
	s.abandon = abandon
	s.unpacker = s.unpacker.Renew()
	opts := append(append(append(s.sessionOptions(s.slot), s.quietFarewell()...), s.unpacker.Options()...),
		kgo.WithContext(life),
		kgo.AdjustFetchOffsetsFn(s.assign),
		kgo.OnPartitionsAssigned(func(ctx context.Context, _ *kgo.Client, given map[string][]int32) {
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
func (s *session) kafkaClient() *kgo.Client {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.client.Client()
}

// close ends the client without leaving the group: that is LeaveGroup's business, at a final shutdown.
//
// Closing waits for a rebalance to end that others may hold up; what the client does in that wait is of use (it leaves where
// its revoked partitions would be nobody's), but not beyond closeWait.
func (s *session) close(ctx context.Context) {
	timer := time.AfterFunc(closeWait, s.abandon)
	s.client.CloseAllowingRebalance()
	timer.Stop()
	s.abandon()
	s.mu.Lock()
	last := s.leaving
	for k, a := range s.assigned {
		last = append(last, a)
		s.waiting.forget(k.topic, k.partition)
	}
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if err := s.announce(ctx, last); err != nil {
		s.logger.Debug().Err(err).Msg("last base is not announced") // the next owner fetches it
	}
}

const closeWait = 500 * time.Millisecond
