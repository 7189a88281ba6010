package consumer

import (
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
)

// A compressed partition goes on while brokers of other partitions always have more to hand out, whatever the client
// dropped of the partition. Here it dropped an aborted transaction that took nearly all the room.
func TestDroppedRecordsTakeNoRoom(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1, kfake.NumBrokers(3))
	if err := w.cluster.CreateTopic("three", 3, map[string]string{"max.message.bytes": "1048576"}); err != nil {
		t.Fatal(err)
	}
	w.setup.Sources[0].Topics = []string{"three"}
	w.setup.Params.MaxBatchBytes, w.setup.Params.FetchBytes, w.setup.Params.PollRecords = 4<<20, 1<<20, 500
	w.setup.Accepted.Rejected = []string{"three"}
	for p := range int32(3) {
		if err := w.cluster.MoveTopicPartition("three", p, p); err != nil {
			t.Fatal(err)
		}
	}
	w.abortOne(0, 2<<20)
	const documents, plain = 4, 60_000
	for range documents {
		w.drop("three", 0, w.zeros(1, 3<<20, kgo.CodecZstd))
	}
	for p := int32(1); p < 3; p++ {
		for range plain / 2000 {
			w.drop("three", p, w.zeros(2000, 300, kgo.CodecNone))
		}
	}
	m := w.start(sessions(1))
	rejected := func() (n uint64) {
		for _, of := range m.Stats().Rejected {
			n += of
		}
		return n
	}
	w.becomes("the compressed ones are committed", func() bool { return rejected() == documents })
	if s := m.Stats(); s.Unique+s.Duplicate >= 2*plain {
		t.Error("they had to wait for all others")
	}
}

// abortOne produces a compressed record of a size in bytes in a transaction that is aborted.
func (w *world) abortOne(partition int32, size int) {
	w.t.Helper()
	client := w.client(kgo.TransactionalID("abortive"), kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.ProducerBatchCompression(kgo.ZstdCompression()), kgo.ProducerBatchMaxBytes(8<<20))
	if err := client.BeginTransaction(); err != nil {
		w.t.Fatal(err)
	}
	if err := client.ProduceSync(w.context(), &kgo.Record{
		Topic: "three", Partition: partition,
		Value: make([]byte, size),
	}).FirstErr(); err != nil {
		w.t.Fatal(err)
	}
	if err := client.EndTransaction(w.context(), kgo.TryAbort); err != nil {
		w.t.Fatal(err)
	}
}
