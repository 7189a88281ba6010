package topic

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/unpack"
)

// ErrOther says that a topic was deleted and created again since: what stands there is another record.
var ErrOther = errors.New("the topic was deleted and created again since")

// oneFetch bounds what a fetch of one record asks for. A broker sends a whole batch in any case.
const oneFetch = 64 << 10

// ReadOne reads the record at an offset of a partition of the topic with this id, by one fetch of a client of its
// own. What it takes in memory is bounded: a batch that unpacks to more than most bytes is an error. ErrNoRecord says
// that there is no record, ErrOther that the topic is another one. The caller bounds the time by ctx.
func ReadOne(ctx context.Context, opts Options, topic string, id [16]byte, partition int32, offset int64,
	most int,
) (*Record, error) {
	r, err := readOne(ctx, opts, topic, id, partition, offset, most)
	if err != nil {
		return nil, fmt.Errorf("read %s/%d/%d: %w", topic, partition, offset, err)
	}
	return r, nil
}

func readOne(ctx context.Context, opts Options, topic string, id [16]byte, partition int32, offset int64,
	most int,
) (*Record, error) {
	at := map[string]map[int32]kgo.Offset{topic: {partition: kgo.NewOffset().At(offset)}}
	client, err := open(opts, unpack.Entire(most), kgo.ConsumePartitions(at), kgo.ConsumeResetOffset(kgo.NoResetOffset()),
		kgo.KeepControlRecords(), kgo.FetchMaxBytes(oneFetch), kgo.FetchMaxPartitionBytes(oneFetch),
		kgo.MaxConcurrentFetches(1))
	if err != nil {
		return nil, err
	}
	defer client.Close()
	if err := sameTopic(ctx, client, topic, id); err != nil {
		return nil, err
	}
	for {
		fetches := client.PollRecords(ctx, 1)
		if err := fetches.Err(); errors.Is(err, kerr.OffsetOutOfRange) {
			return nil, ErrNoRecord
		} else if err != nil {
			return nil, err
		}
		for it := fetches.RecordIter(); !it.Done(); {
			k := it.Next()
			if k.Offset != offset || k.Attrs.IsControl() {
				return nil, ErrNoRecord
			}
			return recordOf(k), nil
		}
	}
}

// sameTopic says whether the topic of a name still has the id.
func sameTopic(ctx context.Context, client *kgo.Client, topic string, id [16]byte) error {
	there, err := kadm.NewClient(client).ListTopics(ctx, topic)
	if err != nil {
		return err
	}
	d, ok := there[topic]
	switch {
	case !ok || errors.Is(d.Err, kerr.UnknownTopicOrPartition):
		return ErrNoRecord
	case d.Err != nil:
		return d.Err
	case [16]byte(d.ID) != id:
		return ErrOther
	}
	return nil
}
