package broker

import (
	"fmt"
	"slices"
	"testing"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
)

// The newest committed records of all partitions are read, and neither what was aborted nor what nobody has committed yet.
func TestNewest(t *testing.T) {
	cluster, err := kfake.NewCluster(kfake.NumBrokers(2))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	for topic, partitions := range map[string]int32{"few": 2, "many": 30, "empty": 3, "transactions": 1} {
		if err := cluster.CreateTopic(topic, partitions, nil); err != nil {
			t.Fatal(err)
		}
	}
	open := func(more ...kgo.Opt) *kgo.Client {
		client, err := kgo.NewClient(append(more, kgo.SeedBrokers(cluster.ListenAddrs()...), kgo.RecordPartitioner(kgo.ManualPartitioner()))...)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(client.Close)
		return client
	}
	client := open()
	send(t, client, "few", 0, 30)
	send(t, client, "few", 1, 3)
	for p := range int32(30) {
		send(t, client, "many", p, 2)
	}
	inTransactions := open(kgo.TransactionalID("t"))
	for i, end := range []kgo.TransactionEndTry{kgo.TryCommit, kgo.TryCommit, kgo.TryAbort, kgo.TryCommit, kgo.TryAbort} {
		if err := inTransactions.BeginTransaction(); err != nil {
			t.Fatal(err)
		}
		send(t, inTransactions, "transactions", 0, i+1)
		if err := inTransactions.EndTransaction(t.Context(), end); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := AwaitCommitted(t.Context(), kadm.NewClient(client), "transactions"); err != nil {
		t.Fatal(err)
	}
	topics := NewTopics(client, zerolog.Nop())
	for _, c := range []struct {
		topic string
		most  int
		want  []string // partition and offset of each
	}{
		{"few", 4, []string{"0/28", "0/29", "1/1", "1/2"}},
		{"many", 3, []string{"0/1", "1/1", "2/1"}},
		{"empty", 3, nil},
		{"transactions", 2, []string{"0/11", "0/12"}}, // what follows was aborted
	} {
		records, err := topics.Newest(t.Context(), kgo.DefaultDecompressor(), c.topic, c.most)
		var got []string
		for _, r := range records {
			got = append(got, fmt.Sprintf("%d/%d", r.Partition, r.Offset))
		}
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("the newest %d of %s are %v, error %v; want %v", c.most, c.topic, got, err, c.want)
		}
	}
	if records, err := topics.Newest(t.Context(), kgo.DefaultDecompressor(), "missing", 3); err == nil {
		t.Errorf("a topic that there is not has %d records; want an error", len(records))
	}
}

// send produces n records, each in a batch of its own.
func send(t *testing.T, client *kgo.Client, topic string, partition int32, n int) {
	t.Helper()
	for i := range n {
		r := &kgo.Record{Topic: topic, Partition: partition, Value: fmt.Appendf(nil, "%d", i)}
		if err := client.ProduceSync(t.Context(), r).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
}
