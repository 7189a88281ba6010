package feed

import (
	"context"
	"errors"
	"time"

	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/retry"
	"github.com/unecho/unecho/index"
)

var (
	// errUntaken says that the replica did not take what was sent: it became unreadable, or is not what follows.
	errUntaken = errors.New("the replica has not taken what was fed")
	// errOvertaken says that another feeder is ahead.
	errOvertaken = errors.New("another feeder is ahead")
)

// sent is an append that the replica has yet to take.
type sent struct {
	last    int64  // its greatest journal offset
	entries uint64 // fed before and by it
	parts   []index.FeedPart
}

// sender appends records. One append is under way while the next is made, and one more may be with the replica.
type sender struct {
	*Setup
	values  [][]byte // the next append
	parts   []index.FeedPart
	entries uint64 // fed by all that was framed

	way     chan error // answers for the append under way; nil: there is none
	going   sent       // that append
	pending []sent     // appended, and not found in the replica
	pace    pace
}

// recordsAtOnce is how many records are appended together. Kafka takes 2 MiB of them in two batches or three.
const recordsAtOnce = 8

// add frames a record, and sends when there are enough.
func (s *sender) add(ctx context.Context, f *index.Feed, size int) error {
	f.Header = s.Log.Header()
	s.values = append(s.values, journal.Append(make([]byte, 0, size), f))
	s.parts = append(s.parts, f.Parts...)
	s.entries = f.First + uint64(len(f.Entries))
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
	s.going = sent{entries: s.entries, parts: s.parts}
	values, way := s.values, make(chan error, 1)
	s.values, s.parts, s.way = nil, nil, way
	go func() {
		last, err := s.Log.Put(ctx, values...)
		s.going.last = last
		way <- err
	}()
	return nil
}

// landed waits for the append under way.
func (s *sender) landed() error {
	if s.way == nil {
		return nil
	}
	err := <-s.way
	s.way = nil
	if err == nil {
		s.pending = append(s.pending, s.going)
	}
	return err
}

// arrived waits for the append under way, and until all appends but most were found in the replica.
func (s *sender) arrived(ctx context.Context, most int) error {
	if err := s.landed(); err != nil {
		return err
	}
	for len(s.pending) > most {
		if err := s.find(ctx, &s.pending[0]); err != nil {
			return err
		}
		s.pending = s.pending[1:]
	}
	return nil
}

// find waits until the replica has passed an append, and returns an error if it did not take it.
func (s *sender) find(ctx context.Context, a *sent) (err error) {
	if err := s.Replica.Wait(ctx, a.last); err != nil {
		return err
	}
	s.Replica.Look(func(r *index.Replica) {
		switch fed := r.FedEntries(); {
		case fed < a.entries:
			err = errUntaken
		case fed > s.entries:
			err = errOvertaken
		}
		for i := range a.parts {
			if p := &a.parts[i]; err == nil && r.Fed(p.Source).Through < p.Through {
				err = errUntaken
			}
		}
	})
	return err
}

// room waits while so many verdicts are held that memory would grow. Sessions commit them meanwhile.
func (s *sender) room(ctx context.Context) error {
	if s.MaxHeld == 0 {
		return nil
	}
	for {
		advanced, held, under := s.Replica.Advanced(), 0, int64(0)
		s.Replica.Look(func(r *index.Replica) {
			held, under = r.HeldVerdicts(), int64(s.entries-r.FedEntries())
		})
		switch {
		case int64(held)+under < int64(s.MaxHeld):
			return nil
		case len(s.pending) > 0: // so that nobody waits for verdicts that never come
			if err := s.arrived(ctx, 0); err != nil {
				return err
			}
			continue
		case held < s.MaxHeld:
			return nil
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

// wait waits until n more documents are due at that rate a second. A feeder that has waited for something else does not catch up.
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
