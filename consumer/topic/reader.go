package topic

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/unpack"
	"github.com/unecho/unecho/index/entry"
)

// ErrNoRecord says that no record stands at an offset.
var ErrNoRecord = errors.New("no record stands there: it is gone by retention or compaction, was never written, or " +
	"not committed")

// Record is a record that was read.
type Record struct {
	Topic     string
	Partition int32
	Offset    int64
	Time      time.Time
	Key       []byte
	Value     []byte
	Headers   []Header
}

// Header is one header of a Record.
type Header = kgo.RecordHeader

func recordOf(r *kgo.Record) *Record {
	return &Record{
		Topic: r.Topic, Partition: r.Partition, Offset: r.Offset, Time: r.Timestamp, Key: r.Key, Value: r.Value, Headers: r.Headers,
	}
}

// Header returns the value of the first header of that name, or "".
func (r *Record) Header(name string) string {
	for _, h := range r.Headers {
		if h.Key == name {
			return string(h.Value)
		}
	}
	return ""
}

// Reader reads the committed records of whole topics, without a group.
type Reader struct {
	client *kgo.Client
}

// NewReader opens a reader that begins where the topics begin.
func NewReader(opts []kgo.Opt, topics ...string) (*Reader, error) {
	client, err := open(opts, unpack.Entire(readBatch), kgo.ConsumeTopics(topics...),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.FetchMaxWait(200*time.Millisecond))
	if err != nil {
		return nil, fmt.Errorf("open reader: %w", err)
	}
	return &Reader{client: client}, nil
}

// readBatch bounds the bytes of a batch that is read for a person to look at. A larger batch ends the reading with the
// library's error, which names it.
const readBatch = 128 << 20

// open opens a client that reads committed records, with their timestamps as they were written.
func open(opts Options, u *unpack.Unpacker, more ...kgo.Opt) (*kgo.Client, error) {
	like, err := kgo.NewClient(opts...)
	if err != nil {
		return nil, err
	}
	defer like.Close()
	return kgo.NewClient(slices.Concat(opts, u.Options(like),
		[]kgo.Opt{kgo.FetchIsolationLevel(kgo.ReadCommitted())}, more)...)
}

// Next waits for records and hands each to fn.
func (r *Reader) Next(ctx context.Context, fn func(*Record) error) error {
	fetches := r.client.PollFetches(ctx)
	// An error counts only without records: records that came with it will not come again.
	if fetches.NumRecords() == 0 {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := fetches.Err(); err != nil {
			return fmt.Errorf("read: %w", err)
		}
	}
	for it := fetches.RecordIter(); !it.Done(); {
		if err := fn(recordOf(it.Next())); err != nil {
			return err
		}
	}
	return nil
}

// Close ends the reader.
func (r *Reader) Close() { r.client.Close() }

// Reach makes sure that the cluster answers and has the topics.
func Reach(ctx context.Context, opts []kgo.Opt, topics ...string) error {
	client, err := reach(ctx, opts, topics...)
	if err == nil {
		client.Close()
	}
	return err
}

// reach does what Reach does, and returns a client.
func reach(ctx context.Context, opts []kgo.Opt, topics ...string) (*kgo.Client, error) {
	client, err := broker.Open(ctx, opts...)
	if err != nil {
		return nil, err
	}
	if _, err = broker.NewTopics(client, zerolog.Nop()).Describe(ctx, topics...); err != nil {
		client.Close()
		return nil, err
	}
	return client, nil
}

// Options say how the cluster is reached. broker.Options returns them.
type Options = []kgo.Opt

// End is where a partition ends: the offset that its next record gets.
type End struct {
	entry.PartitionName
	Offset int64
}

// Ends returns the ends of all partitions of the topics.
func Ends(ctx context.Context, opts Options, topics ...string) ([]End, error) {
	client, err := kgo.NewClient(opts...)
	if err != nil {
		return nil, fmt.Errorf("read ends: %w", err)
	}
	defer client.Close()
	listed, err := broker.AllOffsets(ctx, kadm.NewClient(client).ListEndOffsets, topics...)
	if err != nil {
		return nil, fmt.Errorf("read ends: %w", err)
	}
	var ends []End
	listed.Each(func(o kadm.ListedOffset) { ends = append(ends, End{entry.Name(o.Topic, o.Partition), o.Offset}) })
	return ends, nil
}
