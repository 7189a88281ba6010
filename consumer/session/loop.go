package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/unpack"
	"github.com/unecho/unecho/index/entry"
)

func (s *Session) loop(ctx, drain context.Context) error {
	for drain.Err() == nil {
		if s.wasRevoked() {
			if err := s.abort(ctx); err != nil {
				return err
			}
		}
		if err := s.subscribe(); err != nil {
			return err
		}
		if err := s.ledAgain(ctx); err != nil {
			return err
		}
		if err := s.follow(ctx); err != nil {
			return err
		}
		if err := s.recordOwed(ctx, drain); err != nil {
			return err
		}
		wait, records := s.choose()
		fetches, err := s.poll(ctx, drain, wait, records)
		if err != nil {
			return err
		}
		if err := s.passBarren(ctx, fetches.NumRecords() == 0); err != nil {
			return err
		}
		if fetches.NumRecords() == 0 {
			continue
		}
		if err := s.process(ctx, fetches); err != nil {
			return err
		}
		s.rest(fetches)
		if err := s.announce(ctx, s.unannouncedFed()); err != nil {
			return err
		}
	}
	return nil
}

// quiet is how long a session waits for documents before it announces what it has committed, and looks after what
// came without documents: a revocation, a leader, a partition that stands still.
const quiet = time.Second

// poll waits for records, but no longer than quiet says. It announces bases if none came.
func (s *Session) poll(ctx, drain context.Context, quiet time.Duration, records int) (kgo.Fetches, error) {
	unannounced, polling := s.unannounced(), time.Now()
	wait, cancel := context.WithTimeout(drain, quiet)
	defer cancel()
	fetches := s.client.PollRecords(wait, records)
	s.unpacker.Polled(fetches)
	if err := s.troubled(fetches); err != nil {
		return nil, err
	}
	if err := s.told(fetches, records, polling); err != nil {
		return nil, err
	}
	if fetches.NumRecords() > 0 || drain.Err() != nil {
		return fetches, nil
	}
	if wait.Err() != nil {
		return nil, s.announce(ctx, unannounced)
	}
	for _, e := range fetches.Errors() {
		if !s.bears(e.Err) {
			return nil, e.Err
		}
	}
	return nil, nil
}

// troubled returns the first error that came with a poll, apart from the end of its own context. The client reports
// some errors once and then leaves the partition alone, so records of other partitions must not hide them.
func (s *Session) troubled(fetches kgo.Fetches) error {
	var first error
	fetches.EachError(func(topic string, partition int32, err error) {
		switch {
		case first != nil, errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), s.bears(err):
		case topic == "": // it is about the group
			first = fmt.Errorf("take part in the group: %w", err)
		default:
			first = fmt.Errorf("read %s/%d: %w", topic, partition, err)
		}
	})
	return first
}

// unannounced lists the assignments whose base the journal does not know. Partitions that have left come first.
func (s *Session) unannounced() []*assignment {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.leaving = slices.DeleteFunc(s.leaving, func(a *assignment) bool { return !a.Unannounced() })
	of := slices.Clone(s.leaving)
	for _, a := range s.assigned {
		if a.Unannounced() {
			of = append(of, a)
		}
	}
	return of
}

// rest lets go of the batch that was forwarded. The session does not need its memory while it waits for the next
// batch, and some of it is large.
func (s *Session) rest(fetches kgo.Fetches) {
	clear(s.items)
	clear(s.records)
	s.out.Reset()
	s.workers.Rest()
	s.unpacker.Done(fetches)
}

// whileAssigned runs something under a context that ends when partitions are taken away. A revocation that cuts it
// short is no error: wasRevoked tells of it until the next abort.
func (s *Session) whileAssigned(ctx context.Context, do func(context.Context) error) error {
	s.mu.Lock()
	revoking := s.revoking
	s.mu.Unlock()
	held, cancel := context.WithCancel(ctx)
	stop := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		select {
		case <-revoking:
			cancel()
		case <-stop:
		}
	}()
	err := do(held)
	close(stop)
	<-done
	cancel()
	if errors.Is(err, context.Canceled) && ctx.Err() == nil && s.wasRevoked() {
		return nil
	}
	return err
}

// tally counts the partitions of this session, n now. The caller holds mu.
func (s *Session) tally(n int) {
	s.Counters.Partitions.Add(int64(n - s.tallied))
	s.tallied = n
}

func (s *Session) wasRevoked() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.revoked
}

// resume notes that the session goes on with the partitions that it has left.
func (s *Session) resume() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.revoked, s.revoking = false, make(chan struct{})
}

// revoke notes that partitions are no longer ours, given back or lost. Their bases are still to be announced: what this
// session has committed stays committed, whoever has the partition now.
func (s *Session) revoke(taken map[string][]int32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for topic, partitions := range taken {
		for _, p := range partitions {
			if a := s.assigned[key{topic, p}]; a != nil {
				s.leaving = append(s.leaving, a)
			}
			s.Waiting.forget(topic, p)
			s.unpacker.Reported(unpack.Partition{Topic: topic, Number: p})
			delete(s.assigned, key{topic, p})
			delete(s.unled, key{topic, p})
			delete(s.written, key{topic, p})
		}
	}
	s.tally(len(s.assigned))
	if !s.revoked && len(taken) > 0 {
		s.revoked = true
		close(s.revoking)
	}
}

// setMoved notes whether the source has another document at an offset than was judged: the epoch is to be ended.
func (s *Session) setMoved(source entry.Source, moved bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.moved[source] = moved
}

func (s *Session) hasMoved(source entry.Source) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.moved[source]
}

// announce tells the journal the bases it does not know yet, of partitions that have gone quiet or are leaving.
func (s *Session) announce(ctx context.Context, of []*assignment) error {
	var values [][]byte
	for _, a := range of {
		if a.Unannounced() {
			values = append(values, journal.Append(nil, a.Announcement(s.Log.Header())))
		}
	}
	if len(values) == 0 || s.outage.lasts() {
		return nil
	}
	away, err := s.inTime(ctx, time.Now(), func(ctx context.Context) error {
		_, err := s.Log.Put(ctx, values...)
		return err
	})
	if err != nil || away { // in an outage it is announced later
		return err
	}
	for _, a := range of {
		a.Announced = a.Recorded()
	}
	return nil
}
