package journal

import (
	"errors"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/unpack"
)

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
		if err := blanks(max(batch.Offset, h.From), batch, func(r *kgo.Record) error { return h.one(rd, r) }); err != nil {
			return err
		}
		client.SetOffsets(map[string]map[int32]kgo.EpochOffset{
			batch.Topic: {batch.Partition: {Epoch: batch.Epoch, Offset: batch.NextOffset}},
		})
	}
	return nil
}

// blanks hands the records of a batch from an offset on to fn, as unreadable ones.
func blanks(from int64, batch *kgo.ErrDecompressTooLarge, fn func(*kgo.Record) error) error {
	for offset := from; offset < batch.NextOffset; offset++ {
		if err := fn(&kgo.Record{
			Topic: batch.Topic, Partition: batch.Partition, Offset: offset, LeaderEpoch: batch.Epoch,
			Timestamp: time.UnixMilli(0),
			Attrs:     kgo.NewRecordAttrs(kgo.RecordAttrsOpts{TimestampType: 1}),
		}); err != nil {
			return err
		}
	}
	return nil
}

// bearable says whether a follower goes on by itself after an error.
func bearable(err error) bool {
	return errors.Is(err, unpack.ErrLater) || errors.Is(err, kgo.ErrMaxDecompress)
}
