package consumer

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
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/sink"
)

// endGrace is what the end of a transaction has left when the time to drain is over.
const endGrace = time.Second

// ending returns the context in which a transaction ends: one of its own, never the one that shutdown cancels. It lasts no
// longer than the broker lets a transaction be open. When the time to drain is over, too, there is endGrace left; whoever
// takes the slot next fences what stays open.
func (s *session) ending(ctx context.Context) (context.Context, context.CancelFunc) {
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.params.TransactionTimeout)
	stop := context.AfterFunc(ctx, func() {
		timer := time.AfterFunc(endGrace, cancel)
		context.AfterFunc(end, func() { timer.Stop() })
	})
	return end, func() {
		stop()
		cancel()
	}
}

// forward puts every record of the batch into its output and commits their offsets, in one transaction (design 5).
func (s *session) forward(ctx context.Context, b *batch) error {
	if err := s.client.Begin(); err != nil {
		return rebuild("begin transaction: %w", err)
	}
	b.begun = time.Now()
	defer s.pace(b)
	refused := s.produce(ctx, b)
	revoked := s.wasRevoked()
	if protocol.Close(refused != nil, revoked) == protocol.Commit {
		return s.commit(ctx, b)
	}
	if err := s.abort(ctx); err != nil {
		return err
	}
	if refused == nil || revoked {
		return nil
	}
	return s.refused(ctx, b, refused)
}

// produce waits for every promise and returns the first refusal.
func (s *session) produce(ctx context.Context, b *batch) error {
	if s.dryRun {
		return nil
	}
	var failed atomic.Pointer[error]
	promise := func(_ *kgo.Record, err error) {
		if err != nil {
			failed.CompareAndSwap(nil, &err)
		}
	}
	s.out.Reset()
	s.records = s.records[:0]
	if cap(s.records) < b.size {
		s.records = make([]kgo.Record, 0, b.size)
	}
	for i := range b.groups {
		for k := range b.groups[i].items {
			s.records = append(s.records, kgo.Record{})
			r := &s.records[len(s.records)-1]
			s.encode(r, b.groups[i].assignment, &b.groups[i].items[k])
			s.client.Produce(ctx, r, promise)
		}
	}
	if err := s.client.Client().Flush(ctx); err != nil {
		return fmt.Errorf("flush: %w", err)
	}
	if err := failed.Load(); err != nil {
		return *err
	}
	return nil
}

// encode makes the output record, by what the output has refused of this document before.
func (s *session) encode(dst *kgo.Record, a *assignment, it *item) {
	src := it.record
	s.out.RejectAt(s.rejectedAt(src, a))
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
	default:
		s.out.Verdict(dst, src, &it.Verdict)
	}
}

func (it *item) reason() (sink.Reason, string) {
	if it.rejection != nil && (!it.Judged || it.withheld != nil) {
		return it.rejection.Reason, it.rejection.Detail
	}
	return sink.OutputRefused, "the output topic refused the record"
}

// commit ends the transaction. Anything but a clear yes leaves the outcome open, and the session is rebuilt.
func (s *session) commit(ctx context.Context, b *batch) error {
	ctx, cancel := s.ending(ctx)
	defer cancel()
	committed, err := s.client.End(kgo.PreTxnCommitFnContext(ctx, s.stamp), kgo.TryCommit)
	switch protocol.Ended(committed, err) {
	case protocol.Unknown:
		return rebuild("commit: %w", err)
	case protocol.Undecided:
		return s.undecided(ctx, b)
	case protocol.Sure:
	}
	s.count(b)
	s.shout(b)
	s.commits++
	s.standing.commits()
	for i := range b.groups {
		g := &b.groups[i]
		g.assignment.Committed(g.end)
	}
	if time.Since(b.begun) < s.params.TransactionTimeout/4 {
		s.limit = min(2*s.limit, s.params.PollRecords)
	}
	return nil
}

// pace takes less at a time where outputs are slow: the broker aborts a transaction that is open for too long, and the same
// batch would take as long each time.
func (s *session) pace(b *batch) {
	if b.size > 0 && time.Since(b.begun) > s.params.TransactionTimeout/2 {
		s.limit = max(1, min(s.limit, b.size)/2)
	}
}

