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
	refused := s.produce(ctx, b)
	revoked := s.wasRevoked()
	if refused == nil && !revoked {
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
			s.encode(r, &b.groups[i].items[k])
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
func (s *session) encode(dst *kgo.Record, it *item) {
	src := it.record
	switch level := s.levels[key{src.Topic, src.Partition}][src.Offset]; {
	case level == levelWithhold:
		reason, detail := it.reason()
		s.out.Withhold(dst, src, reason, detail)
	case level == levelReject || it.judged && it.verdict.Forgotten || it.rejection != nil && !it.judged:
		reason, detail := it.reason()
		s.out.Reject(dst, src, reason, detail)
	default:
		s.out.Verdict(dst, src, &it.verdict)
	}
}

func (it *item) reason() (sink.Reason, string) {
	if it.rejection != nil && !it.judged {
		return it.rejection.Reason, it.rejection.Detail
	}
	return sink.OutputRefused, "the output topic refused the record"
}

// commit ends the transaction. Anything but a clear yes leaves the outcome open, and the session is rebuilt.
func (s *session) commit(ctx context.Context, b *batch) error {
	ctx, cancel := s.ending(ctx)
	defer cancel()
	committed, err := s.client.End(kgo.PreTxnCommitFnContext(ctx, s.stamp), kgo.TryCommit)
	if err != nil {
		return rebuild("commit: %w", err)
	}
	if !committed {
		return s.undecided(ctx, b)
	}
	s.count(b)
	s.commits++
	for i := range b.groups {
		g := &b.groups[i]
		g.assignment.base = g.end()
		k := key{g.assignment.topic, g.assignment.source.Partition}
		for o := range s.levels[k] {
			if o < g.assignment.base {
				delete(s.levels[k], o)
			}
		}
	}
	s.limit = min(2*s.limit, s.params.PollRecords)
	return nil
}

// undecided asks the group what became of a transaction whose commit was refused. Mostly a rebalance was under way and the
// client aborted; but where the broker answered with an unknown error, the commit may have taken effect before it. Either
// way the stable offsets tell: if they are where the batch began, the client's rewinding to what it believes committed was
// right, and the session goes on. Building it anew would begin the next rebalance. Where the transaction stays open, only a
// new session ends it.
func (s *session) undecided(ctx context.Context, b *batch) error {
	of := make([]topicPartition, 0, len(b.groups))
	for i := range b.groups {
		of = append(of, b.groups[i].assignment.topicPartition)
	}
	ctx, cancel := context.WithTimeout(ctx, markersTimeout)
	defer cancel()
	now, err := fetchStable(ctx, s.admin, s.params.Group, of)
	if err != nil {
		return rebuild("the commit was refused: %w", err)
	}
	for i := range b.groups {
		a := b.groups[i].assignment
		if c := now[a.source]; !c.ours || c.epoch != a.epoch || c.start != a.start || c.offset != a.base {
			return rebuild("the commit was refused, and %s/%d is committed to %d, not %d", a.topic, a.source.Partition, c.offset, a.base)
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
			m := metadata(a.epoch, a.start)
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

// What an output has refused of a document: first its verdict's topic, then even the rejected topic.
const (
	levelReject = iota + 1
	levelWithhold
)

// refused answers an output that did not take a record. Innocents fail with the culprit, so the batch is taken again in
// smaller and smaller parts until the culprit stands alone.
func (s *session) refused(ctx context.Context, b *batch, cause error) error {
	if !final(cause) {
		return rebuild("produce: %w", cause)
	}
	if b.size > 1 {
		s.limit = max(1, min(s.limit, b.size)/8)
		s.logger.Warn().Err(cause).Int("records", b.size).Msg("an output refused a record: taking the batch again in parts")
		return nil
	}
	g := &b.groups[0]
	it := &g.items[0]
	k := key{it.record.Topic, it.record.Partition}
	if s.levels[k] == nil {
		s.levels[k] = map[int64]int{}
	}
	rejected := it.rejection != nil && !it.judged || it.verdict.Forgotten
	if rejected || s.levels[k][it.record.Offset] >= levelReject {
		if s.levels[k][it.record.Offset] >= levelWithhold {
			return s.stopped(&StopError{
				What:   fmt.Sprintf("the rejected topic refuses %s/%d/%d even without its value", k.topic, k.partition, it.record.Offset),
				Remedy: "raise max.message.bytes of the rejected topic", Err: cause,
			})
		}
		s.levels[k][it.record.Offset] = levelWithhold
		return nil
	}
	s.levels[k][it.record.Offset] = levelReject
	if !it.verdict.Unique() {
		return nil
	}
	last, err := s.append(ctx, [][]byte{s.frame(&index.Forget{Header: s.header(), Target: it.verdict.Position})})
	if err != nil {
		return err
	}
	return s.follower.wait(ctx, last)
}

// final says that the same record will be refused again.
func final(err error) bool {
	return errors.Is(err, kerr.MessageTooLarge) || errors.Is(err, kerr.RecordListTooLarge) || errors.Is(err, kerr.InvalidRecord) ||
		errors.Is(err, kerr.InvalidTimestamp) || errors.Is(err, kerr.CorruptMessage)
}
