package journal

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/index"
)

// AppenderOptions are the client options an appender needs in addition to those that reach the cluster: idempotent, all
// replicas, no lingering. The client does not compress, because evidence is compressed already and band keys are
// noise. An append ends when its context does, also while no broker answers. After any error it is an open
// question whether the record is in the journal.
func AppenderOptions(p Params) []kgo.Opt {
	return []kgo.Opt{
		kgo.RequiredAcks(kgo.AllISRAcks()),
		kgo.AllowIdempotentProduceCancellation(),
		kgo.ProducerLinger(0),
		kgo.ProducerBatchCompression(kgo.NoCompression()),
		kgo.ProducerBatchMaxBytes(int32(p.MaxRecordBytes())),
		kgo.MaxBufferedRecords(mostBuffered),
		kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.DefaultProduceTopic(p.Topic),
	}
}

// mostBuffered is how many records an appender may have on their way, and so the most of a batch. It is the library's
// number, and followers have room for as many.
const mostBuffered = 50_000

// Appender appends records to the journal. It is safe for concurrent use. A record counts only once a follower has read
// it back. An error leaves open whether the record is in the journal, and appending it again is harmless.
type Appender struct {
	client *kgo.Client
	owner  []byte

	records, bytes atomic.Uint64 // appended
}

// NewAppender wraps a client that was built with AppenderOptions. The owner is the consumer group to which the journal
// belongs.
func NewAppender(client *kgo.Client, owner string) *Appender {
	return &Appender{client: client, owner: []byte(owner)}
}

// Append appends the records and returns the greatest journal offset they got. The records must not change until it
// returns.
func (a *Appender) Append(ctx context.Context, recs ...index.Record) (last int64, err error) {
	values := make([][]byte, 0, len(recs))
	for _, rec := range recs {
		values = append(values, Append(nil, rec))
	}
	return a.AppendValues(ctx, values)
}

// AppendValues is Append for records that are framed already. The values must not change until it returns.
func (a *Appender) AppendValues(ctx context.Context, values [][]byte) (last int64, err error) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	last = -1
	wg.Add(len(values))
	for _, value := range values {
		a.client.Produce(ctx, &kgo.Record{Key: a.owner, Value: value}, func(r *kgo.Record, e error) {
			defer wg.Done()
			mu.Lock()
			defer mu.Unlock()
			if e != nil {
				err = e
				return
			}
			last = max(last, r.Offset)
			a.records.Add(1)
			a.bytes.Add(uint64(len(r.Value)))
		})
	}
	wg.Wait()
	if err != nil {
		return last, fmt.Errorf("append to journal: %w", err)
	}
	return last, nil
}

// Stats counts what an appender has appended.
type Stats struct {
	Records uint64
	Bytes   uint64
}

// Stats returns the counters.
func (a *Appender) Stats() Stats {
	return Stats{Records: a.records.Load(), Bytes: a.bytes.Load()}
}