// undecided asks the group what became of a transaction whose commit was refused. Mostly a rebalance was under way and the
// client aborted; but where the broker answered with an unknown error, the commit may have taken effect before it. Either
// way the stable offsets tell: if they are where the batch began, the client's rewinding to what it believes committed was
// right, and the session goes on. Building it anew would begin the next rebalance. Where the transaction stays open, only a
// new session ends it.
func (s *session) undecided(ctx context.Context, b *batch) error {
	of := make([]topicPartition, 0, len(b.groups))
	for i := range b.groups {
		of = append(of, b.groups[i].assignment.TopicPartition)
	}
	ctx, cancel := context.WithTimeout(ctx, markersTimeout)
	defer cancel()
	now, err := s.fetchStable(ctx, of)
	if err != nil {
		return rebuild("the commit was refused: %w", err)
	}
	for i := range b.groups {
		a := b.groups[i].assignment
		if c := now[a.Source]; !a.Stands(c) {
			return rebuild("the commit was refused, and %s/%d is committed to %d, not %d", a.Topic, a.Source.Partition, c.Offset, a.Base)
		}
	}
	return nil
}

// markersTimeout is the patience with the markers of a transaction that is over: they come after the answer that ended it.
const markersTimeout = time.Second

// stamp puts our metadata on the offsets of a transaction.
func (s *session) stamp(req *kmsg.TxnOffsetCommitRequest) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range req.Topics {
		t := &req.Topics[i]
		for k := range t.Partitions {
			a := s.assigned[key{t.Topic, t.Partitions[k].Partition}]
			if a == nil {
				return fmt.Errorf("%s/%d is not ours any more", t.Topic, t.Partitions[k].Partition)
			}
			m := a.Metadata()
			t.Partitions[k].Metadata = &m
		}
	}
	return nil
}

// abort ends the transaction, if one is open, and rewinds to what is committed.
func (s *session) abort(ctx context.Context) error {
	ctx, cancel := s.ending(ctx)
	defer cancel()
	s.mu.Lock()
	s.revoked = false
	s.revoking = make(chan struct{})
	s.mu.Unlock()
	if _, err := s.client.End(ctx, kgo.TryAbort); err != nil {
		return rebuild("abort: %w", err)
	}
	return nil
}

// refused answers an output that did not take a record. Innocents fail with the culprit, so the batch is taken again in
// smaller and smaller parts until the culprit stands alone.
func (s *session) refused(ctx context.Context, b *batch, cause error) error {
	if !final(cause) {
		return rebuild("produce: %w", cause)
	}
	a, it := b.first()
	untimely := errors.Is(cause, kerr.InvalidTimestamp)
	if untimely {
		s.readTimesAgain(ctx, a.Topic)
	}
	switch a.Refused(&it.Document, b.size, untimely) {
	case protocol.Split:
		s.limit = max(1, min(s.limit, b.size)/8)
		s.logger.Warn().Err(cause).Int("records", b.size).Msg("an output refused a record: taking the batch again in parts")
		return nil
	case protocol.Again:
		return nil
	case protocol.Hopeless:
		return s.stopped(hopeless(fmt.Sprintf("%s/%d/%d", a.Topic, a.Source.Partition, it.record.Offset), untimely, cause))
	case protocol.Forget:
	}
	last, err := s.append(ctx, [][]byte{s.frame(&index.Forget{Header: s.header(), Target: it.Verdict.Position})})
	if err != nil {
		return err
	}
	return s.follower.wait(ctx, last)
}

// hopeless is what a process ends with because of a document that not even the rejected topic takes.
func hopeless(document string, untimely bool, cause error) *StopError {
	if untimely {
		return &StopError{
			What:   fmt.Sprintf("the rejected topic refuses %s also with the present time", document),
			Remedy: "compare the clocks of this machine and the brokers, and raise message.timestamp.before.max.ms and .after.max.ms of the rejected topic", Err: cause,
		}
	}
	return &StopError{
		What:   fmt.Sprintf("the rejected topic refuses %s even without its value", document),
		Remedy: "raise max.message.bytes of the rejected topic", Err: cause,
	}
}

// final says that the same record will be refused again.
func final(err error) bool {
	return errors.Is(err, kerr.MessageTooLarge) || errors.Is(err, kerr.RecordListTooLarge) || errors.Is(err, kerr.InvalidRecord) ||
		errors.Is(err, kerr.InvalidTimestamp) || errors.Is(err, kerr.CorruptMessage)
}
