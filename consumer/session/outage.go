package session

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/index"
)

// errAway is the cause that ends a wait for the journal when documents are passed on instead.
var errAway = errors.New("the journal is away")

// outage is what a session knows of its journal: whether it answers.
type outage struct {
	since  atomic.Int64  // ms since 1970 when documents began to be passed on; 0: the journal answers
	begins chan struct{} // an outage begins: somebody looks for its end
}

func newOutage() *outage { return &outage{begins: make(chan struct{}, 1)} }

func (o *outage) lasts() bool { return o.since.Load() > 0 }

// begin notes that the journal is away. It says whether that is news.
func (o *outage) begin() bool {
	if !o.since.CompareAndSwap(0, time.Now().UnixMilli()) {
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
			began := s.outage.since.Swap(0)
			s.Logger.Info().Str("session", s.slot).Dur("after_ms", time.Since(time.UnixMilli(began))).
				Msg("the journal answers again: what was passed on is recorded now")
			s.Stir()
			return
		}
		if s.stopCause(err) != nil { // who needs the journal next says so
			return
		}
	}
}

// reaching runs a step that needs the journal. If documents are to be passed on while it is away, the step takes no
// longer than PassAfter since the batch was polled.
func (s *Session) reaching(ctx context.Context, b *batch, step func(context.Context) error) error {
	if s.PassAfter == 0 || !b.MayPass() && !b.records {
		return s.whileAssigned(ctx, step)
	}
	until := b.polled.Add(s.PassAfter)
	if s.outage.lasts() {
		until = time.Time{}
	}
	bound, cancel := context.WithDeadlineCause(ctx, until, errAway)
	defer cancel()
	err := s.whileAssigned(bound, step)
	if !errors.Is(err, errAway) || s.wasRevoked() {
		return err
	}
	s.journalAway()
	if b.records {
		return errAway
	}
	b.Pass()
	return nil
}

// takeOverAway goes on with partitions that are given while the journal is away: nobody can ask it.
func (s *Session) takeOverAway(some []*protocol.Takeover) {
	s.journalAway()
	s.Replica.Look(func(r *index.Replica) {
		each(some, func(t *protocol.Takeover) { t.JournalAway(r) })
	})
}

// askJournal asks for the journal's end, and waits for the replica to come there. If documents are passed on while it
// is away, it takes no longer than PassAfter.
func (s *Session) askJournal(ctx context.Context, some []*protocol.Takeover,
	ask func(context.Context, []*protocol.Takeover) error,
) error {
	if s.PassAfter == 0 {
		return ask(ctx, some)
	}
	if s.outage.lasts() {
		s.takeOverAway(some)
		return nil
	}
	bound, cancel := context.WithTimeoutCause(ctx, s.PassAfter, errAway)
	defer cancel()
	err := ask(bound, some)
	if err == nil || ctx.Err() != nil || s.stopCause(err) != nil {
		return err
	}
	s.takeOverAway(some)
	return nil
}
