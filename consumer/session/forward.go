package session

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/sink"
)

// endGrace is what the end of a transaction has left when the time to drain is over.
const endGrace = time.Second

// ending returns a context for the end of a transaction. A shutdown does not cancel it at once: when the time to
// drain is over, endGrace is left. It lasts no longer than the broker lets a transaction be open. A transaction that
// stays open is fenced by the next owner of the slot.
func (s *Session) ending(ctx context.Context) (context.Context, context.CancelFunc) {
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.Params.TransactionTimeout)
	stop := context.AfterFunc(ctx, func() {
		timer := time.AfterFunc(endGrace, cancel)
		context.AfterFunc(end, func() { timer.Stop() })
	})
	return end, func() {
		stop()
		cancel()
	}
}

// forward begins a transaction and puts every record into its output.
func (s *Session) forward(ctx context.Context, b *batch) error {
	if err := s.client.Begin(); err != nil {
		return rebuild("begin transaction: %w", err)
	}
	b.begun = time.Now()
	b.present = s.Times.presence(s.brokersNow())
	b.cause = s.produce(ctx, b)
	var untold *stop.Error
	if errors.As(b.cause, &untold) {
		return errors.Join(s.stopped(untold), s.abort(ctx))
	}
	b.Produced(refusal(b.cause), s.wasRevoked())
	return nil
}

// writeError is why an output did not take a record.
type writeError struct {
	topic     string
	partition int32
	err       error
}

// Error implements error.
func (e *writeError) Error() string {
	return fmt.Sprintf("write %s/%d: %v", e.topic, e.partition, e.err)
}

// Unwrap returns the cause.
func (e *writeError) Unwrap() error { return e.err }

// firstError keeps the first error of the promises that it is given to.
type firstError struct{ atomic.Pointer[error] }

func (f *firstError) promise(r *kgo.Record, err error) {
	if err != nil {
		err = &writeError{r.Topic, r.Partition, err}
		f.CompareAndSwap(nil, &err)
	}
}

// produce waits for every promise and returns the first refusal.
func (s *Session) produce(ctx context.Context, b *batch) error {
	if s.Sink.DryRun {
		return nil
	}
	var failed, untold firstError
	s.out.Reset()
	s.records = s.records[:0]
	most, tells := b.Size, s.Encoder.Tells()
	if tells {
		most *= 2
	}
	if cap(s.records) < most {
		s.records = make([]kgo.Record, 0, most)
	}
	for i := range b.groups {
		for k := range b.groups[i].items {
			if b.groups[i].Mode.Silent(b.groups[i].Assignment, b.groups[i].items[k].record.Offset) {
				continue
			}
			r := s.record()
			s.encode(r, b.groups[i].Assignment, &b.groups[i].items[k], b.present)
			s.client.Produce(ctx, r, failed.promise)
			if tells {
				r = s.record()
				s.out.Tell(r, b.groups[i].items[k].record)
				r.Timestamp = b.present.in(r.Topic)
				s.client.Produce(ctx, r, untold.promise)
			}
		}
	}
	if err := s.client.Client().Flush(ctx); err != nil {
		return fmt.Errorf("flush: %w", err)
	}
	switch refused, unsaid := failed.Load(), untold.Load(); {
	case refused != nil:
		return *refused
	case unsaid != nil && s.withoutTime(b, *unsaid):
		return errors.New("the verdicts' topic refuses the present time") // this passes
	case unsaid != nil && final(*unsaid):
		return speechless(*unsaid)
	case unsaid != nil:
		return *unsaid
	}
	return nil
}

// record returns the next record of the batch.
func (s *Session) record() *kgo.Record {
	s.records = append(s.records, kgo.Record{}) // produce has made room for all: none of them moves
	return &s.records[len(s.records)-1]
}

// speechless is the error that ends a process when the verdicts' topic does not take a record, though each is small and
// has the present time. No other output of the document would change that.
func speechless(err error) *stop.Error {
	return &stop.Error{
		What: "the verdicts' topic (sink.verdicts) refuses a record", Err: err,
		Remedy: fmt.Sprintf("raise max.message.bytes of that topic to %d", sink.MaxVerdictBytes),
	}
}

// encode makes the output record. Its form depends on what outputs have refused of this document before.
func (s *Session) encode(dst *kgo.Record, a *assignment, it *item, present presence) {
	src := it.record
	s.out.RejectAt(s.rejectedAt(src, a, present))
	if it.withheld != nil { // there is nothing else that could be forwarded, whatever was held of it
		reason, detail := it.reason()
		s.out.SetAside(dst, src, reason, detail, sink.Sizes(*it.withheld))
		return
	}
	switch level := a.Level(src.Offset); {
	case level == protocol.Withhold:
		reason, detail := it.reason()
		s.out.Withhold(dst, src, reason, detail)
	case level == protocol.Reject || it.Rejects():
		reason, detail := it.reason()
		s.out.Reject(dst, src, reason, detail)
	case it.Passed:
		s.out.Unchecked(dst, src, sink.InOutage)
	case !it.Judged:
		s.out.Unchecked(dst, src, sink.ByCondition)
	default:
		s.out.Verdict(dst, src, &it.Verdict)
	}
}

func (it *item) reason() (sink.Reason, string) {
	if it.rejection != nil && (!it.Judged || it.withheld != nil) {
		return it.rejection.Reason, it.rejection.Detail
	}
	if !it.Judged && !it.Unchecked && !it.Passed {
		return sink.OutputRefused, "an output would have refused its timestamp when it was fed"
	}
	return sink.OutputRefused, "the output topic refused the record"
}

