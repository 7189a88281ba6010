//go:build unix

package main

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// recent is how many texts the load remembers to copy from, and documentBytes about how long they are.
const recent, documentBytes = 2000, 200

// load writes documents to the source topic at a steady rate. About a third are copies of others, exact or edited. A
// few are empty or not UTF-8.
type load struct {
	client     *kgo.Client
	r          *rand.Rand
	partitions atomic.Int32
	texts      []string

	mu   sync.Mutex
	ends map[int32]int64 // end of each partition, as far as Kafka has acknowledged
	sent int
	err  error
}

func newLoad(w *world, topic string, p params) (*load, error) {
	client, err := kgo.NewClient(append(append([]kgo.Opt{}, w.options...), kgo.DefaultProduceTopic(topic),
		kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ProducerLinger(5*time.Millisecond),
		kgo.UnknownTopicRetries(100))...) // a topic was just created, and a broker may not know it for a while
	if err != nil {
		return nil, fmt.Errorf("open the load's client: %w", err)
	}
	l := &load{client: client, r: rand.New(rand.NewPCG(p.seed, 3)), ends: map[int32]int64{}}
	l.partitions.Store(int32(p.partitions))
	return l, nil
}

// tick is how often documents are written.
const tick = 50 * time.Millisecond

// run writes until ctx is done, at the rate per second that rate gives for each time. It returns when everything is
// acknowledged.
func (l *load) run(ctx context.Context, rate func(time.Duration) float64) error {
	began, last, due := time.Now(), time.Now(), 0.0
	for ctx.Err() == nil {
		now := time.Now()
		due, last = due+now.Sub(last).Seconds()*rate(now.Sub(began)), now
		for ; due >= 1 && ctx.Err() == nil; due-- {
			l.write(l.document())
		}
		wait(ctx, tick)
	}
	if err := l.client.Flush(context.WithoutCancel(ctx)); err != nil {
		return fmt.Errorf("write documents: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// widen has the load write to the first n partitions, when its client knows them.
func (l *load) widen(ctx context.Context, topic string, n int) error {
	if err := until(ctx, "the load knows the new partitions", commitTimeout, func(context.Context) bool {
		l.client.ForceMetadataRefresh()
		leader, _, err := l.client.PartitionLeader(topic, int32(n-1))
		return err == nil && leader >= 0
	}); err != nil {
		return err
	}
	l.partitions.Store(int32(n))
	return nil
}

// write hands a record to the client. It waits only if too much is not acknowledged yet.
func (l *load) write(r *kgo.Record) {
	l.client.Produce(context.Background(), r, func(r *kgo.Record, err error) {
		l.mu.Lock()
		defer l.mu.Unlock()
		if err != nil {
			l.err = fmt.Errorf("write documents: %w", err)
			return
		}
		l.took(r.Partition, r.Offset, 1)
	})
}

// acknowledged counts n documents that somebody else has written to a partition, from an offset on.
func (l *load) acknowledged(partition int32, offset int64, n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.took(partition, offset, n)
}

// took counts documents. The caller holds mu.
func (l *load) took(partition int32, offset int64, n int) {
	l.ends[partition] = max(l.ends[partition], offset+int64(n))
	l.sent += n
}

func (l *load) document() *kgo.Record {
	r := &kgo.Record{
		Partition: l.r.Int32N(l.partitions.Load()), Key: fmt.Appendf(nil, "k%d", l.r.IntN(1000)),
		Headers: []kgo.RecordHeader{{Key: "lang", Value: []byte("en")}, {Key: "unecho-verdict", Value: []byte("forged")}},
	}
	switch l.r.IntN(500) {
	case 0: // a tombstone
	case 1:
		r.Value = []byte{0xff, 0xfe}
	default:
		r.Value = []byte(l.text())
	}
	return r
}

func (l *load) text() string {
	if len(l.texts) > 0 && l.r.IntN(3) == 0 {
		text := l.texts[l.r.IntN(len(l.texts))]
		if l.r.IntN(2) == 0 {
			text += fmt.Sprint(" edited", l.r.IntN(1000))
		}
		return text
	}
	var b strings.Builder
	for b.Len() < documentBytes {
		fmt.Fprintf(&b, "w%x ", l.r.IntN(1<<20))
	}
	if len(l.texts) < recent {
		l.texts = append(l.texts, b.String())
	} else {
		l.texts[l.r.IntN(recent)] = b.String()
	}
	return b.String()
}

// written returns what is acknowledged so far.
func (l *load) written() (ends map[int32]int64, sent int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.ends), l.sent
}
