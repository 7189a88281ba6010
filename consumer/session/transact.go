package session

import (
	"context"
	"errors"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

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
	if len(b.groups) == 0 {
		return nil // all of it was polled before
	}
	if s.isDue(b) {
		return s.abort(ctx) // what was polled is polled again
	}
	if g := b.overtaken(); g != nil { // the steps of an assignment count what is gone
		return rebuild("%s/%d begins at %d, and was read up to %d", g.Topic, g.Source.Partition, g.begins, g.Base)
	}
	if err := s.admit(ctx, b); err != nil {
		return err
	}
	s.recall(b)
	if err := s.whileAssigned(ctx, func(ctx context.Context) error { return s.sign(ctx, s.workers, b) }); err != nil {
		return err
	}
	signed := time.Now()
	judged, err := s.transact(ctx, b)
	if !judged.IsZero() { // also where the outcome is unknown: what was slowest often ends so
		s.Counters.latency(signed.Sub(began), judged.Sub(signed), time.Since(judged))
	}
	return err
}

// transact does what a batch wants until it is over. It returns when all documents were judged. The time is zero if
// they were not.
func (s *Session) transact(ctx context.Context, b *batch) (judged time.Time, err error) {
	for {
		if s.wasRevoked() {
			b.Revoked()
		}
		switch want := b.Wants(); want {
		case protocol.WantVerdicts:
			err = s.judge(b)
		case protocol.WantEntries, protocol.WantForgets, protocol.WantForget:
			err = s.reaching(ctx, b, func(ctx context.Context) error { return s.appendFor(ctx, b) })
		case protocol.WantPass, protocol.WantForgotten:
			err = s.reaching(ctx, b, func(ctx context.Context) error { return s.passFor(ctx, b) })
		case protocol.WantTimeCheck:
			s.checkTimes(b)
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
			if s.withoutTime(b, b.cause) {
				return judged, rebuild("the rejected topic refuses the present time: %w", b.cause)
			}
			return judged, s.stopped(hopeless(b))
		}
		if err != nil {
			return judged, err
		}
	}
}

// judge takes the verdicts that the replica holds. A session whose documents cannot be judged is built anew, or its
// process ends.
func (s *Session) judge(b *batch) (err error) {
	s.Replica.Look(func(r *index.Replica) {
		var a *assignment
		switch a, err = b.Judge(r); {
		case err == nil:
		case errors.Is(err, protocol.ErrUnreadable):
			err = s.Log.Unreadable()
		case errors.Is(err, protocol.ErrRouting):
			if err = s.Agreed.SameRouting(s.Log, r); err == nil {
				err = rebuild("%w", protocol.ErrRouting)
			}
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

// passFor waits until the replica has applied what the batch wants it to.
func (s *Session) passFor(ctx context.Context, b *batch) error {
	err := s.Replica.Wait(ctx, b.Until()-1)
	if err == nil {
		b.Passed()
	}
	return err
}

// abortFor aborts, and has the batch see to what was refused.
func (s *Session) abortFor(ctx context.Context, b *batch) error {
	err := s.abort(ctx)
	if !b.begun.IsZero() { // also where the abort fails: the broker may have aborted it already, because it took too long
		s.pace(b)
	}
	if err != nil {
		return err
	}
	if untimely(b.cause) {
		a, _ := b.First()
		s.timeRefused(ctx, a.Topic)
	}
	if b.Aborted(s.Log.Header()) == protocol.Split {
		s.Logger.Warn().Err(b.cause).Int("records", b.Size).Msg("an output refused a record: taking the batch again in parts")
	}
	b.why = rebuild("produce: %w", b.cause)
	return nil
}
