package consumer

import (
	"fmt"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// A live group that measures by the documents' own times marks what is late, across partitions, and the audit agrees.
func TestLateDocumentsOfALiveGroup(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.setup.Index.Duplicates.Remember.Clock, w.setup.Index.Duplicates.Remember.Tolerance = "event", time.Minute
	w.producer = w.client(kgo.DefaultProduceTopic("news"), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	m := w.start()
	now := time.Now().Truncate(time.Second).Add(-time.Hour)
	behind := []time.Duration{0, 30 * time.Second, 2 * time.Minute, time.Hour}
	for i, by := range behind { // one after the other, so that the journal has them in this order
		w.send(&kgo.Record{Partition: int32(i % 2), Timestamp: now.Add(-by), Value: fmt.Append(nil, "document number ", i)})
		w.settled()
	}
	w.ended(m)
	got := map[string]string{}
	for _, r := range w.outputs("news.unique", len(behind)) {
		got[string(r.Value)] = headerOf(r, "unecho-late")
	}
	for i, want := range []string{"", "", "120", "3600"} {
		if value := fmt.Sprint("document number ", i); got[value] != want {
			t.Errorf("%s is late by %q, want %q", value, got[value], want)
		}
	}
	w.audited()
}
