package measure

import (
	"slices"
	"testing"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/sink"
)

// TestExamples: of ten thousand documents of a reason the newest five are kept, however they come in batches, and of
// another reason those of its own.
func TestExamples(t *testing.T) {
	for _, size := range []int{1, 3, 7, 10_000} {
		c := NewCounters([]string{"news"})
		var b Batch
		for offset := range 10_000 {
			b.Rejected(0, sink.Empty, Example{Topic: "news", Offset: int64(offset), Time: 7})
			if offset == 4711 {
				b.Unchecked(0, sink.InOutage, Example{Topic: "news", Offset: 4711})
			}
			if offset%size == size-1 || offset == 9999 {
				c.Committed(&b)
				b.Reset()
			}
		}
		got := c.Output()
		var offsets []int64
		for _, e := range got.LastRejected[sink.Empty] {
			offsets = append(offsets, e.Offset)
		}
		if want := []int64{9999, 9998, 9997, 9996, 9995}; got.Rejected[sink.Empty] != 10_000 || !slices.Equal(offsets, want) {
			t.Errorf("in batches of %d: %d are rejected, the last are %v; want %v", size, got.Rejected[sink.Empty], offsets, want)
		}
		if len(got.LastRejected) != 1 || len(got.LastUnchecked) != 1 ||
			!slices.Equal(got.LastUnchecked[sink.InOutage], []Example{{Topic: "news", Offset: 4711}}) {
			t.Errorf("in batches of %d: unchecked are %v, and rejected for %d reasons; want one of each", size, got.LastUnchecked,
				len(got.LastRejected))
		}
	}
}

// TestNothingIsAllocated: neither for documents that are judged nor for the others.
func TestNothingIsAllocated(t *testing.T) {
	c := NewCounters([]string{"news"})
	var b Batch
	var v index.Verdict
	if n := testing.AllocsPerRun(100, func() {
		b.Reset()
		b.Judged(0, &v, false)
		b.Rejected(0, sink.TooLarge, Example{Topic: "news"})
		b.Unchecked(0, sink.ByCondition, Example{Topic: "news"})
		c.Committed(&b)
	}); n > 0 {
		t.Errorf("a batch allocates %v times", n)
	}
}
