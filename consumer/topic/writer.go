package topic

import (
	"context"
	"fmt"
	"strconv"
	"sync"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/broker"
)

// Writer produces records to one topic, several at a time. It is safe for concurrent use.
type Writer struct {
	client *kgo.Client
	mu     sync.Mutex
	err    error // the first record that failed
}

// NewWriter opens a writer. opts say how the cluster is reached. No batch is larger than the topic takes.
func NewWriter(ctx context.Context, opts []kgo.Opt, topic string) (*Writer, error) {
	most, err := largestBatch(ctx, opts, topic)
	if err != nil {
		return nil, err
	}
	client, err := kgo.NewClient(append(append([]kgo.Opt{}, opts...),
		kgo.DefaultProduceTopic(topic), kgo.ProducerBatchMaxBytes(most), kgo.MaxBufferedBytes(256<<20),
		kgo.RecordPartitioner(kgo.UniformBytesPartitioner(64<<10, true, true, nil)))...)
	if err != nil {
		return nil, fmt.Errorf("open writer: %w", err)
	}
	return &Writer{client: client}, nil
}

// Write hands a record over. It waits only while too many records are on their way. Errors are returned by Flush, or by
// a later Write.
func (w *Writer) Write(ctx context.Context, key, value []byte) error {
	w.client.Produce(ctx, &kgo.Record{Key: key, Value: value}, func(_ *kgo.Record, err error) {
		w.mu.Lock()
		defer w.mu.Unlock()
		if err != nil && w.err == nil {
			w.err = err
		}
	})
	return w.failed()
}

// Flush waits until all records are written and returns the first error.
func (w *Writer) Flush(ctx context.Context) error {
	if err := w.client.Flush(ctx); err != nil {
		return fmt.Errorf("produce: %w", err)
	}
	return w.failed()
}

func (w *Writer) failed() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return fmt.Errorf("produce: %w", w.err)
	}
	return nil
}

// Close ends the writer. Records that are not flushed may be lost.
func (w *Writer) Close() { w.client.Close() }

// defaultBatch is the largest batch that a topic takes by Kafka's default.
const defaultBatch = 1_048_588

// largestBatch reads max.message.bytes of a topic. It is the default where the broker does not say or may not.
func largestBatch(ctx context.Context, opts []kgo.Opt, topic string) (int32, error) {
	client, err := kgo.NewClient(opts...)
	if err != nil {
		return 0, fmt.Errorf("open writer: %w", err)
	}
	defer client.Close()
	settings, err := broker.NewTopics(client, zerolog.Nop()).Settings(ctx, topic)
	if ctx.Err() != nil {
		return 0, fmt.Errorf("open writer: %w", err)
	}
	if n, err := strconv.ParseInt(settings["max.message.bytes"], 10, 32); err == nil && n > 0 {
		return int32(min(n, 64<<20)), nil
	}
	return defaultBatch, nil
}
