package broker

import (
	"testing"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
)

// Only what compaction deleted is barren: records that are there, or are still to come, are waited for.
func TestBarren(t *testing.T) {
	cluster, err := kfake.NewCluster(kfake.NumBrokers(2))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	for name, policy := range map[string]string{"compacted": "compact", "kept": "delete"} {
		if err := cluster.CreateTopic(name, 1, map[string]string{
			"cleanup.policy":      policy,
			"delete.retention.ms": "0",
		}); err != nil {
			t.Fatal(err)
		}
	}
	client, err := kgo.NewClient(kgo.SeedBrokers(cluster.ListenAddrs()...))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	for _, topic := range []string{"compacted", "kept"} {
		for _, r := range []kgo.Record{
			{Key: []byte("a"), Value: []byte("v")},
			{Key: []byte("b"), Value: []byte("v")},
			{Key: []byte("b")},
			{Key: []byte("c"), Value: []byte("v")},
		} {
			if r.Topic = topic; client.ProduceSync(t.Context(), &r).FirstErr() != nil {
				t.Fatal("it is not produced")
			}
		}
	}
	cluster.Compact()
	topics := NewTopics(client, zerolog.Nop())
	for _, c := range []struct {
		topic    string
		from, to int64
		want     bool
	}{
		{"compacted", 0, 3, false}, // a is there
		{"compacted", 1, 3, true},  // b is gone
		{"compacted", 2, 3, true},
		{"compacted", 1, 4, false}, // c is there
		{"compacted", 4, 5, false}, // is still to come
		{"kept", 1, 3, false},
		{"missing", 0, 1, false},
	} {
		if got := topics.Empty(t.Context(), kgo.DefaultDecompressor(), c.topic, 0, c.from, c.to); got != c.want {
			t.Errorf("%s from %d to %d: %v", c.topic, c.from, c.to, got)
		}
	}
}
