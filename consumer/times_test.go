package consumer

import (
	"strconv"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/unecho/unecho/sink"
)

// An output refuses a document's time, although nobody knew that it would, and so does rejected. The document goes to
// rejected with the present time, once.
func TestTimeIsRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		refused []string // one produce to each of them is refused
		retimed bool
	}{
		{"by unique", []string{"news.unique"}, false},
		{"by unique and rejected", []string{"news.unique", "news.rejected"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 1)
			m := w.start(named("m"), sessions(1))
			w.joined(1)
			for _, topic := range c.refused {
				w.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: topic, Err: kerr.InvalidTimestamp, Count: 1})
			}
			at := time.Now().Add(-48 * time.Hour).Truncate(time.Millisecond)
			w.send(&kgo.Record{Value: []byte("a document of long ago"), Timestamp: at})
			w.settled()
			if err := m.stop(); err != nil {
				t.Fatal(err)
			}
			r := w.outputs("news.rejected", 1)[0]
			own := headerOf(r, sink.HeaderTimestamp)
			switch {
			case headerOf(r, sink.HeaderReason) != string(sink.OutputRefused):
				t.Errorf("rejected as %s", headerOf(r, sink.HeaderReason))
			case c.retimed && (own != strconv.FormatInt(at.UnixMilli(), 10) || time.Since(r.Timestamp) > time.Hour):
				t.Errorf("its own time is told as %q, and it has %v", own, r.Timestamp)
			case !c.retimed && (own != "" || !r.Timestamp.Equal(at)):
				t.Errorf("it has %v, and %q is told", r.Timestamp, own)
			}
			if report := w.audit(); !report.OK() || report.Rejected != 1 {
				t.Errorf("the audit finds %s", report.String())
			}
		})
	}
}

// Not even the present time is accepted. The process ends, and says what to compare.
func TestNoTimeIsTaken(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	m := w.launch(named("m"), sessions(1))
	w.joined(1)
	for _, topic := range []string{"news.unique", "news.rejected"} {
		w.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: topic, Err: kerr.InvalidTimestamp, Count: 1 << 30})
	}
	w.send(&kgo.Record{Value: []byte("a document")})
	w.refusedBy(m, "the rejected topic refuses news/0/0 also with the present time", "compare the clocks",
		"INVALID_TIMESTAMP")
}
