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
	w.create("three", 3, map[string]string{"max.message.bytes": "1048576"})
	w.setup.Sources[0].Topics = []string{"three"}
	w.setup.Params.MaxBatchBytes, w.setup.Params.FetchBytes, w.setup.Params.PollRecords = 4<<20, 1<<20, 500
	w.setup.Accepted.Rejected = []string{"three"}
	for p := range int32(3) {
		if err := w.cluster.MoveTopicPartition("three", p, p); err != nil {
			t.Fatal(err)
		}
	}
	w.begins("abortive", &kgo.Record{Topic: "three", Value: make([]byte, 2<<20)})(kgo.TryAbort)
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
	w.becomes("the compressed ones are committed", func() bool { return rejected(m.Stats()) == documents })
	if s := m.Stats(); s.Unique+s.Duplicate >= 2*plain {
		t.Error("they had to wait for all others")
	}
}
