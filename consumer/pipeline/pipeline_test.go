package pipeline

import (
	"bytes"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// Frames stay what they are while others move the memory, and a batch of no unusual size leaves its memory to the next.
func TestFrames(t *testing.T) {
	run := func(n int) *index.Run {
		return &index.Run{
			Base:    int64(n),
			Entries: []entry.Entry{{Offset: int64(n), ID: bytes.Repeat([]byte{byte(n)}, 100*n)}},
		}
	}
	var f frames
	for range 3 {
		f.reset()
		for n := range 200 {
			f.add(run(n))
		}
		for n, value := range f.values {
			if want := journal.Append(nil, run(n)); !bytes.Equal(value, want) {
				t.Fatalf("record %d became %x", n, value)
			}
		}
	}
	memory := &f.memory[0]
	if f.reset(); &f.memory[:1][0] != memory {
		t.Error("the memory was not kept")
	}
	f.add(run(keptFrames / 100))
	if f.reset(); f.memory != nil || len(f.values) != 0 {
		t.Errorf("%d bytes were kept", cap(f.memory))
	}
}

// The items of a batch are blank, whatever the batch before was.
func TestItemsAreReused(t *testing.T) {
	s := &Pipeline{}
	for _, n := range []int{3, 5, 1, 5, 0} {
		items := s.reuseItems(n)
		if len(items) != n {
			t.Fatalf("room for %d, not %d", len(items), n)
		}
		for i := range items {
			if it := &items[i]; it.Judged || it.Rejected || it.Entry.Offset != 0 {
				t.Errorf("item %d of %d is %+v", i, n, it)
			}
			items[i].Judged, items[i].Rejected, items[i].Entry.Offset = true, true, 9
		}
	}
}

// brought is what a client brings of a partition in one piece.
func brought(topic string, offsets ...int64) kgo.Fetch {
	p := kgo.FetchPartition{}
	for _, offset := range offsets {
		p.Records = append(p.Records, &kgo.Record{Offset: offset})
	}
	return kgo.Fetch{Topics: []kgo.FetchTopic{{Topic: topic, Partitions: []kgo.FetchPartition{p}}}}
}

// news is the assignment of a partition of that topic, from base on.
func news(topic string, base int64) *protocol.Assignment {
	return &protocol.Assignment{TopicPartition: protocol.TopicPartition{Topic: topic}, Base: base, Mode: protocol.NewMode(nil)}
}

// polled begins the batch of a member that has these partitions.
func polled(t *testing.T, fetches kgo.Fetches, of ...*protocol.Assignment) *Batch {
	t.Helper()
	m := protocol.NewMember(protocol.NewMode(nil), protocol.NewIntake(100), 0, time.Now())
	m.Give(of...)
	b, fetch := (&Pipeline{}).Sort(fetches, func(name protocol.PartitionName) (*protocol.Assignment, int64) {
		a := m.Find(name)
		return a, a.Base
	}, func(*protocol.Assignment) int64 { return math.MaxInt64 })
	b.Batch = m.Fetched(time.Now(), protocol.Journal{}, fetch, false)
	return b
}

// A client may bring records twice, as when a partition gets another leader. The batch has each once, and none that is
// committed.
func TestRecordsBroughtTwice(t *testing.T) {
	b := polled(t, kgo.Fetches{brought("news", 2, 3, 4, 5, 4, 5, 6), brought("news", 5, 6, 7)}, news("news", 4))
	var got []int64
	for i := range b.groups {
		for _, it := range b.groups[i].items {
			got = append(got, it.record.Offset)
		}
	}
	if want := []int64{4, 5, 6, 7}; b.Batch == nil || b.Size != len(want) || !slices.Equal(got, want) {
		t.Errorf("the batch has the documents %d, want %d", got, want)
	}
	if b := polled(t, kgo.Fetches{brought("news", 1, 2, 3)}, news("news", 4)); b.Batch != nil || len(b.groups) != 0 {
		t.Errorf("of what is committed a batch has %d groups, want none", len(b.groups))
	}
}
