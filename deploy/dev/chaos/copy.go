//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/twmb/franz-go/pkg/kgo"
)

// journalCopy is a topic with the records of the journal at the same offsets and with the same times. It is needed
// because the members trim the journal, and the audit must see all of it.
type journalCopy struct {
	topic          string
	reader, writer *kgo.Client
	taken          int64                 // offset up to which the journal is read
	next           atomic.Int64          // offset up to which the copy is written
	failed         atomic.Pointer[error] // the first error of writing
}

// copyJournal opens the copy. It must run as soon as there is a journal, before anything is trimmed.
func copyJournal(ctx context.Context, w *world, journal string) (*journalCopy, error) {
	c := &journalCopy{topic: journal + "-copy"}
	if err := w.create(ctx, c.topic, 1, anyTime()); err != nil {
		return nil, err
	}
	var err, err2 error
	c.reader, err = kgo.NewClient(append(append([]kgo.Opt{}, w.options...),
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{journal: {0: kgo.NewOffset().At(0)}}),
		kgo.ConsumeResetOffset(kgo.NoResetOffset()))...)
	c.writer, err2 = kgo.NewClient(append(append([]kgo.Opt{}, w.options...), kgo.DefaultProduceTopic(c.topic),
		kgo.ProducerBatchMaxBytes(4<<20), kgo.MaxBufferedRecords(1<<20))...)
	if err := errors.Join(err, err2); err != nil {
		return nil, fmt.Errorf("copy journal: %w", err)
	}
	return c, nil
}

// run copies until ctx is done.
func (c *journalCopy) run(ctx context.Context) error {
	defer c.writer.Close()
	defer c.reader.Close()
	for {
		fetches := c.reader.PollFetches(ctx)
		if ctx.Err() != nil {
			return nil
		}
		var lost *kgo.ErrDataLoss
		var err error
		fetches.EachError(func(_ string, _ int32, e error) {
			if errors.As(e, &lost) || kgo.IsRetryableBrokerErr(e) {
				return // brokers come and go here, and a gap would show in the offsets
			}
			err = errors.Join(err, e)
		})
		if err != nil {
			return fmt.Errorf("copy journal: %w", err)
		}
		if err := c.take(ctx, fetches); err != nil {
			return err
		}
	}
}

// take hands records to the writer without waiting for it, because the journal may be trimmed while the copy's leader
// is away.
func (c *journalCopy) take(ctx context.Context, fetches kgo.Fetches) error {
	for it := fetches.RecordIter(); !it.Done(); {
		r := it.Next()
		if r.Offset != c.taken {
			return fmt.Errorf("copy journal: offset %d comes after %d: records are missing", r.Offset, c.taken-1)
		}
		c.taken++
		want := r.Offset
		c.writer.Produce(ctx, &kgo.Record{Value: r.Value, Timestamp: r.Timestamp}, func(r *kgo.Record, err error) {
			switch {
			case ctx.Err() != nil:
			case err != nil || r.Offset != want:
				c.failed.CompareAndSwap(nil, new(fmt.Errorf("copy journal: record %d is at %d: %w", want, r.Offset, err)))
			default:
				c.next.Store(want + 1)
			}
		})
	}
	if err := c.failed.Load(); err != nil {
		return *err
	}
	return nil
}
