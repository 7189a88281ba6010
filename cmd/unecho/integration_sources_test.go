package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/broker"
)

// writes sends n documents to a partition in a transaction, and ends that so.
func (s *scene) writes(client *kgo.Client, partition int32, n int, how kgo.TransactionEndTry) {
	s.t.Helper()
	check(s.t, client.BeginTransaction())
	var records []*kgo.Record
	for range n {
		records = append(records, &kgo.Record{
			Topic: s.source, Partition: partition,
			Value: []byte(words(rand.New(rand.NewPCG(rand.Uint64(), 1)), 30)),
		})
	}
	check(s.t, client.ProduceSync(s.bounded(), records...).FirstErr())
	check(s.t, client.EndTransaction(s.bounded(), how))
}

// caughtUp waits until the group has committed all that a read-committed reader can pass.
func (s *scene) caughtUp() {
	s.t.Helper()
	s.until("the group is at the end of its source", func(ctx context.Context) bool {
		ends, err := broker.AwaitCommitted(ctx, s.admin, s.source) // Kafka writes that a transaction has ended a moment later
		if err != nil {
			return false
		}
		_, by := s.committed(ctx)
		at := true
		ends.Each(func(o kadm.ListedOffset) { at = at && by[o.Partition] == o.Offset })
		return at
	})
}

// deleteBelow is what retention does.
func (s *scene) deleteBelow(topic string, offsets map[int32]int64) {
	s.t.Helper()
	var below kadm.Offsets
	for p, o := range offsets {
		below.AddOffset(topic, p, o, -1)
	}
	deleted, err := s.admin.DeleteRecords(s.bounded(), below)
	check(s.t, err)
	check(s.t, deleted.Error())
}

// ends are the ends of the source's partitions.
func (s *scene) ends() map[int32]int64 {
	s.t.Helper()
	by := map[int32]int64{}
	ends, err := s.admin.ListEndOffsets(s.bounded(), s.source)
	check(s.t, err)
	ends.Each(func(o kadm.ListedOffset) { by[o.Partition] = o.Offset })
	return by
}

// wellBehaved looks at what the service and the doctor say of a source that was read to its end.
func (s *scene) wellBehaved(p *process, ops string) {
	s.t.Helper()
	p.says(`"ready"`)
	s.caughtUp()
	s.until("the lag is 0", func(
		ctx context.Context,
	) bool {
		return metric(ctx, s.t, ops, "unecho_source_lag_documents") == 0
	})
	said := s.exec("doctor")
	if !strings.Contains(said, ", 0 documents behind") || strings.Contains(said, "deleted before they were read") {
		s.t.Errorf("the doctor says\n%s", said)
	}
	if got := metric(s.bounded(), s.t, ops, "unecho_source_deleted_total"); got != 0 ||
		strings.Contains(p.log.String(), "deleted before") {
		s.t.Errorf("%v documents are said to be deleted unread", got)
	}
}

// The source is written in transactions, of which many are aborted, the last ones too. The group comes to its very end;
// what it has passed is neither behind nor deleted unread, when retention takes it and after a restart; and what is
// deleted unread is counted once, whoever gets the partition.
func TestSourceWithTransactions(t *testing.T) {
	t.Parallel()
	const partitions = 2
	s := newScene(t, partitions)
	ops := freeAddress(t)
	s.configure(s.inDirectory(), s.consumer(""), "http: {listen: '"+ops+"'}")
	writer := s.connect(kgo.TransactionalID(s.name+"-writer"), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	p := s.run()
	for range 3 {
		for partition := range int32(partitions) {
			s.writes(writer, partition, 20, kgo.TryCommit)
			s.writes(writer, partition, 30, kgo.TryAbort)
		}
	}
	s.wellBehaved(p, ops)
	s.writes(writer, 0, 10, kgo.TryAbort) // while all is quiet
	s.wellBehaved(p, ops)
	s.deleteBelow(s.source, s.ends())
	stopAll(t, startBound, p)
	p = s.run()
	s.wellBehaved(p, ops)
	stopAll(t, startBound, p)

	before := s.ends()[0]
	s.writes(writer, 0, 25, kgo.TryCommit)
	s.deleteBelow(s.source, map[int32]int64{0: before + 15})
	p = s.run()
	s.caughtUp()
	other := s.run("--set", "http.listen=")
	s.members(4, partitions)
	stopAll(t, startBound, p)
	s.members(2, partitions)
	stopAll(t, startBound, other)
	logs := p.log.String() + other.log.String() // whoever has the partition first says it
	if got := strings.Count(logs, "deleted before they were read"); got != 1 {
		t.Errorf("it was said %d times that documents were deleted unread", got)
	}
	if want := `"at_most":15`; !strings.Contains(logs, want) {
		t.Errorf("the logs have no %s", want)
	}
}

// The source is compacted: what is gone from it is neither behind nor deleted unread.
func TestCompactedSource(t *testing.T) {
	t.Parallel()
	s := newScene(t, 0)
	value := func(v string) *string { return &v }
	s.create(s.source, 1, map[string]*string{
		"cleanup.policy": value("compact"), "segment.bytes": value("1048576"), "min.cleanable.dirty.ratio": value("0.001"),
		"segment.ms":          value("100"),
		"delete.retention.ms": value("0"), "min.compaction.lag.ms": value("0"), "max.compaction.lag.ms": value("1"),
	})
	ops := freeAddress(t)
	s.configure(s.inDirectory(), s.consumer(""), "http: {listen: '"+ops+"'}")
	writer := s.connect(kgo.TransactionalID(s.name+"-writer"), kgo.DefaultProduceTopic(s.source),
		kgo.RecordPartitioner(kgo.ManualPartitioner()))
	for round := range 30 {
		check(t, writer.BeginTransaction())
		check(t, writer.ProduceSync(s.bounded(), &kgo.Record{
			Key:   fmt.Append(nil, "k", round%3),
			Value: []byte(words(rand.New(rand.NewPCG(uint64(round), 1)), 30)),
		}).FirstErr())
		how := kgo.TryCommit
		if round%4 == 3 {
			how = kgo.TryAbort
		}
		check(t, writer.EndTransaction(s.bounded(), how))
	}
	left := 0
	s.until("the source is compacted", func(ctx context.Context) bool {
		check(t, writer.BeginTransaction()) // a segment is closed, and compacted, when another is written
		check(t, writer.ProduceSync(ctx, &kgo.Record{Key: []byte("last"), Value: []byte("the last one")}).FirstErr())
		check(t, writer.EndTransaction(ctx, kgo.TryAbort))
		left = s.readable(ctx)
		return left <= 3 // one of each key: no more will go
	})
	t.Logf("%d documents are left below %d", left, s.ends()[0])
	p := s.run()
	s.wellBehaved(p, ops)
	if got := s.forwarded(); got != left {
		t.Errorf("%d documents came out, of %d", got, left)
	}
	stopAll(t, startBound, p)
}

// readable counts what a read-committed reader gets of the source.
func (s *scene) readable(ctx context.Context) (n int) {
	client := s.connect(kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{s.source: {0: kgo.NewOffset().AtStart()}}),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.KeepControlRecords())
	defer client.Close()
	for end := s.ends()[0]; ; {
		fetches := client.PollFetches(ctx)
		if fetches.Err() != nil {
			return -1
		}
		for it := fetches.RecordIter(); !it.Done(); {
			r := it.Next()
			if !r.Attrs.IsControl() {
				n++
			}
			if r.Offset >= end-1 { // a marker may come behind it
				return n
			}
		}
	}
}
