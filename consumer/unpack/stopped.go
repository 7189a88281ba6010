package unpack

import (
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/index/entry"
)

// stopped holds the partitions that the client leaves alone because of an error of Decompress, and has not reported
// yet.
//
// The client reports such a partition with the fetch that brought the batch. Before the fetch is polled, the client may
// throw it away: when the group takes any partition, when a leader moves, when offsets are set. It leaves the partition
// alone nevertheless, which would then stand still without anybody knowing.
type stopped struct {
	mu      sync.Mutex
	batches []int // lengths of batches whose partition is not known yet
	since   map[entry.PartitionName]time.Time
}

// batch notes the length of a batch that stops its partition, before the partition is known.
func (s *stopped) batch(length int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.batches = append(s.batches, length)
}

// of notes the partition of a batch that gave no records. It is called right after the batch was to be unpacked.
func (s *stopped) of(p entry.PartitionName, length int, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.Index(s.batches, length)
	if i < 0 {
		delete(s.since, p) // the batch is fetched again, or the client has no interest in it: it goes on
		return
	}
	s.batches = slices.Delete(s.batches, i, i+1)
	if s.since == nil {
		s.since = map[entry.PartitionName]time.Time{}
	}
	s.since[p] = now
}

func (s *stopped) forget(p entry.PartitionName) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.since, p)
}

func (s *stopped) before(t time.Time) (entry.PartitionName, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for p, since := range s.since {
		if since.Before(t) {
			return p, true
		}
	}
	return entry.PartitionName{}, false
}

// OnFetchBatchRead implements kgo.HookFetchBatchRead. The client calls it after it has unpacked a batch, or has tried
// to.
func (h hooks) OnFetchBatchRead(_ kgo.BrokerMetadata, topic string, partition int32, m kgo.FetchBatchMetrics) {
	if p := entry.Name(topic, partition); m.NumRecords == 0 && m.CompressionType != uint8(kgo.CodecNone) {
		h.u.stopped.of(p, m.CompressedBytes, time.Now())
	} else {
		h.u.stopped.forget(p)
	}
}

// Reported says that the client has reported a partition that it leaves alone, or no longer has the partition.
func (u *Unpacker) Reported(p entry.PartitionName) { u.stopped.forget(p) }

// Unreported returns a partition that the client has left alone since before t without reporting it, if there is one.
// Only a new client goes on with it.
func (u *Unpacker) Unreported(t time.Time) (entry.PartitionName, bool) { return u.stopped.before(t) }
