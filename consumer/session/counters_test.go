package session

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/index/entry"
)

// The partitions that are read count, over all sessions. Those of a session that is built again count until others are
// given.
func TestPartitionsThatAreReadCount(t *testing.T) {
	of := func(partitions ...int32) (given []*assignment) {
		for _, p := range partitions {
			given = append(given, &assignment{TopicPartition: topicPartition{Topic: "news", Source: entry.Source{Partition: p}}})
		}
		return given
	}
	names := func(partitions ...int32) (names []protocol.PartitionName) {
		for _, p := range partitions {
			names = append(names, protocol.PartitionName{Topic: "news", Partition: p})
		}
		return names
	}
	counters := &Counters{}
	one, two := &reaches{counters: counters}, &reaches{counters: counters}
	one.opens()
	two.opens()
	for _, c := range []struct {
		name string
		do   func()
		want int64
	}{
		{"three are given", func() { one.note(&letter{given: of(0, 1, 2)}) }, 3},
		{"one has no leader", func() { one.note(&letter{unled: names(3)}) }, 3},
		{"another session is given two", func() { two.note(&letter{given: of(4, 5)}) }, 5},
		{"two are revoked, and one that it had not", func() { one.note(&letter{taken: names(0, 1, 7)}) }, 3},
		{"a session is built again", func() { one.opens() }, 3},
		{"it is given four", func() { one.note(&letter{given: of(0, 1, 2, 3)}) }, 6},
		{"all are revoked", func() { one.note(&letter{taken: names(0, 1, 2, 3)}); two.note(&letter{taken: names(4, 5)}) }, 0},
	} {
		c.do()
		if got := counters.Partitions.Load(); got != c.want {
			t.Errorf("%s: %d partitions are counted, want %d", c.name, got, c.want)
		}
	}
}

func TestHistogram(t *testing.T) {
	var h histogram
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for _, d := range []time.Duration{
				0, time.Millisecond, time.Millisecond + 1, 3 * time.Second, 30 * time.Second,
				30*time.Second + 1,
			} {
				h.observe(d)
			}
		})
	}
	wg.Wait()
	got := h.read()
	want := []uint64{8, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 4, 4}
	if !slices.Equal(got.Counts, want) || got.Count != 24 {
		t.Errorf("got %d in %v, want %v", got.Count, got.Counts, want)
	}
	if len(got.Bounds) != len(want)-1 || !slices.IsSorted(got.Bounds) || got.Bounds[0] != 0.001 || got.Bounds[13] != 30 {
		t.Errorf("bounds %v", got.Bounds)
	}
	if sum := 4 * (0.002 + 3 + 60); got.Sum < sum || got.Sum > sum+0.001 {
		t.Errorf("sum %v, want %v", got.Sum, sum)
	}
}
