package unpacktest_test

import (
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/unpack/unpacktest"
)

// Several transactions of one producer lie in what one request returns. Only the records of those that were committed
// are read.
func TestReadLeavesAbortedTransactionsOut(t *testing.T) {
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "news"))
	check(t, err)
	defer cluster.Close()
	client, err := kgo.NewClient(kgo.SeedBrokers(cluster.ListenAddrs()...), kgo.TransactionalID("one"),
		kgo.DefaultProduceTopic("news"))
	check(t, err)
	defer client.Close()
	for text, end := range []kgo.TransactionEndTry{kgo.TryAbort, kgo.TryCommit, kgo.TryAbort, kgo.TryAbort, kgo.TryCommit} {
		check(t, client.BeginTransaction())
		check(t, client.ProduceSync(t.Context(), kgo.StringRecord(string(rune('a'+text)))).FirstErr())
		check(t, client.EndTransaction(t.Context(), end))
	}
	all, err := unpacktest.Read(t.Context(), client, "news", 0)
	check(t, err)
	got := ""
	for _, r := range all {
		got += string(r.Value)
	}
	if got != "be" {
		t.Errorf("read %q of the transactions a to e, of which b and e were committed", got)
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
