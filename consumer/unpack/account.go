package unpack

import (
	"bytes"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/index/entry"
)

// account is the memory of what is unpacked and not given back, in bytes.
//
// The client reports each record that it keeps for a poll, when it takes it in and when it lets go of it. Before it
// takes records in, it drops some without a report: those of aborted transactions, and those below the offset where
// it begins. Records that it has not reported after two polls count as dropped. Of a partition that is paused it
// drops what it kept, and reports that as polled. So what a poll has handed out is what came out of it, and no report
// is trusted for that. Nothing stays in the account for ever: if nothing is unpacked for two polls, it is what the
// client keeps, and what was handed out and not given back.
type account struct {
	// mu is separate from the Unpacker's, so that nobody waits here for a batch that is being unpacked.
	mu     sync.Mutex
	fresh  int // unpacked since the last poll, and not reported yet
	before int // unpacked between the last poll and the one before, and not reported yet
	told   int // reported: with the client
	let    int // reported as polled, in a poll that has not returned yet
	out    int // handed out, and not given back
}

func (a *account) sum() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.fresh + a.before + a.told + a.let + a.out
}

func (a *account) unpacked(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.fresh += n
}

// kept notes that the client keeps a record of those that were unpacked.
func (a *account) kept(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.told += n
	old := min(n, a.before)
	a.before -= old
	a.fresh -= min(n-old, a.fresh)
}

// polled notes that a poll has handed out n bytes. What it let go of beside them is dropped.
func (a *account) polled(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.before, a.fresh = a.fresh, 0
	a.let, a.out = 0, a.out+n
}

// left notes that the client has let go of a record.
func (a *account) left(n int, polled bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.told = max(0, a.told-n)
	if polled {
		a.let += n
	}
}

// back notes that n bytes of what was handed out are given back.
func (a *account) back(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.out = max(0, a.out-n)
}

// hooks receive the client's reports about records.
type hooks struct{ u *Unpacker }

// OnFetchRecordBuffered implements kgo.HookFetchRecordBuffered.
func (h hooks) OnFetchRecordBuffered(r *kgo.Record) {
	h.u.retime(r)
	if n := h.u.counted(r); n > 0 {
		h.u.held.kept(n)
	}
}

// OnFetchRecordUnbuffered implements kgo.HookFetchRecordUnbuffered.
func (h hooks) OnFetchRecordUnbuffered(r *kgo.Record, polled bool) {
	if n := h.u.counted(r); n > 0 {
		h.u.held.left(n, polled)
	}
}

// countedIn returns the sum of counted over all records of fetches.
func (u *Unpacker) countedIn(fetches kgo.Fetches) (n int) {
	for it := fetches.RecordIter(); !it.Done(); {
		n += u.counted(it.Next())
	}
	return n
}

// counted returns what a record has added to what is held. It is nothing if the record did not pass through the
// Unpacker. The record's bytes do not count if they still lie where they were fetched to.
func (u *Unpacker) counted(r *kgo.Record) int {
	switch codec := kgo.CompressionCodecType(r.Attrs.CompressionType()); {
	case codec == kgo.CodecNone:
		return 0
	case codec == plain && !bytes.HasPrefix(r.Value, u.token[:]):
		return recordBytes + headerBytes*len(r.Headers)
	}
	return Cost(r)
}

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

// untoldPatience is how long a partition may have been left alone when a poll begins that does not tell of it.
const untoldPatience = 5 * time.Second

// LeftAlone returns an error if the client has left a partition alone and has thrown away the message about it. polling is
// when the poll began whose messages were read last. A client that is opened anew comes to the same batch again, and tells.
func (u *Unpacker) LeftAlone(polling time.Time) error {
	if p, is := u.stopped.before(polling.Add(-untoldPatience)); is {
		return fmt.Errorf("%v stands still at a batch that cannot be unpacked, and the client does not say so", p)
	}
	return nil
}
