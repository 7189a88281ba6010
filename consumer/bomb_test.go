package consumer

import (
	"bytes"
	"sync"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/unecho/unecho/consumer/unpack/unpacktest"
)

// bounded is a world with a small bound on batches.
func bounded(t *testing.T, partitions int32) *world {
	w := newWorld(t, partitions)
	w.setup.Params.MaxBatchBytes = 4 << 20
	return w
}

func (w *world) drop(topic string, partition int32, batch []byte) (offset int64) {
	w.t.Helper()
	offset, err := unpacktest.Drop(w.context(), w.client(), topic, partition, batch)
	if err != nil {
		w.t.Fatal(err)
	}
	return offset
}

func (w *world) zeros(n, size int, codec kgo.CompressionCodecType) []byte {
	w.t.Helper()
	batch, err := unpacktest.Zeros(n, size, codec)
	if err != nil {
		w.t.Fatal(err)
	}
	return batch
}

// neighbour sends n documents to partition 1.
func (w *world) neighbour(n int) { w.drop("news", 1, w.zeros(n, 100, kgo.CodecNone)) }

// A batch that cannot be read, or has more records than there is room for, makes its partition wait. The others go on,
// and the service reports the partition that waits. Kafka itself refuses a batch that it cannot read; other brokers do
// not.
func TestBatchThatCannotBeUnpacked(t *testing.T) {
	t.Parallel()
	for name, bomb := range map[string]func(*world) []byte{
		"noise": func(*world) []byte {
			return unpacktest.Batch(7, kgo.CodecZstd,
				bytes.Repeat([]byte{0xa5}, 200))
		},
		"many": func(w *world) []byte { return w.zeros(4<<20/256+1, 0, kgo.CodecGzip) },
		"noise uncompressed": func(*world) []byte {
			return unpacktest.Batch(7, kgo.CodecNone,
				bytes.Repeat([]byte{0xa5}, 200))
		},
		"many uncompressed": func(w *world) []byte { return w.zeros(4<<20/256+1, 0, kgo.CodecNone) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := bounded(t, 2)
			w.patient()
			w.drop("news", 0, w.zeros(1, 100, kgo.CodecLz4))
			at := w.drop("news", 0, bomb(w))
			w.neighbour(20)
			m := w.start()
			w.becomes("all others are committed", func() bool {
				s := m.Stats()
				return s.Unique+s.Duplicate == 21 && len(s.Waiting) == 1
			})
			waits := m.Stats().Waiting[0]
			if waits.Topic != "news" || waits.Partition != 0 || waits.Offset != at || waits.Next <= at+1 || m.Ready() {
				t.Errorf("%+v waits, ready %v", waits, m.Ready())
			}
			rebuilds := m.Stats().Rebuilds
			w.neighbour(1)
			w.becomes("another one is committed", func() bool { s := m.Stats(); return s.Unique+s.Duplicate == 22 })
			if now := m.Stats().Rebuilds; now != rebuilds {
				t.Errorf("%d sessions were rebuilt", now-rebuilds)
			}
		})
	}
}

// unread reports the first batch that a client could not unpack.
type unread struct {
	once sync.Once
	met  chan struct{}
}

// OnFetchBatchRead implements kgo.HookFetchBatchRead.
func (u *unread) OnFetchBatchRead(_ kgo.BrokerMetadata, _ string, _ int32, m kgo.FetchBatchMetrics) {
	if m.NumRecords == 0 {
		u.once.Do(func() { close(u.met) })
	}
}

// The client throws away the fetch that would have reported such a batch. Here it does so because a commit is refused,
// and the session goes back to the neighbour's committed offset. The partition is reported nevertheless.
func TestBatchThatIsNotTold(t *testing.T) {
	t.Parallel()
	w := bounded(t, 2)
	seen := &unread{met: make(chan struct{})}
	m := w.start(sessions(1), func(s *Setup) { s.Kafka = append(s.Kafka, kgo.WithHooks(seen)) })
	w.neighbour(1)
	w.becomes("the neighbour is committed", func() bool { s := m.Stats(); return s.Unique+s.Duplicate == 1 })
	held := m.network.hold(kmsg.TxnOffsetCommit)
	m.network.lose(kmsg.TxnOffsetCommit, loss{count: 1, err: kerr.RebalanceInProgress})
	w.neighbour(1)
	w.await("no offset is committed", held.met)
	w.drop("news", 0, unpacktest.Batch(7, kgo.CodecZstd, bytes.Repeat([]byte{0xa5}, 200)))
	w.await("the batch is not fetched", seen.met)
	m.network.release(kmsg.TxnOffsetCommit)
	w.becomes("the batch is told of",
		func() bool { s := m.Stats(); return s.Unique+s.Duplicate == 2 && len(s.Waiting) == 1 })
}

// Batches in the journal that nobody can read change nothing, on any member. That holds for those that were read record
// by record and for those that were not read at all.
func TestBombsInTheJournal(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.produce(50, 1)
	one := w.start(rarely) // a snapshot between the batches would spare the second what is before it
	w.settled()
	name := w.setup.Params.Group + ".journal"
	w.drop(name, 0, w.zeros(3, 20<<20, kgo.CodecZstd))
	w.drop(name, 0, unpacktest.Batch(5, kgo.CodecZstd, bytes.Repeat([]byte{0xa5}, 200)))
	last := w.drop(name, 0, w.zeros(100_000, 0, kgo.CodecGzip)) + 100_000
	two := w.start() // the last thing that it finds is such a batch
	w.becomes("the second has passed them", func() bool { return two.Stats().JournalNext >= last && two.Ready() })
	w.produce(50, 2)
	w.settled()
	w.sameHash(one, two)
	w.audited()
	for _, m := range []*running{one, two} {
		var strays uint64
		for _, n := range m.Stats().Strays {
			strays += n
		}
		if strays != 100_008 {
			t.Errorf("%d strays were counted", strays)
		}
	}
}
