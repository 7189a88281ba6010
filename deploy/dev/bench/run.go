package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// job is the task of both contenders: to forward the documents of a topic.
type job struct {
	cluster    *cluster
	source     string
	documents  int
	partitions int
	sessions   int
	stream     *stream // brings the documents while the contender works; nil: the source is full before
}

// contender forwards the whole source as a new group with that name and returns the result. It cleans up after itself.
type contender interface {
	run(ctx context.Context, j job, group string) (result, error)
}

// result is what a run cost.
type result struct {
	documents int
	took      time.Duration
	cpu       usage
	commits   uint64
	latency   latency // where a stream brought the documents

	// These are measured for unecho alone.
	duplicates           uint64
	journalBytes         uint64
	sign, judge, forward float64 // seconds, summed over sessions
	candidates, rebuilds uint64
	rejected             int64
}

func (r result) rate() float64 { return float64(r.documents) / r.took.Seconds() }

// stopwatch starts when the first batch of the topic arrives at any client that has it as a hook, or by start.
type stopwatch struct {
	topic   string
	once    sync.Once
	began   time.Time
	meter   meter
	cpu     usage
	started chan struct{}
}

func newStopwatch(j job) *stopwatch {
	return &stopwatch{topic: j.source, meter: j.cluster.meter, started: make(chan struct{})}
}

var _ kgo.HookFetchBatchRead = (*stopwatch)(nil)

// OnFetchBatchRead implements kgo.HookFetchBatchRead.
func (w *stopwatch) OnFetchBatchRead(_ kgo.BrokerMetadata, topic string, _ int32, _ kgo.FetchBatchMetrics) {
	if topic != w.topic {
		return
	}
	w.start()
}

// start begins the measurement, once.
func (w *stopwatch) start() {
	w.once.Do(func() {
		w.began, w.cpu = time.Now(), w.meter.read()
		close(w.started)
	})
}

// tick is how often a stopwatch checks whether everything is done: less than a thousandth of a run.
const tick = time.Millisecond

// wait returns the time until done says that n documents are committed. ended is closed when the contender has given
// up.
func (w *stopwatch) wait(ctx context.Context, done func() int, n int,
	ended <-chan struct{},
) (took time.Duration, cpu usage, err error) {
	select {
	case <-w.started:
	case <-ended:
		return 0, usage{}, fmt.Errorf("it ended before it began")
	case <-ctx.Done():
		return 0, usage{}, context.Cause(ctx)
	}
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for {
		if done() >= n {
			return time.Since(w.began), w.meter.read().minus(w.cpu), nil
		}
		select {
		case <-ticker.C:
		case <-ended:
			return 0, usage{}, fmt.Errorf("it ended with %d of %d documents committed", done(), n)
		case <-ctx.Done():
			return 0, usage{}, fmt.Errorf("%w: %d of %d documents are committed", context.Cause(ctx), done(), n)
		}
	}
}

// commitTimeout is how long the offsets of an acknowledged transaction may take to show.
const commitTimeout = 10 * time.Second

// checkCommitted makes sure that the group has committed the whole source, no more and no less, whatever the contender
// counted. The answer to a commit comes before its markers are everywhere, so settled asks again for a while.
func (j job) checkCommitted(ctx context.Context, group string) error {
	ctx, cancel := context.WithTimeout(ctx, commitTimeout)
	defer cancel()
	got := 0
	err := again(ctx, func() (is bool, err error) {
		got, err = j.cluster.committed(ctx, group, j.source)
		return err == nil && got == j.documents, err
	})
	if err != nil {
		return fmt.Errorf("%s has committed %d of %d documents: %w", group, got, j.documents, err)
	}
	return nil
}
