package journal

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/consumer/unpack"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// Part is a part of a journal: from a place up to an offset before which a record or a marker stands.
type Part struct {
	Options []kgo.Opt // how the cluster is reached
	Topic   string
	Params  Params // how large its batches may be
	From    Begin
	End     int64
}

// Read hands each record of the part to fn, valid during the call, by a client of its own. The record is nil in the place of
// a stray, which members pass over.
func (p Part) Read(ctx context.Context, by Reader, fn func(at index.Stamp, rec index.Record) error) error {
	take := func(r *kgo.Record) error {
		at, rec, err := by.Read(r)
		switch {
		case err == nil:
			return fn(at, rec)
		case errors.As(err, new(*StrayError)):
			return fn(at, nil)
		}
		return fmt.Errorf("record %d: %w", r.Offset, err)
	}
	err := topic.Range{entry.Name(p.Topic, 0): {From: p.From.Offset, To: p.End}}.Read(ctx, topic.Reading{
		Options: p.Options, Unpacker: NewUnpacker(p.Params), More: followerOptions(p.Topic, p.From), Uncommitted: true,
		Unread: func(unread topic.Part) error { return blanks(unread, -1, take) },
	}, take)
	if lost(err) {
		return fmt.Errorf("%w: %w", ErrLost, err)
	}
	return err
}

// leastBatch is the least number of bytes that a batch of the journal may unpack to, if members write none that needs
// more.
const leastBatch = 16 << 20

// NewUnpacker makes the decompressor of a follower. Records that it withholds become strays, so its bound must not
// depend on anything in which members may differ.
func NewUnpacker(p Params) *unpack.Unpacker {
	batch := max(leastBatch, 2*p.MaxRecordBytes(), p.MaxRecordBytes()+mostBuffered*unpack.Cost(new(kgo.Record)))
	return unpack.New(unpack.Limits{Batch: batch, Held: 2 * batch})
}

// unread hands on each record of a batch that cannot be unpacked as an unreadable one, and goes on behind the batch.
// The offsets of its records are known all the same.
func (h *Handler) unread(rd *Reader, client *kgo.Client, fetches kgo.Fetches) error {
	for _, failed := range fetches.Errors() {
		var batch *kgo.ErrDecompressTooLarge
		if !errors.As(failed.Err, &batch) {
			continue
		}
		unread := topic.Part{From: max(batch.Offset, h.From), To: batch.NextOffset}
		if err := blanks(unread, batch.Epoch, func(r *kgo.Record) error { return h.one(rd, r) }); err != nil {
			return err
		}
		client.SetOffsets(map[string]map[int32]kgo.EpochOffset{
			batch.Topic: {batch.Partition: {Epoch: batch.Epoch, Offset: batch.NextOffset}},
		})
	}
	return nil
}

// blanks hands the records of a batch to fn, as unreadable ones.
func blanks(unread topic.Part, epoch int32, fn func(*kgo.Record) error) error {
	for offset := unread.From; offset < unread.To; offset++ {
		if err := fn(&kgo.Record{
			Offset: offset, LeaderEpoch: epoch, Timestamp: time.UnixMilli(0),
			Attrs: kgo.NewRecordAttrs(kgo.RecordAttrsOpts{TimestampType: 1}),
		}); err != nil {
			return err
		}
	}
	return nil
}
