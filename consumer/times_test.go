package consumer

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/unpack/unpacktest"
	"github.com/unecho/unecho/sink"
)

// An output refuses a document's time, although nobody knew that it would, and so does rejected. The document goes to
// rejected with the present time, once; without a time where a clock is off, so that this is refused too.
func TestTimeIsRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		refused map[string]int // so many produces to each of them are
		retimed bool
		timed   bool
	}{
		{"by unique", map[string]int{"news.unique": 1}, false, true},
		{"by unique and rejected", map[string]int{"news.unique": 1, "news.rejected": 1}, true, true},
		{"and so is the present time", map[string]int{"news.unique": 1, "news.rejected": 3}, true, false}, // its own again before none
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 1)
			w.patient() // a transaction that is made anew writes its documents without the fault
			m := w.start(named("m"), sessions(1))
			w.joined(1)
			for topic, n := range c.refused {
				w.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: topic, Err: kerr.InvalidTimestamp, Count: n})
			}
			at := time.Now().Add(-48 * time.Hour).Truncate(time.Millisecond)
			w.send(&kgo.Record{Value: []byte("a document of long ago"), Timestamp: at})
			w.settled()
			w.ended(m)
			r := w.outputs("news.rejected", 1)[0]
			own := headerOf(r, sink.HeaderTimestamp)
			switch {
			case headerOf(r, sink.HeaderReason) != string(sink.OutputRefused):
				t.Errorf("rejected as %s", headerOf(r, sink.HeaderReason))
			case c.retimed && (own != strconv.FormatInt(at.UnixMilli(), 10) || (time.Since(r.Timestamp) < time.Hour) != c.timed):
				t.Errorf("its own time is told as %q, and it has %v", own, r.Timestamp)
			case !c.timed && r.Timestamp.UnixMilli() != broker.Untimed:
				t.Errorf("it has %v, want no time", r.Timestamp)
			case !c.retimed && (own != "" || !r.Timestamp.Equal(at)):
				t.Errorf("it has %v, and %q is told", r.Timestamp, own)
			}
			if report := w.audit(); !report.OK() || report.Rejected != 1 {
				t.Errorf("the audit finds %s", report.String())
			}
		})
	}
}

// What no output would take by the limits known is rejected unjudged, with the reason, once the clocks were compared.
func TestTimeIsForeseen(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	for _, topic := range []string{"news.unique", "news.duplicate"} {
		if err := w.cluster.CreateTopic(topic, 1, map[string]string{
			"max.message.bytes": "16777216", "message.timestamp.before.max.ms": "3600000",
		}); err != nil {
			t.Fatal(err)
		}
	}
	m := w.start(named("m"), sessions(1))
	w.produce(1, 78)
	w.settled()
	at := time.Now().Add(-48 * time.Hour).Truncate(time.Millisecond)
	w.send(&kgo.Record{Value: []byte("a document of long ago"), Timestamp: at})
	w.settled()
	w.ended(m)
	const want = "the output topics take none such"
	if r := w.outputs("news.rejected", 1)[0]; !strings.Contains(headerOf(r, sink.HeaderDetail), want) {
		t.Errorf("it is rejected with %q, want %q", headerOf(r, sink.HeaderDetail), want)
	}
}

// Not even a record without a time is accepted. The process ends, and says what to compare.
func TestNoTimeIsTaken(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	m := w.launch(named("m"), sessions(1))
	w.joined(1)
	for _, topic := range []string{"news.unique", "news.rejected"} {
		w.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: topic, Err: kerr.InvalidTimestamp, Count: 1 << 30})
	}
	w.send(&kgo.Record{Value: []byte("a document")})
	w.refusedBy(m, "the rejected topic refuses news/0/0 also without a time", "compare the clocks",
		"INVALID_TIMESTAMP")
}

// Documents of any timestamp come out with theirs, or in rejected with the present time and theirs in a header. What is
// read here is what lies in the topics.
func TestAnyTimestamp(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	writable := []int64{-1, 0, 1, -2, time.Now().UnixMilli(), -9223372036854, 9223372036854}
	bad := []int64{
		math.MinInt64, math.MaxInt64, -62135596800000, 253402300799999, time.Now().UnixMicro(), time.Now().UnixNano(),
		-9223372036855, 9223372036855,
	}
	all := slices.Concat(writable, bad)
	documents := make([]unpacktest.Document, len(all))
	for i, ms := range all {
		documents[i] = unpacktest.Document{Time: ms, Value: fmt.Appendf(nil, "document %d has words of its own: %x", i, ms)}
	}
	batch, err := unpacktest.Timed(kgo.CodecZstd, documents...)
	if err != nil {
		t.Fatal(err)
	}
	w.drop("news", 0, batch)
	w.sent[0] += int64(len(all))
	m := w.start()
	w.settled()
	w.becomes(fmt.Sprintf("%d are counted as bad timestamps, and %d as unique", len(bad), len(writable)), func() bool {
		s := m.Stats()
		return s.Rejected[sink.BadTimestamp] == uint64(len(bad)) && s.Unique == uint64(len(writable))
	})
	w.ended(m)
	for topic, want := range map[string][]int64{"news.unique": writable, "news.rejected": bad} {
		came, err := unpacktest.Read(w.context(), w.client(), topic, 0)
		if err != nil || len(came) != len(want) {
			t.Fatalf("%s has %d records, want %d: %v", topic, len(came), len(want), err)
		}
		for i, r := range came {
			own := headerOf(&kgo.Record{Headers: r.Headers}, sink.HeaderTimestamp)
			kept := r.Time == want[i] && own == ""
			told := own == strconv.FormatInt(want[i], 10) && time.Since(time.UnixMilli(r.Time)).Abs() < time.Hour
			if kept != (topic == "news.unique") || !kept && !told {
				t.Errorf("in %s the document of %d ms has %d, and %q is told", topic, want[i], r.Time, own)
			}
		}
	}
	if report := w.audit(); !report.OK() || report.Retimed != len(bad) {
		t.Errorf("the audit finds %d retimed, want %d: %s", report.Retimed, len(bad), report.String())
	}
}
