package session

import (
	"context"
	"errors"
	"math"
	"sync/atomic"
	"time"

	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/mail"
	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/index"
)

// errAway is the cause that ends a wait for the journal when documents are passed on instead.
var errAway = errors.New("the journal is away")

// outage is what a session knows of its journal: whether it answers.
type outage struct {
	*Setup
	slot   string
	mail   *mail.Box
	since  atomic.Pointer[time.Time] // when documents began to be passed on; nil: the journal answers
	begins chan struct{}             // an outage begins: somebody looks for its end
}

func newOutage(setup *Setup, slot string, box *mail.Box) *outage {
	return &outage{Setup: setup, slot: slot, mail: box, begins: make(chan struct{}, 1)}
}

func (o *outage) lasts() bool { return o.since.Load() != nil }

// begin notes that the journal has not answered for so long that documents are passed on unchecked.
func (o *outage) begin() {
	if !o.since.CompareAndSwap(nil, new(time.Now())) {
		return
	}
	select {
	case o.begins <- struct{}{}:
	default:
	}
	o.Logger.Error().Str("session", o.slot).Dur("after_ms", o.PassAfter).
		Msg("the journal does not answer: documents are passed on unchecked (advanced.pass_after)")
	o.Counters.Outages.Add(1)
	o.Counters.Passing.Add(1)
	o.Stir()
}

// watch looks for the end of each outage, until ctx is done.
func (o *outage) watch(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-o.begins:
			o.await(ctx)
		}
	}
}

// await returns when the journal takes an append, and the replica has read it back. The record is of no partition, and
// changes nothing.
func (o *outage) await(ctx context.Context) {
	for ctx.Err() == nil {
		last, err := o.Log.Put(ctx, journal.Append(nil, &index.Run{Header: o.Log.Header()}))
		if err == nil {
			err = o.Replica.Wait(ctx, last)
		}
		if err == nil {
			began := *o.since.Load()
			o.close()
			o.Logger.Info().Str("session", o.slot).Dur("after_ms", time.Since(began)).
				Msg("the journal answers again: what was passed on is recorded now")
			o.Stir()
			return
		}
		var final *stop.Error
		if errors.As(err, &final) { // as if documents waited: a person is needed
			_ = o.mail.Stop(final)
			return
		}
	}
}

// close notes that no documents are passed on any more.
func (o *outage) close() {
	if o.since.Swap(nil) != nil {
		o.Counters.Passing.Add(-1)
	}
}

// inTime runs a step that needs the journal. If documents are passed on while that is away, the step has until
// PassAfter is over since a time, and away says that it was not done by then. In an outage it has no time. While the
// replica waits for its files the journal may answer: then the step has longer, until the member withdraws.
func (o *outage) inTime(ctx context.Context, since time.Time, step func(context.Context) error) (away bool, err error) {
	if o.PassAfter == 0 {
		return false, step(ctx)
	}
	if o.lasts() {
		return true, nil
	}
	bound, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var over *time.Timer
	over = time.AfterFunc(math.MaxInt64, func() {
		if o.Replica.Counters.FilesHalt.Since().IsZero() {
			cancel(errAway)
		} else {
			over.Reset(o.PassAfter)
		}
	})
	defer over.Stop()
	over.Reset(time.Until(since.Add(o.PassAfter)))
	err = step(bound)
	if err == nil || !errors.Is(context.Cause(bound), errAway) || o.mail.Final() != nil || o.final(o.slot, err) != nil {
		return false, err
	}
	o.begin()
	return true, nil
}
