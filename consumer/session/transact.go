package session

import (
	"context"
	"errors"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/index"
)

// process takes one poll from records to commit.
func (s *Session) process(ctx context.Context, fetches kgo.Fetches) error {
	began := time.Now()
	b, ours := s.newBatch(fetches)
	if !ours {
		return s.abort(ctx)
	}
	if g := b.overtaken(); g != nil { // the steps of an assignment count what is gone
		return rebuild("%s/%d begins at %d, and was read up to %d", g.Topic, g.Source.Partition, g.begins, g.Base)
	}
	held, release := s.whileAssigned(ctx)
	defer release()
	if err := s.sign(held, b); err != nil {
		if s.endedByRevocation(ctx, err) {
			return s.abort(ctx)
		}
		return err
	}
	signed := time.Now()
	judged, err := s.transact(ctx, held, b)
	if err == nil && !judged.IsZero() {
		s.Counters.latency(signed.Sub(began), judged.Sub(signed), time.Since(judged))
	}
	return err
}

// transact does what a batch wants until it is over. What only waits is done under held, which ends when partitions are taken
// away. It returns when all documents were judged; zero: they were not.
func (s *Session) transact(ctx, held context.Context, b *batch) (judged time.Time, err error) {
	for {
		if s.wasRevoked() {
			b.Revoked()
		}
		switch want := b.Wants(); want {
		case protocol.WantVerdicts:
			err = s.judge(b)
		case protocol.WantEntries, protocol.WantForgets, protocol.WantForget:
			err = s.appendFor(held, b)
		case protocol.WantPass, protocol.WantForgotten:
			if err = s.Replica.Wait(held, b.Until()-1); err == nil {
				b.Passed()
			}
		case protocol.WantForesight:
			s.foresee(b)
		case protocol.WantOutputs:
			judged = time.Now()
			err = s.forward(ctx, b)
		case protocol.WantCommit:
			s.commit(ctx, b)
			s.pace(b)
		case protocol.WantOffsets:
			err = s.undecided(ctx, b)
		case protocol.WantAbort:
			err = s.abortFor(ctx, b)
		case protocol.Done:
			return judged, nil
		case protocol.Rebuild:
			return judged, b.why
		case protocol.GiveUp:
			return judged, s.stopped(hopeless(b))
		}
		if err != nil && !s.endedByRevocation(ctx, err) {
			return judged, err
		}
	}
}

// endedByRevocation says that something was cut short only because partitions were taken away.
func (s *Session) endedByRevocation(ctx context.Context, err error) bool {
	return errors.Is(err, context.Canceled) && ctx.Err() == nil && s.wasRevoked()
}

// judge takes the verdicts that the replica holds. A session whose documents cannot be judged is built anew, or its process
// ends.
func (s *Session) judge(b *batch) (err error) {
	s.Replica.Look(func(r *index.Replica) {
		var a *assignment
		switch a, err = b.Judge(r); {
		case err == nil:
		case errors.Is(err, protocol.ErrUnreadable):
			err = s.Log.Unreadable()
		case errors.Is(err, protocol.ErrRouting):
			err = s.Agreed.SameRouting(s.Log.Topic, r)
		default:
			if errors.Is(err, protocol.ErrMoved) {
				s.setMoved(a.Source, true)
			}
			err = rebuild("%w", err)
		}
	})
	return err
}

// appendFor appends what the batch wants in the journal.
func (s *Session) appendFor(ctx context.Context, b *batch) error {
	var values [][]byte
	if b.Wants() == protocol.WantEntries {
		values = s.runs(b)
		if err := s.Log.BeforeRepeat(ctx, b.Appends()); err != nil {
			return err
		}
	} else {
		s.frames.reset()
		for _, f := range b.Forgets() {
			s.frames.add(f)
		}
		values = s.frames.values
	}
	last, err := s.Log.Put(ctx, values...)
	if err == nil {
		b.Appended(last)
	}
	return err
}

// forward begins a transaction and puts every record into its output.
func (s *Session) forward(ctx context.Context, b *batch) error {
	if err := s.client.Begin(); err != nil {
		return rebuild("begin transaction: %w", err)
	}
	b.begun = time.Now()
	b.cause = s.produce(ctx, b)
	b.Produced(refusal(b.cause), s.wasRevoked())
	return nil
}

// abortFor aborts, and has the batch see to what was refused.
func (s *Session) abortFor(ctx context.Context, b *batch) error {
	if err := s.abort(ctx); err != nil {
		return err
	}
	if !b.begun.IsZero() {
		s.pace(b)
	}
	if untimely(b.cause) {
		a, _ := b.First()
		s.Times.readAgain(ctx, broker.NewTopics(s.Cluster.Client, s.Logger), a.Topic)
	}
	if b.Aborted(s.Log.Header()) == protocol.Split {
		s.Logger.Warn().Err(b.cause).Int("records", b.Size).Msg("an output refused a record: taking the batch again in parts")
	}
	b.why = rebuild("produce: %w", b.cause)
	return nil
}
