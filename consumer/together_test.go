package consumer

import (
	"testing"

	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/sink"
)

// With one topic for both, duplicates stand among the unique documents, each document once and in order, though a
// member is killed. A successor remembers the unique documents alone.
func TestDuplicatesAmongTheUnique(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 4)
	w.setup.Params.PollRecords = 100
	w.setup.Sink.Duplicate.Topic = w.setup.Sink.Unique.Topic
	const total = 4000
	w.produce(total, 1)
	w.start(named("m0"))
	m := w.start(named("m1"))
	w.committed(total / 4)
	m.kill()
	w.settled()
	report := w.audited()
	if report.Duplicate == 0 || report.Unique+report.Duplicate != total {
		t.Errorf("implausible: %s", report.String())
	}
	if w.cluster.TopicInfo("news.duplicate") != nil {
		t.Error("the duplicates have a topic that nothing goes to")
	}
	next := w.launch(w.successor("next"))
	w.becomesFilled(next)
	if n := next.Stats().Index.Documents; n != report.Unique {
		t.Errorf("a successor remembers %d documents, want %d", n, report.Unique)
	}
	unique := 0
	w.read("news.unique", func(r *topic.Record) {
		if r.Header(sink.HeaderVerdict) == sink.Unique {
			unique++
		}
	})
	if unique != report.Unique {
		t.Errorf("%d records say that they are unique, want %d", unique, report.Unique)
	}
}
