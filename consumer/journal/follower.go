package journal

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/retry"
	"github.com/unecho/unecho/consumer/unpack"
	"github.com/unecho/unecho/index"
)

// ErrLost is wrapped by the errors after which a replica cannot go on from where it is: the journal lost records, ends
// before the replica's place, or is no journal.
var ErrLost = errors.New("the journal does not continue this replica")

// Begin is where a follower begins: the journal offset to read first, and the leader epoch of the record before it (-1:
// unknown), which reveals an unclean election.
type Begin struct {
	Offset      int64
	LeaderEpoch int32
}

// FollowerOptions are the client options a follower needs in addition to those that reach the cluster. The cluster is
// reached as the client like reaches it. Offsets out of range are never reset silently.
func FollowerOptions(topic string, from Begin, u *unpack.Unpacker, like *kgo.Client) []kgo.Opt {
	return append(u.Options(like), followerOptions(topic, from)...)
}

func followerOptions(topic string, from Begin) []kgo.Opt {
	at := kgo.NewOffset().At(from.Offset).WithEpoch(from.LeaderEpoch)
	return []kgo.Opt{
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{topic: {0: at}}),
		kgo.ConsumeResetOffset(kgo.NoResetOffset()),
		kgo.FetchIsolationLevel(kgo.ReadUncommitted()),
		kgo.KeepControlRecords(),   // if a control record is the last, it shows that the end is reached
		kgo.DisableFetchSessions(), // they save nothing with one partition, and ending one waits for the broker
		kgo.FetchMaxWait(2 * time.Second),
		kgo.FetchMaxBytes(16 << 20),
		kgo.FetchMaxPartitionBytes(16 << 20),
	}
}

// Handler is what a follower calls, always from one goroutine.
type Handler struct {
	// From is the first offset that is handed on.
	From int64
	// Unpacker is the client's.
	Unpacker *unpack.Unpacker
	// Ask brings functions to call between two records, one at a time, and while there are none.
	Ask <-chan func()
	// Apply is called with each record, which is valid only during the call.
	Apply func(at index.Stamp, leaderEpoch int32, rec index.Record) error
	// Skip is called with each stray in its turn. It may keep why.
	Skip func(at index.Stamp, leaderEpoch int32, why *StrayError) error
	// Untimed is called before Apply if the record carries no time of the broker.
	Untimed func(offset int64)
	// Took is called with the bytes of each record that is handed on.
	Took func(bytes int)
	// AllApplied is called when all records that were there are applied.
	AllApplied func()
	// Trouble is called when the broker cannot answer now and will be asked again.
	Trouble func(err error)
	// ProducerTime says that records may carry the appender's time.
	ProducerTime bool
	// Owner is the group to which the journal belongs; empty: any group.
	Owner string
}

// troublePause is the time to wait before a broker that could not answer is asked again.
const troublePause = 250 * time.Millisecond

// Follow reads the journal and hands each record to h, in order, until ctx is done or h fails. It fetches the next
// records while the last ones are applied.
func Follow(ctx context.Context, client *kgo.Client, h Handler) error {
	ctx, cancel := context.WithCancel(ctx)
	polled := make(chan kgo.Fetches)
	var polling sync.WaitGroup
	defer polling.Wait()
	defer cancel()
	polling.Go(func() { h.poll(ctx, client, polled) })
	for rd := (&Reader{Owner: h.Owner, ProducerTime: h.ProducerTime}); ; {
		select {
		case fetches := <-polled:
			if err := h.fetched(ctx, client, rd, fetches); err != nil {
				return err
			}
			h.Unpacker.Done(fetches)
		case ask := <-h.Ask:
			ask()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (h *Handler) poll(ctx context.Context, client *kgo.Client, polled chan<- kgo.Fetches) {
	for {
		fetches := client.PollFetches(ctx)
		h.Unpacker.Polled(fetches)
		select {
		case polled <- fetches:
		case <-ctx.Done():
			return
		}
	}
}

func (h *Handler) fetched(ctx context.Context, client *kgo.Client, rd *Reader, fetches kgo.Fetches) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	trouble := fetchError(fetches)
	if trouble != nil && !answered(trouble) {
		return trouble
	}
	for it := fetches.RecordIter(); !it.Done(); {
		if err := h.one(rd, it.Next()); err != nil {
			return err
		}
		select {
		case ask := <-h.Ask:
			ask()
		default:
		}
	}
	if err := h.unread(rd, client, fetches); err != nil {
		return err
	}
	h.AllApplied()
	if trouble == nil {
		return nil
	}
	h.Trouble(trouble)
	_ = retry.Pause(ctx, troublePause)
	return ctx.Err()
}

// answered says whether an error is the broker's answer, and may be gone when the broker is asked again.
func answered(err error) bool {
	var answer *kerr.Error
	return errors.As(err, &answer) && !errors.Is(err, ErrLost) && !broker.Forbidden(err)
}

func (h *Handler) one(rd *Reader, r *kgo.Record) error {
	if r.Offset < h.From {
		return nil // the snapshot that was restored covers it, and stands in the middle of its batch
	}
	h.From = r.Offset + 1
	h.Took(len(r.Key) + len(r.Value))
	at, rec, err := rd.Read(r)
	var why *StrayError
	switch {
	case errors.As(err, &why):
		return h.Skip(at, r.LeaderEpoch, why)
	case err != nil:
		return fmt.Errorf("record %d: %w", r.Offset, err)
	case !rd.timed(r):
		h.Untimed(r.Offset)
	}
	return h.Apply(at, r.LeaderEpoch, rec)
}

// fetchError distinguishes what the client retries by itself from what ends the replica.
func fetchError(fetches kgo.Fetches) error {
	var fatal error
	fetches.EachError(func(topic string, partition int32, err error) {
		switch {
		case errors.Is(err, unpack.ErrLater), errors.Is(err, kgo.ErrMaxDecompress): // the follower goes on by itself
		case lost(err):
			fatal = fmt.Errorf("%w: follow %s/%d: %w", ErrLost, topic, partition, err)
		case fatal == nil:
			fatal = fmt.Errorf("follow %s/%d: %w", topic, partition, err)
		}
	})
	return fatal
}

// lost says that the journal is not the one that was read, or not whole.
func lost(err error) bool {
	return errors.As(err, new(*kgo.ErrDataLoss)) || errors.Is(err, kerr.OffsetOutOfRange) ||
		errors.Is(err, kerr.UnknownTopicID) || errors.Is(err, kerr.InconsistentTopicID) ||
		errors.Is(err, kerr.UnknownTopicOrPartition)
}
