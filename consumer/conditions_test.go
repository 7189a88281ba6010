package consumer

import (
	"math/rand/v2"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/sink"
)

func english(s *Setup) {
	s.Sources[0].Reading.When = []document.Condition{{Header: "lang", Equals: "en"}}
	s.Settings = []byte(`{"sources[0].when[0].equals":"en","test":1}`)
}

// selective is a world in which only English documents are checked.
func selective(t *testing.T, partitions int32) *world {
	t.Helper()
	w := newWorld(t, partitions)
	english(&w.setup)
	telling(&w.setup)
	return w
}

// bilingual makes n documents, of which every third is not English, and returns how many those are.
func (w *world) bilingual(n int, seed uint64) (records []*kgo.Record, foreign int) {
	records = w.documents(n, seed)
	for i, r := range records {
		lang := "en"
		if i%3 == 0 {
			lang, foreign = "de", foreign+1
		}
		r.Headers = append(r.Headers, kgo.RecordHeader{Key: "lang", Value: []byte(lang)})
	}
	return records, foreign
}

// unchecked returns how many documents came out unchecked. It holds that those are all that are not English.
func (w *world) unchecked() (n int) {
	w.t.Helper()
	w.read("news.unique", func(r *topic.Record) {
		said := r.Header(sink.HeaderUnchecked)
		if said != "" {
			n++
		}
		if (said == "condition") != (r.Header("lang") == "de") || said != "" && r.Header(sink.HeaderMatch) != "" {
			w.t.Errorf("%s in %s: unchecked %q", r.Header(sink.HeaderSource), r.Header("lang"), said)
		}
	})
	return n
}

// What a condition leaves unchecked goes to unique, marked, in order, once, and is no original of anything, though
// members are killed.
func TestConditions(t *testing.T) {
	t.Parallel()
	w := selective(t, 4)
	w.setup.Params.PollRecords = 100
	const total = 3000
	records, foreign := w.bilingual(total, 1)
	w.send(records...)
	stays := w.start(named("m0"))
	for range 2 {
		m := w.start(named("m1"))
		w.committed(total / 4)
		m.kill()
	}
	w.settled()
	report := w.audited()
	if n := w.unchecked(); n != foreign || report.Verdicts != total || report.Duplicate == 0 {
		t.Errorf("%d of %d are unchecked: %s", n, foreign, report.String())
	}
	s := stays.Stats()
	if s.Index.Judged != uint64(total-foreign) {
		t.Errorf("%d documents were judged, want %d", s.Index.Judged, total-foreign)
	}
	for _, lang := range []string{"en", "de"} { // the others may have read all that was not checked before
		w.send(&kgo.Record{Value: records[0].Value, Headers: []kgo.RecordHeader{{Key: "lang", Value: []byte(lang)}}})
	}
	w.settled()
	w.becomes("counted", func() bool {
		s := stays.Stats()
		return s.Unchecked > 0 && s.Unchecked == s.UncheckedBy[sink.ByCondition]
	})
	if after := w.audited(); after.Duplicate != report.Duplicate {
		t.Error("a copy of what was not checked was found")
	}
}

// An output that refuses what was not checked has it go to rejected, and nothing is to be forgotten.
func TestUncheckedIsRefused(t *testing.T) {
	t.Parallel()
	w := selective(t, 1)
	w.setup.Accepted.Unchecked = []string{"news"} // the first ones have no language
	m := w.start(sessions(1))
	w.produce(5, 2)
	w.settled()
	w.limit("news.unique", 4000)
	large := words(rand.New(rand.NewPCG(1, 2)), 2000)
	records, _ := w.bilingual(30, 3)
	records[10].Value, records[10].Headers = []byte(large), nil
	w.send(records...)
	w.settled()
	if report := w.audited(); report.Rejected != 1 || report.Verdicts != 35 {
		t.Fatalf("got %s", report.String())
	}
	for _, r := range w.outputs("news.rejected", 1) {
		if string(r.Value) != large || headerOf(r, sink.HeaderReason) != string(sink.OutputRefused) ||
			headerOf(r, sink.HeaderUnchecked) != "" || headerOf(r, sink.HeaderDetail) != "the output topic refused the record" {
			t.Errorf("%d bytes, %v", len(r.Value), r.Headers)
		}
	}
	if s := m.Stats(); s.Rejected[sink.OutputRefused] != 1 {
		t.Errorf("counted %v", s.Rejected)
	}
}

// A backfill forwards what is not checked as the stream does, and a fill leaves it out.
func TestConditionsOfABackfill(t *testing.T) {
	t.Parallel()
	w := selective(t, 2)
	records, _ := w.bilingual(600, 4)
	w.send(records...)
	w.start(named("live"))
	w.settled()
	w.audited()
	w.unchecked()
	live := w.wentTo("news.unique", "news.duplicate")
	plan := w.plan(protocol.ByPlace, 2)
	w.setup.Plan = plan
	m := w.launch(job("job", plan), func(s *Setup) { s.Sink.Verdicts.Topic = "job.verdicts" })
	if err := m.wait(); err != nil {
		t.Fatal(err)
	}
	again := w.wentTo("job.unique", "job.duplicate")
	if len(again) == 0 || len(again) > len(live) {
		t.Fatalf("%d documents came out again, of %d", len(again), len(live))
	}
	marked := 0
	w.read("job.unique", func(r *topic.Record) {
		if r.Header(sink.HeaderUnchecked) != "" {
			marked++
		}
		if (r.Header(sink.HeaderUnchecked) != "") != (r.Header("lang") == "de") {
			t.Errorf("%s is marked %q", r.Header(sink.HeaderSource), r.Header(sink.HeaderUnchecked))
		}
	})
	if p := m.Backfill(); p.Tally.Unchecked != int64(marked) || p.Tally.Documents() != int64(len(again)) {
		t.Errorf("%d are marked, %d came out, the tally is %+v", marked, len(again), p.Tally)
	}
}
