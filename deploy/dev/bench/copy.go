package main

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"golang.org/x/sync/errgroup"
)

// bareCopy forwards each record to one output and commits its offset in the same transaction. It does nothing else.
type bareCopy struct {
	poll   int   // the greatest number of records in one transaction
	fetch  int32 // the greatest number of bytes that one fetch brings of a partition
	linger time.Duration
}

// compression is how unecho compresses its outputs, and so do the contenders.
const compression = "snappy"

// asUnecho returns the copy that is tuned as unecho is by default.
func asUnecho() bareCopy { return bareCopy{poll: 5000, fetch: 4 << 20} }

func (c bareCopy) String() string {
	return fmt.Sprintf("batches of %d, fetches of %d MiB a partition, a linger of %s", c.poll, c.fetch>>20, c.linger)
}

func (c bareCopy) run(ctx context.Context, j job, group string) (result, error) {
	output := group + ".copy"
	if err := j.cluster.create(ctx, output, j.partitions); err != nil {
		return result{}, err
	}
	r, err := c.measure(ctx, j, group, output)
	return r, errors.Join(err, j.cluster.remove(ctx, group, output))
}

func (c bareCopy) measure(ctx context.Context, j job, group, output string) (result, error) {
	watch := newStopwatch(j)
	var documents, commits atomic.Uint64
	working, stop := context.WithCancel(ctx)
	defer stop()
	sessions, working := errgroup.WithContext(working)
	var instances []string
	for k := range j.sessions {
		instance := fmt.Sprintf("%s-s%d", group, k)
		instances = append(instances, instance)
		sessions.Go(func() error {
			return c.session(working, j, group, instance, output, watch, func(n int) {
				documents.Add(uint64(n))
				commits.Add(1)
			})
		})
	}
	ended := make(chan struct{})
	var ending error
	go func() {
		defer close(ended)
		ending = sessions.Wait()
	}()
	r := result{documents: j.documents}
	err := j.stream.sendAll(ctx, j, group, []string{output}, ended)
	if err == nil {
		r.took, r.cpu, err = watch.wait(ctx, func() int { return int(documents.Load()) }, j.documents, ended)
	}
	r.commits = commits.Load()
	stop()
	<-ended
	if err == nil {
		err = j.checkCommitted(ctx, group)
	} else {
		err = errors.Join(err, ending)
	}
	_, leaving := j.cluster.admin.LeaveGroup(context.WithoutCancel(ctx), kadm.LeaveGroup(group).InstanceIDs(instances...))
	return r, errors.Join(err, leaving)
}

// options returns the options of a session of unecho (consumer/session/options.go), except for fetch size, linger time
// and buffer.
func (c bareCopy) options(j job, group, instance string, watch *stopwatch) []kgo.Opt {
	return append(append([]kgo.Opt{}, j.cluster.options...),
		kgo.ConsumerGroup(group), kgo.ConsumeTopics(j.source), kgo.InstanceID(instance),
		kgo.TransactionalID(group+"/"+instance),
		kgo.TransactionTimeout(10*time.Second), kgo.SessionTimeout(6*time.Second), kgo.HeartbeatInterval(2*time.Second),
		kgo.RebalanceTimeout(30*time.Second), kgo.Balancers(kgo.CooperativeStickyBalancer()),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.FetchMaxWait(time.Second), kgo.FetchMaxPartitionBytes(c.fetch),
		kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ProducerLinger(c.linger), kgo.MaxBufferedRecords(c.poll+1),
		kgo.ProducerBatchMaxBytes(1<<20), kgo.ProducerBatchCompression(kgo.SnappyCompression()), kgo.WithHooks(watch),
	)
}

func (c bareCopy) session(ctx context.Context, j job, group, instance, output string, watch *stopwatch,
	committed func(int),
) error {
	session, err := kgo.NewGroupTransactSession(c.options(j, group, instance, watch)...)
	if err != nil {
		return fmt.Errorf("open session of the copy: %w", err)
	}
	defer session.CloseAllowingRebalance()
	var records []kgo.Record
	for {
		fetches := session.PollRecords(ctx, c.poll)
		if ctx.Err() != nil {
			return nil
		}
		if fetches.NumRecords() == 0 {
			continue
		}
		n, err := transact(ctx, session, fetches, &records, output)
		if err != nil {
			return err
		}
		if n > 0 {
			committed(n)
		}
	}
}

// transact copies one poll; it returns 0 when a rebalance took it back.
func transact(ctx context.Context, session *kgo.GroupTransactSession, fetches kgo.Fetches, records *[]kgo.Record,
	output string,
) (int, error) {
	if err := session.Begin(); err != nil {
		return 0, fmt.Errorf("begin transaction of the copy: %w", err)
	}
	n := fetches.NumRecords()
	if cap(*records) < n {
		*records = make([]kgo.Record, 0, n)
	}
	out := (*records)[:0]
	var failed atomic.Pointer[error]
	promise := func(_ *kgo.Record, err error) {
		if err != nil {
			failed.CompareAndSwap(nil, &err)
		}
	}
	for it := fetches.RecordIter(); !it.Done(); {
		src := it.Next()
		out = append(out, kgo.Record{
			Topic: output, Partition: src.Partition, Key: src.Key, Value: src.Value, Headers: src.Headers,
			Timestamp: src.Timestamp,
		})
		session.Produce(ctx, &out[len(out)-1], promise)
	}
	if err := session.Client().Flush(ctx); err != nil {
		return 0, nil //nolint:nilerr // the run is over
	}
	if err := failed.Load(); err != nil {
		return 0, fmt.Errorf("produce of the copy: %w", *err)
	}
	committed, err := session.End(ctx, kgo.TryCommit)
	if err != nil && ctx.Err() == nil {
		return 0, fmt.Errorf("commit of the copy: %w", err)
	}
	if !committed {
		return 0, nil
	}
	return n, nil
}
