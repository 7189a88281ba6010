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
func (s *Setup) ending(ctx context.Context) (context.Context, context.CancelFunc) {
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
func (l *loop) forward(ctx context.Context) error {
	b := l.batch
	b.judged = time.Now()
	if err := l.client.group.Begin(); err != nil {
		return rebuild("begin transaction: %w", err)
	}
	b.begun = time.Now()
	b.present = l.Times.presence(l.brokersNow())
	b.cause = b.pipeline.produce(ctx, l.client.group, b)
	var untold *stop.Error
	if errors.As(b.cause, &untold) {
		return errors.Join(untold, l.endAborting(ctx))
	}
	l.deliver()
	l.member.Produced(refusal(b.cause))
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
func (p *pipeline) produce(ctx context.Context, to *kgo.GroupTransactSession, b *batch) error {
	if p.Sink.DryRun {
		return nil
	}
	var failed, untold firstError
	p.out.Reset()
	p.records = p.records[:0]
	most, tells := b.Size, p.Encoder.Tells()
	if tells {
		most *= 2
	}
	if cap(p.records) < most {
		p.records = make([]kgo.Record, 0, most)
	}
	for i := range b.groups {
		for k := range b.groups[i].items {
			r := p.record()
			p.encode(r, b.groups[i].Assignment, &b.groups[i].items[k], b.present)
			to.Produce(ctx, r, failed.promise)
			if tells {
				r = p.record()
				p.out.Tell(r, b.groups[i].items[k].record)
				r.Timestamp = b.present.in(r.Topic)
				to.Produce(ctx, r, untold.promise)
			}
		}
	}
	if err := to.Client().Flush(ctx); err != nil {
		return fmt.Errorf("flush: %w", err)
	}
	switch refused, unsaid := failed.Load(), untold.Load(); {
	case refused != nil:
		return *refused
	case unsaid != nil && p.withoutTime(b.present, *unsaid):
		return errors.New("the verdicts' topic refuses the present time") // this passes
	case unsaid != nil && final(*unsaid):
		return speechless(*unsaid)
	case unsaid != nil:
		return *unsaid
	}
	return nil
}

// record returns the next record of the batch.
func (p *pipeline) record() *kgo.Record {
	p.records = append(p.records, kgo.Record{}) // produce has made room for all: none of them moves
	return &p.records[len(p.records)-1]
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
func (p *pipeline) encode(dst *kgo.Record, a *assignment, it *item, present presence) {
	src := it.record
	p.out.RejectAt(p.rejectedAt(src, a, present))
	if it.withheld != nil { // there is nothing else that could be forwarded, whatever was held of it
		reason, detail := it.reason()
		p.out.SetAside(dst, src, reason, detail, sink.Sizes(*it.withheld))
		return
	}
	switch level := a.Level(src.Offset); {
	case level == protocol.Withhold:
		reason, detail := it.reason()
		p.out.Withhold(dst, src, reason, detail)
	case level == protocol.Reject || it.Rejects():
		reason, detail := it.reason()
		p.out.Reject(dst, src, reason, detail)
	case it.Passed:
		p.out.Unchecked(dst, src, sink.InOutage)
	case !it.Judged:
		p.out.Unchecked(dst, src, sink.ByCondition)
	default:
		p.out.Verdict(dst, src, &it.Verdict)
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
func (l *loop) commit(ctx context.Context) {
	ctx, cancel := l.ending(ctx)
	defer cancel()
	b, p := l.batch, l.batch.pipeline
	defer b.pace(l.intake, l.Params.TransactionTimeout)
	b.count(&p.counted, l.Counters)
	committed, err := l.client.group.End(kgo.PreTxnCommitFnContext(ctx, l.stamp), kgo.TryCommit)
	b.Ended(committed, err)
	if err != nil {
		b.why = rebuild("commit: %w", err)
	}
	if b.Wants() != protocol.Done {
		return
	}
	l.client.rewind(b)
	now := time.Now()
	b.delays(&p.counted, now.UnixMilli())
	l.Counters.Committed(&p.counted)
	l.reaches.reached(b)
	l.shout(b)
	l.commits++
	l.standing.commits()
	if now.Sub(b.begun) < l.Params.TransactionTimeout/4 {
		l.intake.Grow()
	}
}

// pace makes batches smaller when outputs are slow. The broker aborts a transaction that is open for too long, and
// the same batch would take as long each time.
func (b *batch) pace(intake *protocol.Intake, timeout time.Duration) {
	if b.Size > 0 && time.Since(b.begun) > timeout/2 {
		intake.Slow(b.Size)
	}
}

// undecided asks the group what became of a transaction whose commit was refused. Mostly a rebalance was under way
// and the client aborted; but where the broker answered with an unknown error, the commit may have taken effect
// before it. Either way the stable offsets tell: if they are where the batch began, the client's rewinding to what it
// believes committed was right, and the session goes on. Building it anew would begin the next rebalance. Where the
// transaction stays open, only a new session ends it.
func (l *loop) undecided(ctx context.Context) error {
	b := l.batch
	of := make([]topicPartition, 0, len(b.groups))
	for i := range b.groups {
		of = append(of, b.groups[i].TopicPartition)
	}
	ctx, cancel := context.WithTimeout(ctx, markersTimeout)
	defer cancel()
	now, err := l.Cluster.StableOffsets(ctx, of, l.Ahead)
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
// may be beyond the reach, or below what is committed where it brings records twice. The loop waits meanwhile.
func (l *loop) stamp(req *kmsg.TxnOffsetCommitRequest) error {
	for i := range req.Topics {
		t := &req.Topics[i]
		for k := range t.Partitions {
			name := protocol.PartitionName{Topic: t.Topic, Partition: t.Partitions[k].Partition}
			offset, metadata, ours := l.member.Commit(name)
			if !ours || l.mail.hasLost(name) {
				return fmt.Errorf("%s is not ours any more", name)
			}
			t.Partitions[k].Offset, t.Partitions[k].Metadata = offset, &metadata
		}
	}
	return nil
}

// rewind has the client read again what was polled beyond the reach. The client believes it committed.
func (c *client) rewind(b *batch) {
	var to map[string]map[int32]kgo.EpochOffset
	for i := range b.groups {
		g := &b.groups[i]
		if !g.Beyond {
			continue
		}
		if to == nil {
			to = map[string]map[int32]kgo.EpochOffset{}
		}
		if to[g.Topic] == nil {
			to[g.Topic] = map[int32]kgo.EpochOffset{}
		}
		to[g.Topic][g.Source.Partition] = kgo.EpochOffset{Epoch: -1, Offset: g.End}
	}
	c.group.Client().SetOffsets(to)
}

// abort aborts, and has the batch see to what was refused.
func (l *loop) abort(ctx context.Context, of *protocol.Batch) error {
	err := l.endAborting(ctx)
	b := l.batch
	if of != nil && !b.begun.IsZero() { // also where the abort fails: the broker may have aborted it already, because it took too long
		b.pace(l.intake, l.Params.TransactionTimeout)
	}
	if err != nil {
		return err
	}
	if of != nil && untimely(b.cause) {
		a, _ := b.First()
		l.timeRefused(ctx, a.Topic)
	}
	answer := l.member.Aborted(l.Log.Header())
	if of == nil {
		return nil
	}
	if answer == protocol.Split {
		l.Logger.Warn().Err(b.cause).Int("records", b.Size).Msg("an output refused a record: taking the batch again in parts")
	}
	if b.cause != nil {
		b.why = rebuild("produce: %w", b.cause)
	}
	return nil
}

// endAborting ends the transaction, if one is open, and rewinds to what is committed.
func (l *loop) endAborting(ctx context.Context) error {
	ctx, cancel := l.ending(ctx)
	defer cancel()
	l.deliver()
	l.mail.resume()
	if _, err := l.client.group.End(ctx, kgo.TryAbort); err != nil {
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
func (s *Setup) shout(b *batch) {
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
