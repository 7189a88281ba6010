package consumer

import (
	"fmt"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func TestSourceTrimmed(t *testing.T) {
	t.Parallel()
	w := begun(t, 200)
	said, read := w.logged(), w.sent[0]
	w.produce(100, 57)
	gone := w.sent[0] - 2
	w.trims("news", 0, gone)
	w.again()
	if !said.has("were deleted before they were read") {
		t.Error("nobody said that documents are gone")
	}
	if !said.has(fmt.Sprintf(`"at_most":%d`, gone-read)) {
		t.Error("their number is wrong")
	}
	if report := w.audit(); !report.OK() {
		t.Error(report.String())
	}
}

// Retention deletes documents before a session reads them. They are counted and logged, and the rest is forwarded.
func TestSourceTrimmedWhileReading(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	said := w.logged()
	w.produce(50, 57)
	m := w.start(named("m"), sessions(1))
	w.settled()
	unreadable := w.cluster.Fault(kfake.Fault{
		Keys: []kmsg.Key{kmsg.Fetch}, Topic: "news", Err: kerr.NotLeaderForPartition,
		Count: 1 << 30,
	})
	if err := unreadable.Wait(w.context(), 1); err != nil {
		t.Fatal(err)
	}
	w.produce(100, 58)
	w.trims("news", 0, 80)
	unreadable.Remove()
	w.settled()
	w.becomes("what was deleted is counted", func() bool { return m.Stats().Deleted > 0 })
	if got := m.Stats().Deleted; got != 30 || !said.has("were deleted before they were read") {
		t.Errorf("%d documents are counted that were deleted, want 30; it is said: %v", got, said.has("were deleted"))
	}
	if report := w.audit(); !report.OK() {
		t.Error(report.String())
	}
}

// A session that is given a partition after retention overtook the group counts the deleted documents. No session
// counts them after that, even if no document comes.
func TestDeletedCountsOnce(t *testing.T) {
	t.Parallel()
	w := begun(t, 200)
	w.produce(100, 59)
	for p := range w.sent {
		w.trims("news", p, w.sent[p])
	}
	counted := uint64(0)
	for _, name := range []string{"m", "n", "m"} {
		m := w.start(named(name))
		w.settled()
		w.stopped(m)
		counted += m.Stats().Deleted
	}
	if counted != 100 {
		t.Errorf("%d documents are counted as deleted, want 100", counted)
	}
	if report := w.audit(); !report.OK() {
		t.Error(report.String())
	}
}

func (w *world) sendTo(partition int32, text string) {
	w.t.Helper()
	cl := w.client(kgo.RecordPartitioner(kgo.ManualPartitioner()))
	r, err := cl.ProduceSync(w.context(), &kgo.Record{Topic: "news", Partition: partition, Value: []byte(text)}).First()
	if err != nil {
		w.t.Fatal(err)
	}
	w.sent[partition] = r.Offset + 1
	w.total++
}
