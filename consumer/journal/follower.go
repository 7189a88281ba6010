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
	"github.com/unecho/unecho/consumer/unpack"
	"github.com/unecho/unecho/index"
)

// ErrLost is wrapped by the errors after which a replica cannot go on from where it is: the journal lost records, does not
// reach so far, or is no journal.
var ErrLost = errors.New("the journal does not continue this replica")

// Place is where a follower begins: the journal offset to read first and the leader epoch of the record before it, by which
// an unclean election is noticed (-1: unknown).
type Place struct {
	Offset      int64
	LeaderEpoch int32
}

// FollowerOptions are the client options a follower needs behind those that reach the cluster, which it reaches as the client
// like. Offsets out of range are never reset silently.
func FollowerOptions(topic string, from Place, u *unpack.Unpacker, like *kgo.Client) []kgo.Opt {
	at := kgo.NewOffset().At(from.Offset).WithEpoch(from.LeaderEpoch)
	return append(u.Options(like),
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{topic: {0: at}}),
		kgo.ConsumeResetOffset(kgo.NoResetOffset()),
		kgo.FetchIsolationLevel(kgo.ReadUncommitted()),
		kgo.KeepControlRecords(),   // where one is the last, the end is reached with it
		kgo.DisableFetchSessions(), // they save nothing with one partition, and ending one waits for the broker
		kgo.FetchMaxWait(2*time.Second),
		kgo.FetchMaxBytes(16<<20),
		kgo.FetchMaxPartitionBytes(16<<20),
	)
}

// Handler is what a follower calls, always from one goroutine.
type Handler struct {
	From         int64                                                           // the first offset that is handed on
	Unpacker     *unpack.Unpacker                                                // the client's
	Ask          <-chan func()                                                   // called between two records, one at a time, and while there are none
	Apply        func(at index.Stamp, leaderEpoch int32, rec index.Record) error // each record; it is valid only during the call
	Skip         func(at index.Stamp, leaderEpoch int32, why *StrayError) error  // each stray, in its turn; why is the callee's
	Untimed      func(offset int64)                                              // a record that is applied next carries no time of the broker; nil: nobody asks
	Passed       func()                                                          // all records that were there are applied
	Trouble      func(err error)                                                 // the broker cannot answer now and is asked again; nil: that is an error
	ProducerTime bool                                                            // records may carry the appender's time
	Owner        string                                                          // whose journal it is; empty: anybody's
}

// troublePause is the time until a broker that cannot answer now is asked again.
const troublePause = 250 * time.Millisecond

// Follow reads the journal and hands each record to h, in order, until ctx is done or h fails. What is polled next is fetched
// while the last is applied.
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

// poll polls until ctx is done.
func (h *Handler) poll(ctx context.Context, client *kgo.Client, polled chan<- kgo.Fetches) {
	for {
		fetches := client.PollFetches(ctx)
		h.Unpacker.Polled()
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
	if trouble != nil && (h.Trouble == nil || !answered(trouble)) {
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
	h.Passed()
	if trouble == nil {
		return nil
	}
	return h.rest(ctx, trouble)
}

func (h *Handler) rest(ctx context.Context, trouble error) error {
	h.Trouble(trouble)
	timer := time.NewTimer(troublePause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// answered says that an error is the broker's, and may be gone when it is asked again.
func answered(err error) bool {
	var answer *kerr.Error
	return errors.As(err, &answer) && !errors.Is(err, ErrLost) && !broker.Forbidden(err)
}

func (h *Handler) one(rd *Reader, r *kgo.Record) error {
	if r.Offset < h.From {
		return nil // of a batch in whose middle a snapshot stands
	}
	h.From = r.Offset + 1
	at, rec, err := rd.Read(r)
	var why *StrayError
	switch {
	case errors.As(err, &why):
		return h.Skip(at, r.LeaderEpoch, why)
	case err != nil:
		return fmt.Errorf("record %d: %w", r.Offset, err)
	case h.Untimed != nil && !rd.timed(r):
		h.Untimed(r.Offset)
	}
	return h.Apply(at, r.LeaderEpoch, rec)
}

// fetchError separates what the client retries by itself from what ends the replica.
func fetchError(fetches kgo.Fetches) error {
	var fatal error
	fetches.EachError(func(topic string, partition int32, err error) {
		var lost *kgo.ErrDataLoss
		switch {
		case bearable(err):
		case errors.As(err, &lost), errors.Is(err, kerr.OffsetOutOfRange), errors.Is(err, kerr.UnknownTopicID),
			errors.Is(err, kerr.InconsistentTopicID), errors.Is(err, kerr.UnknownTopicOrPartition):
			fatal = fmt.Errorf("%w: follow %s/%d: %w", ErrLost, topic, partition, err)
		case fatal == nil:
			fatal = fmt.Errorf("follow %s/%d: %w", topic, partition, err)
		}
	})
	return fatal
}
