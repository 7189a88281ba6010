package session

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/index"
)

// errAway is the cause that ends a wait for the journal when documents are passed on instead.
var errAway = errors.New("the journal is away")

// outage is what a session knows of its journal: whether it answers.
type outage struct {
	since  atomic.Pointer[time.Time] // when documents began to be passed on; nil: the journal answers
	begins chan struct{}             // an outage begins: somebody looks for its end
}

func newOutage() *outage { return &outage{begins: make(chan struct{}, 1)} }

func (o *outage) lasts() bool { return o.since.Load() != nil }

// begin notes that the journal is away. It says whether that is news.
func (o *outage) begin() bool {
	if !o.since.CompareAndSwap(nil, new(time.Now())) {
		return false
	}
	select {
	case o.begins <- struct{}{}:
	default:
	}
	return true
}

// journalAway notes that the journal has not answered for so long that documents are passed on unchecked.
func (s *Session) journalAway() {
	if s.outage.begin() {
		s.Logger.Error().Str("session", s.slot).Dur("after_ms", s.PassAfter).
			Msg("the journal does not answer: documents are passed on unchecked (journal.on_outage: pass)")
		s.Counters.Outages.Add(1)
		s.Counters.Passing.Add(1)
		s.Stir()
	}
}

// watchJournal looks for the end of each outage, until ctx is done.
func (s *Session) watchJournal(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.outage.begins:
			s.awaitJournal(ctx)
		}
	}
}

// awaitJournal returns when the journal takes an append, and the replica has read it back. The record is of no
// partition, and changes nothing.
func (s *Session) awaitJournal(ctx context.Context) {
	for ctx.Err() == nil {
		last, err := s.Log.Put(ctx, journal.Append(nil, &index.Run{Header: s.Log.Header()}))
		if err == nil {
			err = s.Replica.Wait(ctx, last)
		}
		if err == nil {
			began := s.outage.since.Swap(nil)
			s.Counters.Passing.Add(-1)
			s.Logger.Info().Str("session", s.slot).Dur("after_ms", time.Since(*began)).
				Msg("the journal answers again: what was passed on is recorded now")
			s.Stir()
			return
		}
		var final *stop.Error
		if errors.As(err, &final) { // as if documents waited: a person is needed
			_ = s.stopped(final)
			return
		}
	}
}

// inTime runs a step that needs the journal. If documents are passed on while that is away, the step has until
// PassAfter is over since a time, and away says that it was not done by then. In an outage it has no time.
func (s *Session) inTime(ctx context.Context, since time.Time, step func(context.Context) error) (away bool, err error) {
	if s.PassAfter == 0 {
		return false, step(ctx)
	}
	if s.outage.lasts() {
		return true, nil
	}
	bound, cancel := context.WithDeadlineCause(ctx, since.Add(s.PassAfter), errAway)
	defer cancel()
	err = step(bound)
	if err == nil || !errors.Is(context.Cause(bound), errAway) || s.stopCause(err) != nil {
		return false, err
	}
	s.journalAway()
	return true, nil
}

// reaching runs a step of a batch that needs the journal. If that is away, the documents are passed on.
func (s *Session) reaching(ctx context.Context, b *batch, step func(context.Context) error) error {
	if !b.MayPass() && !b.records {
		return s.whileAssigned(ctx, step)
	}
	if b.needed.IsZero() { // what was done before, such as signing, does not need the journal
		b.needed = time.Now()
	}
	away, err := s.inTime(ctx, b.needed, func(ctx context.Context) error { return s.whileAssigned(ctx, step) })
	switch {
	case err != nil || !away || s.wasRevoked():
		return err
	case b.records:
		return errAway
	}
	b.Pass()
	return nil
}
