package feed

import (
	"context"
	"time"

	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/protocol/feeding"
	"github.com/unecho/unecho/consumer/retry"
	"github.com/unecho/unecho/index"
)

// sender appends records. One append is under way while the next is made, and one more may be with the replica.
type sender struct {
	*Setup
	ledger *feeding.Ledger
	values [][]byte // the next append

	way  chan landing // answers for the append under way; nil: there is none
	pace pace
}

type landing struct {
	feeding.Sent
	last int64
	err  error
}

// recordsAtOnce is how many records are appended together. Kafka takes 2 MiB of them in two batches or three.
const recordsAtOnce = 8

// add frames a record, and sends when there are enough.
func (s *sender) add(ctx context.Context, f *index.Feed, rejected []uint64, size int) error {
	f.Header = s.Log.Header()
	s.values = append(s.values, journal.Append(make([]byte, 0, size), s.recordOf(f, rejected)))
	s.ledger.Frame(f)
	if err := s.pace.wait(ctx, s.MaxRate, len(f.Entries)); err != nil {
		return err
	}
	if len(s.values) >= recordsAtOnce || s.MaxRate > 0 {
		return s.send(ctx)
	}
	return nil
}

// send appends what was added. It returns when the append before is over, and an earlier one is found in the replica.
func (s *sender) send(ctx context.Context) error {
	if len(s.values) == 0 {
		return nil
	}
	if err := s.arrived(ctx, 1); err != nil {
		return err
	}
	if err := s.room(ctx); err != nil {
		return err
	}
	sent, values, way := s.ledger.Append(), s.values, make(chan landing, 1)
	s.values, s.way = nil, way
	go func() {
		last, err := s.Log.Put(ctx, values...)
		way <- landing{sent, last, err}
	}()
	return nil
}

// landed waits for the append under way.
func (s *sender) landed() error {
	if s.way == nil {
		return nil
	}
	l := <-s.way
	s.way = nil
	if l.err == nil {
		s.ledger.Appended(l.Sent, l.last)
	}
	return l.err
}

// arrived waits for the append under way, and until all appends but most were found in the replica.
func (s *sender) arrived(ctx context.Context, most int) error {
	if err := s.landed(); err != nil {
		return err
	}
	for {
		last, pending := s.ledger.Next()
		if pending <= most {
			return nil
		}
		if err := s.Replica.Wait(ctx, last); err != nil {
			return err
		}
		var err error
		s.Replica.Look(func(r *index.Replica) { err = s.ledger.Find(s.taken(r)) })
		if err != nil {
			return err
		}
	}
}

// room waits while so many verdicts are held that memory would grow. Sessions commit them meanwhile.
func (s *sender) room(ctx context.Context) error {
	if s.MaxHeld == 0 {
		return nil
	}
	for {
		advanced, room := s.Replica.Advanced(), feeding.Roomy
		s.Replica.Look(func(r *index.Replica) { room = s.ledger.Room(s.taken(r), s.MaxHeld) })
		switch room {
		case feeding.Roomy:
			return nil
		case feeding.Unfound:
			if err := s.arrived(ctx, 0); err != nil {
				return err
			}
			continue
		case feeding.Crowded:
		}
		select {
		case <-advanced:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// pace is when the next documents may be fed.
type pace struct{ due time.Time }

// wait waits until n more documents are due at that rate a second. A feeder that has waited for something else does
// not catch up.
func (p *pace) wait(ctx context.Context, rate, n int) error {
	if rate == 0 {
		return nil
	}
	now := time.Now()
	ahead := p.due.Sub(now)
	p.due = now.Add(max(ahead, 0) + time.Duration(n)*time.Second/time.Duration(rate))
	if ahead <= 0 {
		return nil
	}
	return retry.Pause(ctx, ahead)
}
