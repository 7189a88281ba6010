package session

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/unecho/unecho/consumer/unpack"
)

func TestTally(t *testing.T) {
	setup := &Setup{Counters: &Counters{}}
	one, two := &Session{Setup: setup}, &Session{Setup: setup}
	for _, c := range []struct {
		name string
		do   func()
		want int64
	}{
		{"assigned", func() { one.tally(3) }, 3},
		{"to another session, too", func() { two.tally(2) }, 5},
		{"some are revoked", func() { one.tally(1) }, 3},
		{"a session ends", func() { one.tally(0) }, 2},
		{"and is built again", func() { one.tally(4) }, 6},
		{"the last ones end", func() { one.tally(0); two.tally(0) }, 0},
	} {
		c.do()
		if got := setup.Counters.Partitions.Load(); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

func TestTallyOfRevoked(t *testing.T) {
	s := &Session{
		Setup: &Setup{Counters: &Counters{}, Waiting: &WaitingList{}}, unpacker: unpack.New(unpack.Bounds{}),
		assigned: map[key]*assignment{}, revoking: make(chan struct{}),
	}
	for p := range int32(3) {
		s.assigned[key{"news", p}] = &assignment{}
	}
	s.tally(3)
	s.revoke(map[string][]int32{"news": {0, 7}})
	if got := s.Counters.Partitions.Load(); got != 2 {
		t.Errorf("one of three was revoked: %d", got)
	}
	s.revoke(map[string][]int32{"news": {1, 2}})
	if got := s.Counters.Partitions.Load(); got != 0 {
		t.Errorf("the others were lost: %d", got)
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
