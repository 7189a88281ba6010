package unpack

import (
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// Partition is one of a topic.
type Partition struct {
	Topic  string
	Number int32
}

// stopped are the partitions that the client leaves alone because of what Decompress told it, and has not reported yet.
//
// The client reports such a partition with the fetch that the batch came in. Before that is polled it may throw the fetch away:
// when the group takes any partition, when a leader moves, when offsets are set. It leaves the partition alone nevertheless, so
// that it would stand still and nobody would know.
type stopped struct {
	mu      sync.Mutex
	batches []int // lengths of those of which the client has not said the partition yet
	since   map[Partition]time.Time
}

// batch notes a batch that stops its partition, whichever that is.
func (s *stopped) batch(length int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.batches = append(s.batches, length)
}

// of says to which partition a batch belongs that gave no records: right after it was to be unpacked.
func (s *stopped) of(p Partition, length int, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.Index(s.batches, length)
	if i < 0 {
		return // it is fetched again, or of no interest to the client
	}
	s.batches = slices.Delete(s.batches, i, i+1)
	if s.since == nil {
		s.since = map[Partition]time.Time{}
	}
	s.since[p] = now
}

func (s *stopped) forget(p Partition) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.since, p)
}

func (s *stopped) before(t time.Time) (Partition, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for p, since := range s.since {
		if since.Before(t) {
			return p, true
		}
	}
	return Partition{}, false
}

// OnFetchBatchRead implements kgo.HookFetchBatchRead. The client calls it where it has unpacked a batch, or has tried to.
func (h hooks) OnFetchBatchRead(_ kgo.BrokerMetadata, topic string, partition int32, m kgo.FetchBatchMetrics) {
	if m.NumRecords == 0 && m.CompressionType != uint8(kgo.CodecNone) {
		h.u.stopped.of(Partition{topic, partition}, m.CompressedBytes, time.Now())
	}
}

// Reported says that the client has told of a partition that it leaves alone, or that it has not got that any more.
func (u *Unpacker) Reported(p Partition) { u.stopped.forget(p) }

// Unreported returns a partition that the client has left alone since before t without having told so, if there is one. Only a
// new client goes on with it.
func (u *Unpacker) Unreported(t time.Time) (Partition, bool) { return u.stopped.before(t) }
