package consumer

import (
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/audit"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/sink"
)

// throughAKill has two members forward so many documents, of which one is killed on the way, and audits what came out.
func (w *world) throughAKill(documents int64) audit.Report {
	w.t.Helper()
	w.setup.Params.PollRecords = 100
	w.produce(int(documents), 1)
	w.start(named("m0"))
	m := w.start(named("m1"))
	w.committed(documents / 4)
	m.kill()
	w.settled()
	return w.audited()
}

// With one topic for both, duplicates stand among the unique documents, each document once and in order, though a
// member is killed. A successor remembers the unique documents alone.
func TestDuplicatesAmongTheUnique(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 4)
	w.setup.Sink.Duplicate.Topic = w.setup.Sink.Unique.Topic
	const total = 4000
	report := w.throughAKill(total)
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

// Duplicates that are dropped are written nowhere, and counted. Each unique document comes out once though a member is
// killed, the audit asks the journal for the others, and a successor remembers as ever.
func TestDuplicatesAreDropped(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 4)
	telling(&w.setup)
	w.setup.Sink.Duplicate.Drop = true
	const total = 4000
	report := w.throughAKill(total)
	if report.Dropped == 0 || report.Duplicate > 0 || report.Unique+report.Dropped != total || report.Verdicts != total {
		t.Errorf("implausible: %s", report.String())
	}
	if w.cluster.TopicInfo("news.duplicate") != nil {
		t.Error("the duplicates have a topic that nothing goes to")
	}
	w.start(named("m1"))
	w.produce(total/4, 1) // copies of what was there
	w.settled()
	again := w.audited()
	if again.Unique != report.Unique || again.Dropped != report.Dropped+total/4 {
		t.Errorf("of %d copies some are unique: %s", total/4, again.String())
	}
	next := w.launch(w.successor("next"))
	w.becomesFilled(next)
	if n := next.Stats().Index.Documents; n != report.Unique {
		t.Errorf("a successor remembers %d documents, want %d", n, report.Unique)
	}
}

// A batch of nothing but duplicates that are dropped is committed, and nothing is written.
func TestNothingButDroppedDuplicates(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.setup.Sink.Duplicate.Drop = true
	for range 3 {
		w.send(&kgo.Record{Value: []byte("one and the same text for all of them")})
	}
	m := w.start(sessions(1), func(s *Setup) { s.Params.PollRecords = 1 })
	w.settled()
	w.ended(m)
	if s := m.Stats(); s.Unique != 1 || s.Duplicate != 2 {
		t.Errorf("%d unique and %d duplicates, want 1 and 2", s.Unique, s.Duplicate)
	}
	if report := w.audited(); report.Unique != 1 || report.Dropped != 2 {
		t.Errorf("implausible: %s", report.String())
	}
}

// A backfill counts what it drops.
func TestBackfillDropsDuplicates(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.produce(400, 5)
	plan := w.plan(protocol.ByPlace, 2)
	for i := range plan.Ranges {
		plan.Ranges[i].From, plan.Ranges[i].To = 0, w.sent[int32(i)]
	}
	m := w.launch(job("job", plan), func(s *Setup) { s.Sink.Duplicate.Drop = true })
	w.finished(m, plan)
	if n := m.Backfill().Tally.Duplicate; n == 0 {
		t.Error("it counts no duplicates")
	}
	if w.cluster.TopicInfo("job.duplicate") != nil {
		t.Error("the duplicates have a topic that nothing goes to")
	}
}
