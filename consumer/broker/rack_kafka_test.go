//go:build unix

package broker

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// rackProperties put each broker into a rack of its own, and have clients read from their rack.
const rackProperties = `broker.rack=rack-${id}
replica.selector.class=org.apache.kafka.common.replica.RackAwareReplicaSelector
`

// nodes are the brokers that batches came from, in their order.
type nodes struct {
	mu  sync.Mutex
	all []int32
}

// OnFetchBatchRead implements kgo.HookFetchBatchRead.
func (n *nodes) OnFetchBatchRead(from kgo.BrokerMetadata, _ string, _ int32, _ kgo.FetchBatchMetrics) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.all = append(n.all, from.NodeID)
}

// A client reads from the replica in its rack: all that is committed, in order, nothing that was aborted, and what
// comes later, which the replica has a moment after the leader.
func TestRackIsReadKafka(t *testing.T) {
	kafka := brokersOf(t, rackProperties, 2, nil)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	const topic = "racked"
	writer := client(t, params(strings.Split(kafka.Address, ",")...), kgo.DefaultProduceTopic(topic), kgo.TransactionalID("writer"))
	if _, err := kadm.NewClient(writer).CreateTopic(ctx, 1, 2, nil, topic); err != nil {
		t.Fatal(err)
	}
	var want []string
	write := func(values []string, commit kgo.TransactionEndTry) {
		t.Helper()
		if err := writer.BeginTransaction(); err != nil {
			t.Fatal(err)
		}
		for _, v := range values {
			if err := writer.ProduceSync(ctx, kgo.StringRecord(v)).FirstErr(); err != nil {
				t.Fatal(err)
			}
		}
		if err := writer.EndTransaction(ctx, commit); err != nil {
			t.Fatal(err)
		}
		if commit {
			want = append(want, values...)
		}
	}
	write([]string{"a", "b"}, kgo.TryCommit)
	write([]string{"aborted"}, kgo.TryAbort)
	write([]string{"c"}, kgo.TryCommit)

	leader := leaderOf(ctx, t, writer, topic)
	p, from := params(strings.Split(kafka.Address, ",")...), &nodes{}
	p.ClientRack = fmt.Sprintf("rack-%d", 3-leader)
	reader := client(t, p, kgo.WithHooks(from), kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{topic: {0: kgo.NewOffset().At(0)}}),
		kgo.ConsumeResetOffset(kgo.NoResetOffset()), kgo.FetchMaxWait(200*time.Millisecond))
	var got []string
	read := func() {
		t.Helper()
		for len(got) < len(want) {
			fetches := reader.PollFetches(ctx)
			if err := fetches.Err(); err != nil {
				t.Fatalf("after %v: %v", got, err)
			}
			fetches.EachRecord(func(r *kgo.Record) { got = append(got, string(r.Value)) })
		}
	}
	read()
	for i := range 20 {
		write([]string{fmt.Sprint("later ", i)}, kgo.TryCommit)
		read()
	}
	if !slices.Equal(got, want) {
		t.Errorf("it reads %q; want %q", got, want)
	}
	from.mu.Lock()
	defer from.mu.Unlock()
	if len(from.all) == 0 || slices.Contains(from.all, leader) {
		t.Errorf("batches came from brokers %v; want all of them from %d", from.all, 3-leader)
	}
}

func leaderOf(ctx context.Context, t *testing.T, cl *kgo.Client, topic string) int32 {
	t.Helper()
	found, err := kadm.NewClient(cl).ListTopics(ctx, topic)
	if err != nil {
		t.Fatal(err)
	}
	return found[topic].Partitions[0].Leader
}
