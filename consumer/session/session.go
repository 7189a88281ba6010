package session

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kerr"

	"github.com/unecho/unecho/consumer/balance"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/retry"
	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/consumer/unpack"
)

// Session is one member of the group with transactions of its own. Its loop is one goroutine, which alone uses its member,
// pipeline and batch.
type Session struct {
	*Setup
	slot      string // instance id, and with the group the transactional id
	mail      *mailbox
	standing  *standing
	reaches   *reaches
	outage    *outage
	takeovers *takeovers
	client    *client
	pipeline  *pipeline
	intake    *protocol.Intake
	commits   int // by this session since the process started
}

// New makes a session for each slot. They start nothing.
func New(setup *Setup, slots []string) ([]*Session, error) {
	sessions := make([]*Session, len(slots))
	for i, slot := range slots {
		p, err := newPipeline(setup, unpack.New(setup.unpackBounds()))
		if err != nil {
			return nil, err
		}
		s := &Session{
			Setup: setup, slot: slot, mail: &mailbox{}, standing: newStanding(slot, setup.Stir),
			reaches: &reaches{counters: setup.Counters}, pipeline: p, intake: protocol.NewIntake(setup.Params.PollRecords),
		}
		s.outage = newOutage(setup, slot, s.mail)
		s.takeovers = newTakeovers(setup, slot, s.mail, s.standing, s.reaches)
		sessions[i] = s
	}
	return sessions, nil
}

// Run keeps a session alive until drain is done. It opens, works, and whenever an outcome is unknown closes and opens
// again.
func (s *Session) Run(ctx, drain context.Context) error {
	watching, end := context.WithCancel(ctx)
	var watch sync.WaitGroup
	watch.Go(func() { s.outage.watch(watching) })
	err := s.work(ctx, drain)
	end()
	watch.Wait()
	s.outage.close()
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
	if final := s.mail.final.Load(); final != nil {
		return final
	}
	return s.final(s.slot, err)
}

// final returns the error that ends the process for one that does not pass, if it is one.
func (s *Setup) final(slot string, err error) error {
	var final *stop.Error
	switch {
	case errors.As(err, &final):
		return err
	case errors.Is(err, balance.ErrStranger), errors.Is(err, kerr.InconsistentGroupProtocol):
		return balance.Shared(s.Params.Group, "the next start names it", err)
	}
	for _, final := range []error{
		kerr.InvalidSessionTimeout, kerr.InvalidTransactionTimeout, kerr.GroupAuthorizationFailed,
		kerr.TopicAuthorizationFailed,
		kerr.TransactionalIDAuthorizationFailed, kerr.ClusterAuthorizationFailed, kerr.InvalidGroupID,
	} {
		if errors.Is(err, final) {
			return &stop.Error{
				What: "session " + slot + " cannot work", Err: err,
				Remedy: "correct the setting or the permission that the broker names",
			}
		}
	}
	return nil
}

func (s *Session) once(ctx, drain context.Context) error {
	if err := s.Cluster.Fence(ctx, s.slot); err != nil {
		return err
	}
	if err := s.open(); err != nil {
		return err
	}
	l := s.newLoop()
	err := l.run(ctx, drain)
	if err != nil && drain.Err() == nil && s.client.replaced(ctx) {
		err = &stop.Error{
			What:   fmt.Sprintf("another process took the place of %s in group %s", s.slot, s.Params.Group),
			Remedy: "give each process a consumer.member of its own, or none, so that each takes a free one",
			Err:    fmt.Errorf("%w: %w", ErrReplaced, err),
		}
	} else {
		s.leaveGroup(ctx, drain)
	}
	s.close(ctx, l)
	var because *rebuildError
	if errors.As(err, &because) && because.moved != nil { // who takes the partition over here ends its epoch
		s.takeovers.moved[because.moved.Source] = true // the client that calls back is closed
	}
	return err
}

// leaveGroup is part of a final shutdown. It runs before the client is closed, because closing would wait for a
// rebalance that others hold up. It runs again afterwards, because a client that was about to join may have joined in
// between.
func (s *Session) leaveGroup(ctx, drain context.Context) {
	if drain.Err() == nil || ctx.Err() != nil || s.Params.KeepMembership {
		return
	}
	s.standing.left.Store(true)
	s.Cluster.Leave(ctx, s.slot)
}
