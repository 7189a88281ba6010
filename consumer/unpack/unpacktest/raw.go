package unpacktest

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Raw is a record as it lies in its partition.
type Raw struct {
	Document

	Offset int64
}

// Read returns the committed records of a partition. It asks the broker and reads the batches itself, so that no
// client's records come between.
func Read(ctx context.Context, client *kgo.Client, topic string, partition int32) (all []Raw, err error) {
	id, leader, err := leaderOf(ctx, client, topic, partition)
	if err != nil {
		return nil, fmt.Errorf("read %s/%d: %w", topic, partition, err)
	}
	from := reader{topic: topic, id: id, partition: partition, broker: leader}
	return from.all(ctx)
}

type reader struct {
	topic     string
	id        [16]byte
	partition int32
	broker    *kgo.Broker
	next      int64
	aborted   map[int64][]int64 // where each producer's aborted transactions begin
	records   []Raw
}

func (r *reader) all(ctx context.Context) ([]Raw, error) {
	for {
		got, err := r.fetch(ctx)
		if err != nil {
			return nil, err
		}
		r.aborted = map[int64][]int64{}
		for _, a := range got.AbortedTransactions {
			r.aborted[a.ProducerID] = append(r.aborted[a.ProducerID], a.FirstOffset)
		}
		for batches := got.RecordBatches; len(batches) > 12; {
			size := int(binary.BigEndian.Uint32(batches[8:])) + 12
			if size > len(batches) {
				break // it is cut off
			}
			if err := r.batch(batches[:size]); err != nil {
				return nil, err
			}
			batches = batches[size:]
		}
		if r.next >= got.LastStableOffset {
			return r.records, nil
		}
	}
}

func (r *reader) fetch(ctx context.Context) (*kmsg.FetchResponseTopicPartition, error) {
	req := kmsg.NewPtrFetchRequest()
	req.MaxWaitMillis, req.MinBytes, req.MaxBytes, req.IsolationLevel = 100, 1, 16<<20, 1
	p := kmsg.NewFetchRequestTopicPartition()
	p.Partition, p.FetchOffset, p.PartitionMaxBytes = r.partition, r.next, 16<<20
	t := kmsg.NewFetchRequestTopic()
	t.Topic, t.TopicID, t.Partitions = r.topic, r.id, append(t.Partitions, p)
	req.Topics = append(req.Topics, t)
	resp, err := r.broker.RetriableRequest(ctx, req)
	if err != nil {
		return nil, err
	}
	got := &resp.(*kmsg.FetchResponse).Topics[0].Partitions[0]
	return got, kerr.ErrorForCode(got.ErrorCode)
}

// batch reads a batch, which may begin below what is read next.
func (r *reader) batch(raw []byte) error {
	var b kmsg.RecordBatch
	if err := b.ReadFrom(raw); err != nil {
		return err
	}
	begin := r.next
	r.next = b.FirstOffset + int64(b.LastOffsetDelta) + 1
	begun := func(first int64) bool { return first <= b.FirstOffset }
	const control = 1 << 5
	if b.Attributes&control != 0 {
		r.aborted[b.ProducerID] = slices.DeleteFunc(r.aborted[b.ProducerID], begun) // its next one may be committed
		return nil
	}
	if slices.ContainsFunc(r.aborted[b.ProducerID], begun) {
		return nil
	}
	records := b.Records
	if codec := kgo.CompressionCodecType(b.Attributes & 7); codec != kgo.CodecNone { // three bits
		var err error
		if records, err = kgo.DefaultDecompressor().Decompress(records, codec); err != nil {
			return err
		}
	}
	for range b.NumRecords {
		d, offset, rest, err := document(records)
		if err != nil {
			return err
		}
		records = rest
		if d.Time += b.FirstTimestamp; b.Attributes&(1<<3) != 0 {
			d.Time = b.MaxTimestamp
		}
		if offset += b.FirstOffset; offset >= begin {
			r.records = append(r.records, Raw{Document: d, Offset: offset})
		}
	}
	return nil
}

// document reads a record. Its time and offset are those since the batch's first.
func document(in []byte) (d Document, offset int64, rest []byte, err error) {
	number := func() int64 {
		v, n := binary.Varint(in)
		if n <= 0 {
			err, in = errors.New("a record is cut off"), nil
			return 0
		}
		in = in[n:]
		return v
	}
	field := func() []byte {
		n := number()
		if n < 0 || n > int64(len(in)) {
			return nil
		}
		f := in[:n:n]
		in = in[n:]
		return f
	}
	if number(); err != nil || len(in) == 0 {
		return d, 0, nil, errors.New("a record is cut off")
	}
	in = in[1:] // attributes
	d.Time, offset = number(), number()
	d.Key, d.Value = field(), field()
	for n := number(); n > 0 && err == nil; n-- {
		d.Headers = append(d.Headers, kgo.RecordHeader{Key: string(field()), Value: field()})
	}
	return d, offset, in, err
}
