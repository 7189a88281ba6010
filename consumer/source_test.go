package consumer

import (
	"fmt"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
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
	if err := w.cluster.DeleteRecords("news", 0, gone); err != nil {
		t.Fatal(err)
	}
	w.again()
	if !said.has("were deleted before they were read") {
		t.Error("nobody said that documents are gone")
	}
	if !said.has(fmt.Sprintf(`"documents":%d`, gone-read)) {
		t.Error("their number is wrong")
	}
	if report := w.audit(); !report.OK() {
		t.Error(report.String())
	}
}

// Retention runs ahead of a session that reads: what is gone is counted and said, and the rest comes through.
func TestSourceTrimmedWhileReading(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	said := w.logged()
	w.produce(50, 57)
	m := w.start(named("m"), sessions(1))
	w.settled()
	unreadable := w.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch}, Topic: "news", Err: kerr.NotLeaderForPartition, Count: 1 << 30})
	if err := unreadable.Wait(w.context(), 1); err != nil {
		t.Fatal(err)
	}
	w.produce(100, 58)
	if err := w.cluster.DeleteRecords("news", 0, 80); err != nil {
		t.Fatal(err)
	}
	unreadable.Remove()
	w.settled()
	if got := m.Stats().Deleted; got != 30 || !said.has("were deleted before they were read") {
		t.Errorf("%d documents are counted that were deleted, want 30; it is said: %v", got, said.has("were deleted"))
	}
	if report := w.audit(); !report.OK() {
		t.Error(report.String())
	}
}

// Partitions that are added are read from their start, and the outputs get as many.
func TestPartitionsAdded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 4)
	w.setup.Kafka = append(w.setup.Kafka, kgo.MetadataMaxAge(300*time.Millisecond))
	w.produce(50, 51)
	m := w.start(named("m"))
	w.settled()
	if _, err := kadm.NewClient(w.client()).UpdatePartitions(w.context(), 6, "news"); err != nil {
		t.Fatal(err)
	}
	for p := range int32(6) {
		for i := range 3 {
			w.sendTo(p, fmt.Sprintf("document %d of partition %d, which nobody has read before today", i, p))
		}
	}
	w.settled()
	w.stopped(m)
	w.audited()
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
