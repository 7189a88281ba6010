package topic

import (
	"bytes"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
)

// No batch is larger than the topic takes, however fast documents come.
func TestBatchesFitTheTopic(t *testing.T) {
	t.Parallel()
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	if err := cluster.CreateTopic("small", 1, map[string]string{"max.message.bytes": "20000"}); err != nil {
		t.Fatal(err)
	}
	w, err := NewWriter(t.Context(), []kgo.Opt{kgo.SeedBrokers(cluster.ListenAddrs()...)}, "small")
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for i := range 500 {
		if err := w.Write(t.Context(), nil, bytes.Repeat([]byte{byte(i), byte(i >> 8), 'x'}, 300)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
}
