package ops

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
)

func used() *Clients {
	c, broker := NewClients(), kgo.BrokerMetadata{NodeID: 1, Host: "kafka-1", Port: 9092}
	c.OnNewClient(nil)
	c.OnBrokerConnect(broker, time.Millisecond, nil, nil)
	c.OnBrokerConnect(broker, time.Millisecond, nil, errors.New("refused"))
	c.OnBrokerDisconnect(broker, nil)
	c.OnBrokerE2E(broker, 0, kgo.BrokerE2E{BytesWritten: 100, BytesRead: 200})
	c.OnBrokerE2E(broker, 0, kgo.BrokerE2E{WriteErr: errors.New("broken pipe")})
	c.OnBrokerE2E(broker, 0, kgo.BrokerE2E{ReadErr: errors.New("reset")})
	c.OnBrokerThrottle(broker, time.Second, false)
	c.OnProduceBatchWritten(broker, "news.unique", 0,
		kgo.ProduceBatchMetrics{UncompressedBytes: 300, CompressedBytes: 150})
	c.OnFetchBatchRead(broker, "news", 0, kgo.FetchBatchMetrics{UncompressedBytes: 400, CompressedBytes: 160})
	return c
}

// All clients add to the same counters, and what a client has done stays when it is closed.
func TestClientsAreCountedTogether(t *testing.T) {
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "news"))
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	clients := NewClients()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for range 3 {
		cl, err := kgo.NewClient(kgo.SeedBrokers(cluster.ListenAddrs()...), kgo.DefaultProduceTopic("news"), clients.Option())
		if err != nil {
			t.Fatal(err)
		}
		if err := cl.ProduceSync(ctx, &kgo.Record{Value: []byte("a text")}).FirstErr(); err != nil {
			t.Fatal(err)
		}
		cl.Close()
	}
	for { // a client says what it has written after the record is there
		sums := clients.sums(t)
		bytes := sums["unecho_kafka_produce_compressed_bytes_total"]
		if bytes > 0 && int(bytes)%3 == 0 && sums["unecho_kafka_connects_total"] >= 6 && sums["unecho_kafka_write_bytes_total"] >= bytes {
			return
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
			t.Fatalf("three clients produced the same: %v", sums)
		}
	}
}

// sums adds up each counter, and demands that nothing is of one client.
func (c *Clients) sums(t *testing.T) map[string]float64 {
	t.Helper()
	families, err := c.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	sums := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			sums[f.GetName()] += m.GetCounter().GetValue()
		}
		if strings.Contains(f.GetName(), "buffered") {
			t.Errorf("%s is of one client", f.GetName())
		}
	}
	return sums
}
