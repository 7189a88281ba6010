package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"golang.org/x/sync/errgroup"

	"github.com/unecho/unecho/consumer/retry"
)

// stream brings documents into the source at a rate while a contender works, and notes how long each one takes from
// the hand to a reader of the outputs. The key of a document is its number. A nil stream brings nothing, because the
// source is full.
type stream struct {
	rate  int
	first int // documents that show that the group is at work, one for each partition
	warm  int // documents at the rate that come before those that count
	texts [][]byte

	began   time.Time
	sent    []time.Duration // since began, as is arrived
	arrived []time.Duration // 0: not yet
	through atomic.Int64    // how many have arrived
}

// newStream writes all documents beforehand, because a text takes about as long to make as to copy.
func newStream(p params, rate int) *stream {
	s := &stream{rate: rate, first: p.partitions, warm: p.warm * rate}
	docs := newCorpus(p.seed, p.bytes)
	for range s.first + s.warm + p.seconds*rate {
		s.texts = append(s.texts, docs.next())
	}
	return s
}

// run gives the contender a source of its own, which feed fills.
func (s *stream) run(ctx context.Context, j job, who contender, group string) (result, error) {
	if s == nil {
		return who.run(ctx, j, group)
	}
	j.source, j.documents = group+".source", len(s.texts)
	if err := j.cluster.create(ctx, j.source, j.partitions); err != nil {
		return result{}, err
	}
	s.sent, s.arrived = make([]time.Duration, len(s.texts)), make([]time.Duration, len(s.texts))
	s.through.Store(0)
	r, err := who.run(ctx, j, group)
	if err = errors.Join(err, j.cluster.remove(ctx, "", j.source)); err == nil {
		r.latency = s.measured()
	}
	return r, err
}

// sendAll brings all documents and returns when each has arrived in one of the outputs. ended is closed when the
// contender has given up.
func (s *stream) sendAll(ctx context.Context, j job, group string, outputs []string, ended <-chan struct{}) error {
	if s == nil {
		return nil
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case <-ended:
			cancel(errors.New("it ended while documents came"))
		case <-ctx.Done():
		}
	}()
	if err := j.cluster.balanced(ctx, group, j.sessions); err != nil {
		return err
	}
	s.began = time.Now()
	both, working := errgroup.WithContext(ctx)
	both.Go(func() error { return s.read(working, j, outputs) })
	both.Go(func() error { return s.produce(working, j) })
	if err := both.Wait(); err != nil {
		return errors.Join(err, context.Cause(ctx))
	}
	return nil
}

// produce hands over the first documents and waits until they have arrived, then the others at the rate.
func (s *stream) produce(ctx context.Context, j job) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	client, err := kgo.NewClient(append(slices.Clone(j.cluster.options), kgo.DefaultProduceTopic(j.source),
		kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ProducerLinger(0), kgo.ProducerBatchCompression(kgo.SnappyCompression()))...)
	if err != nil {
		return fmt.Errorf("open producer: %w", err)
	}
	defer client.Close()
	failed := func(_ *kgo.Record, err error) {
		if err != nil {
			cancel(fmt.Errorf("produce a document: %w", err))
		}
	}
	hand := func(i int) {
		r := &kgo.Record{Partition: int32(i % j.partitions), Key: strconv.AppendInt(nil, int64(i), 10), Value: s.texts[i]}
		s.sent[i] = time.Since(s.began)
		client.Produce(ctx, r, failed)
	}
	for i := range s.first {
		hand(i)
	}
	if err := s.until(ctx, s.first); err != nil {
		return err
	}
	began := time.Now()
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for i := s.first; i < len(s.texts); {
		due := s.first + int(time.Since(began).Seconds()*float64(s.rate))
		for ; i < min(due+1, len(s.texts)); i++ {
			hand(i)
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return s.until(ctx, len(s.texts))
}

// arrivalBound is how long the last document may take. What has not arrived by then is lost.
const arrivalBound = 30 * time.Second

// until waits until n documents have arrived.
func (s *stream) until(ctx context.Context, n int) error {
	ctx, cancel := context.WithTimeoutCause(ctx, arrivalBound, fmt.Errorf("nothing more came for %s", arrivalBound))
	defer cancel()
	for int(s.through.Load()) < n {
		if err := retry.Pause(ctx, tick); err != nil {
			return fmt.Errorf("%d of %d documents have arrived: %w", s.through.Load(), n, err)
		}
	}
	return nil
}

// read notes when documents arrive, until all have.
func (s *stream) read(ctx context.Context, j job, outputs []string) error {
	client, err := kgo.NewClient(append(slices.Clone(j.cluster.options), kgo.ConsumeTopics(outputs...),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()))...)
	if err != nil {
		return fmt.Errorf("open reader: %w", err)
	}
	defer client.Close()
	for int(s.through.Load()) < len(s.texts) {
		fetches := client.PollFetches(ctx)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := fetches.Err(); err != nil {
			return fmt.Errorf("read %v: %w", outputs, err)
		}
		at, n := time.Since(s.began), 0
		for it := fetches.RecordIter(); !it.Done(); n++ {
			if err := s.arrive(it.Next(), at); err != nil {
				return err
			}
		}
		s.through.Add(int64(n))
	}
	return nil
}

func (s *stream) arrive(r *kgo.Record, at time.Duration) error {
	i, err := strconv.Atoi(string(r.Key))
	if err != nil || i < 0 || i >= len(s.arrived) {
		return fmt.Errorf("%s has a document of number %q", r.Topic, r.Key)
	}
	if s.arrived[i] > 0 {
		return fmt.Errorf("document %d arrived twice", i)
	}
	s.arrived[i] = at
	return nil
}

// latency is the time from the hand to the reader, of the documents that count.
type latency struct{ median, p99 time.Duration }

func (s *stream) measured() latency {
	var took []time.Duration
	for i := s.first + s.warm; i < len(s.texts); i++ {
		took = append(took, s.arrived[i]-s.sent[i])
	}
	slices.Sort(took)
	return latency{median: took[(len(took)-1)/2], p99: took[(len(took)*99+99)/100-1]}
}
