package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/retry"
	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/index/entry"
)

// forward begins a transaction and puts every record into its output.
func (l *loop) forward(ctx context.Context) error {
	b := l.batch
	if err := l.client.group.Begin(); err != nil {
		return fmt.Errorf("begin transaction: %w", err)
	}
	b.begun = time.Now()
	l.standing.Writes(b.begun.Add(l.Params.TransactionTimeout))
	b.Produce(ctx, l.client.group)
	l.standing.Writes(time.Time{})
	var untold *stop.Error
	if errors.As(b.Cause, &untold) {
		return errors.Join(untold, l.endAborting(ctx))
	}
	l.deliver()
	l.member.Produced(b.Refusal())
	return nil
}

// commit ends the transaction.
func (l *loop) commit(ctx context.Context) {
	ctx, cancel := l.ending(ctx)
	defer cancel()
	b := l.batch
	defer b.pace(l.intake, l.Params.TransactionTimeout)
	b.Count()
	committed, err := l.client.group.End(kgo.PreTxnCommitFnContext(ctx, l.stamp), kgo.TryCommit)
	b.Ended(committed, err)
	if err != nil {
		b.why = fmt.Errorf("commit: %w", err)
	}
	if b.Wants() != protocol.Done {
		return
	}
	l.client.rewind(b.Groups)
	now := time.Now()
	b.Committed(now)
	l.committed = true
	l.standing.Commits(b.Last)
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
	of := make([]protocol.TopicPartition, 0, len(b.Groups))
	for i := range b.Groups {
		of = append(of, b.Groups[i].TopicPartition)
	}
	ctx, cancel := context.WithTimeout(ctx, markersTimeout)
	defer cancel()
	now, err := l.Cluster.StableOffsets(ctx, of, l.Ahead)
	if err != nil {
		return fmt.Errorf("the commit was refused: %w", err)
	}
	if err := b.Offsets(func(of entry.Source) protocol.Committed { return now[of] }); err != nil {
		b.why = fmt.Errorf("the commit was refused, and %w", err)
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
			if !ours || l.mail.HasLost(name) {
				return fmt.Errorf("%s is not ours any more", name)
			}
			t.Partitions[k].Offset, t.Partitions[k].Metadata = offset, &metadata
		}
	}
	return nil
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
	if of != nil && b.Untimely() {
		a, _ := b.First()
		l.Clock.Refused(ctx, a.Topic)
	}
	answer := l.member.Aborted(l.Log.Header())
	if of == nil {
		return nil
	}
	if answer == protocol.Split {
		l.Logger.Warn().Err(b.Cause).Int("records", b.Size).Msg("an output refused a record: taking the batch again in parts")
	}
	if b.Cause != nil {
		b.why = fmt.Errorf("produce: %w", b.Cause)
	}
	return nil
}

// endAborting ends the transaction, if one is open, and rewinds to what is committed.
func (l *loop) endAborting(ctx context.Context) error {
	ctx, cancel := l.ending(ctx)
	defer cancel()
	l.deliver()
	l.mail.Resume()
	if _, err := l.client.group.End(ctx, kgo.TryAbort); err != nil {
		return fmt.Errorf("abort: %w", err)
	}
	return nil
}

// ending returns a context for the end of a transaction. A shutdown does not cancel it at once: when the time to
// drain is over, endGrace is left. It lasts no longer than the broker lets a transaction be open. A transaction that
// stays open is fenced by the next owner of the slot.
func (l *loop) ending(ctx context.Context) (context.Context, context.CancelFunc) {
	end, cut := retry.Outlast(ctx, endGrace)
	end, cancel := context.WithTimeout(end, l.Params.TransactionTimeout)
	return end, func() { cancel(); cut() }
}

// endGrace is what the end of a transaction has left when the time to drain is over.
const endGrace = time.Second
