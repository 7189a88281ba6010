package sink_test

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/sink"
)

// Writable tells what the library keeps: a number of nanoseconds that is the timestamp again.
func TestWritable(t *testing.T) {
	for _, ms := range []int64{
		-1, 0, 1, 1_767_225_600_123, math.MinInt64, math.MaxInt64, -62135596800000, 253402300799999, 1_767_225_600_000_000,
		-9223372036854, 9223372036854, -9223372036855, 9223372036855, 1 << 58, -1 << 58,
	} {
		kept := time.UnixMilli(ms).UnixNano()/1e6 == ms
		if got := sink.Writable(ms); got != kept {
			t.Errorf("%d is writable: %v, and the library keeps it: %v", ms, got, kept)
		}
	}
}

// Rejected documents of any time tell it in milliseconds, in the header and in the record of verdicts. That has a date
// too, where there is one.
func TestTrueMilliseconds(t *testing.T) {
	now := time.UnixMilli(1_767_312_000_000)
	for ms, date := range map[int64]string{
		math.MinInt64: "", math.MaxInt64: "", 1_767_225_600_000_000: "", -1: "1969-12-31T23:59:59.999Z",
		-62135596800000: "0001-01-01T00:00:00.000Z", 253402300799999: "9999-12-31T23:59:59.999Z",
	} {
		b, src := teller(), source()
		src.Timestamp = time.UnixMilli(ms)
		b.RejectAt(now)
		var dst, told kgo.Record
		b.Reject(&dst, src, sink.BadTimestamp, "")
		b.VerdictRecord(&told, src)
		var said struct {
			Timestamp int64  `json:"timestamp"`
			Time      string `json:"time"`
		}
		if err := json.Unmarshal(told.Value, &said); err != nil {
			t.Fatalf("the record of a verdict %s cannot be read: %v", told.Value, err)
		}
		text, err := json.Marshal(ms)
		if err != nil {
			t.Fatal(err)
		}
		if got := header(&dst, sink.HeaderTimestamp); got != string(text) || !dst.Timestamp.Equal(now) {
			t.Errorf("the header of %d says %q, and the record has %v", ms, got, dst.Timestamp)
		}
		if said.Timestamp != ms || said.Time != date {
			t.Errorf("the verdict of %d says %+v, want the date %q", ms, said, date)
		}
	}
}