// commit ends the transaction.
func (s *Session) commit(ctx context.Context, b *batch) {
	ctx, cancel := s.ending(ctx)
	defer cancel()
	s.counted.count(b, s.Counters)
	stamp := func(req *kmsg.TxnOffsetCommitRequest) error { return s.stamp(b, req) }
	committed, err := s.client.End(kgo.PreTxnCommitFnContext(ctx, stamp), kgo.TryCommit)
	b.Ended(committed, err)
	if err != nil {
		b.why = rebuild("commit: %w", err)
	}
	if b.Wants() != protocol.Done {
		return
	}
	s.rewind(b)
	now := time.Now()
	s.counted.delays(b, now.UnixMilli())
	s.Counters.committed(&s.counted)
	s.reached(b)
	s.shout(b)
	s.commits++
	s.standing.commits()
	if now.Sub(b.begun) < s.Params.TransactionTimeout/4 {
		s.intake.Grow()
	}
}

// pace makes batches smaller when outputs are slow. The broker aborts a transaction that is open for too long, and
// the same batch would take as long each time.
func (s *Session) pace(b *batch) {
	if b.Size > 0 && time.Since(b.begun) > s.Params.TransactionTimeout/2 {
		s.intake.Slow(b.Size)
	}
}

// undecided asks the group what became of a transaction whose commit was refused. Mostly a rebalance was under way
// and the client aborted; but where the broker answered with an unknown error, the commit may have taken effect
// before it. Either way the stable offsets tell: if they are where the batch began, the client's rewinding to what it
// believes committed was right, and the session goes on. Building it anew would begin the next rebalance. Where the
// transaction stays open, only a new session ends it.
func (s *Session) undecided(ctx context.Context, b *batch) error {
	of := make([]topicPartition, 0, len(b.groups))
	for i := range b.groups {
		of = append(of, b.groups[i].TopicPartition)
	}
	ctx, cancel := context.WithTimeout(ctx, markersTimeout)
	defer cancel()
	now, err := s.Cluster.StableOffsets(ctx, of, s.Ahead)
	if err != nil {
		return rebuild("the commit was refused: %w", err)
	}
	if err := b.Offsets(func(of entry.Source) protocol.Committed { return now[of] }); err != nil {
		b.why = rebuild("the commit was refused, and %w", err)
	}
	return nil
}

// markersTimeout bounds the wait for the markers of a transaction that is over. They come after the answer that ended
// it.
const markersTimeout = time.Second

// stamp puts our offsets and metadata into the commit of a batch. The client's offsets are behind what it brought last: that
// may be beyond the reach, or below what is committed where it brings records twice.
func (s *Session) stamp(b *batch, req *kmsg.TxnOffsetCommitRequest) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range req.Topics {
		t := &req.Topics[i]
		for k := range t.Partitions {
			a := s.assigned[key{t.Topic, t.Partitions[k].Partition}]
			if a == nil {
				return fmt.Errorf("%s/%d is not ours any more", t.Topic, t.Partitions[k].Partition)
			}
			m := a.Mode.Metadata(a)
			t.Partitions[k].Metadata = &m
			t.Partitions[k].Offset = protocol.NewGroup(b.Groups, a, a.Base).End
		}
	}
	return nil
}

// abort ends the transaction, if one is open, and rewinds to what is committed.
func (s *Session) abort(ctx context.Context) error {
	ctx, cancel := s.ending(ctx)
	defer cancel()
	s.resume()
	if _, err := s.client.End(ctx, kgo.TryAbort); err != nil {
		return rebuild("abort: %w", err)
	}
	return nil
}

// refusal tells the protocol why an output did not take a record. It is nil if all records were taken.
func refusal(cause error) *protocol.Refusal {
	if cause == nil {
		return nil
	}
	return &protocol.Refusal{Passing: !final(cause), Untimely: untimely(cause)}
}

func untimely(err error) bool { return errors.Is(err, kerr.InvalidTimestamp) }

// hopeless is the error that ends a process when not even the rejected topic takes a document.
func hopeless(b *batch) *stop.Error {
	a, d := b.First()
	document := fmt.Sprintf("%s/%d/%d", a.Topic, a.Source.Partition, d.Entry.Offset)
	if untimely(b.cause) {
		return &stop.Error{
			What: fmt.Sprintf("the rejected topic refuses %s also without a time", document),
			Remedy: "raise message.timestamp.before.max.ms and .after.max.ms of the rejected topic, and compare the clocks of " +
				"this machine and the brokers", Err: b.cause,
		}
	}
	return &stop.Error{
		What:   fmt.Sprintf("the rejected topic refuses %s even without its value", document),
		Remedy: "raise max.message.bytes of the rejected topic", Err: b.cause,
	}
}

// final says that an output will refuse the same record again.
func final(err error) bool {
	return errors.Is(err, kerr.MessageTooLarge) || errors.Is(err, kerr.RecordListTooLarge) ||
		errors.Is(err, kerr.InvalidRecord) ||
		errors.Is(err, kerr.InvalidTimestamp) || errors.Is(err, kerr.CorruptMessage)
}

// shout logs which records of a batch were rejected unread, once they are committed.
func (s *Session) shout(b *batch) {
	for i := range b.groups {
		g := &b.groups[i]
		var n, first, last int64
		for k := range g.items {
			if it := &g.items[k]; it.withheld != nil {
				if n++; n == 1 {
					first = it.record.Offset
				}
				last = it.record.Offset
			}
		}
		if n == 0 {
			continue
		}
		s.Logger.Error().Str("topic", g.Assignment.Topic).Int32("partition", g.Assignment.Source.Partition).
			Int64("offset", first).Int64("last_offset", last).Int64("documents", n).
			Msg("a batch takes more than source.max_batch_bytes when unpacked: its documents are rejected without their values")
	}
}
