package consumer

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/routing"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/sink"
)

// A member whose routing differs from that of members at work is refused with the difference, and forwards and commits
// nothing.
func TestAnotherRoutingIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 4)
	w.create("blogs", 1, nil)
	w.produce(100, 91)
	w.start(named("m"))
	w.settled()
	for _, c := range []struct {
		name   string
		change func(*Setup)
		says   []string
	}{
		{"a dry run", func(s *Setup) { s.Sink.DryRun = true }, []string{"--dry-run: true here, false in the journal"}},
		{"an output", func(s *Setup) { s.Sink.Unique.Topic = "elsewhere" }, []string{"outputs.unique of news: elsewhere here, news.unique in the journal"}},
		{"another", func(s *Setup) { s.Sink.Rejected.Topic = "{source}.bad" }, []string{"outputs.rejected of news: news.bad here, news.rejected in the journal"}},
		{"where it starts", func(s *Setup) { s.Sources[0].Start = "latest" }, []string{"sources[0].start: latest here, earliest in the journal"}},
		{"a topic more", func(s *Setup) { s.Sources[0].Topics = []string{"news", "blogs"} }, []string{`sources[0].topics: ["blogs","news"] here, ["news"] in the journal`}},
	} {
		w.refusedBy(w.launch(named("wrong"), c.change),
			append(c.says, "the routing differs", "unecho routing show", "unecho routing apply")...)
	}
	w.produce(100, 92)
	w.settled()
	w.audited()
}

// Settings that only permit something once, or say how outputs are made, are not part of the routing. Other spellings
// of the same topics are the same routing.
func TestTheSameRouting(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 4)
	w.produce(100, 93)
	w.start(named("m"), sessions(1))
	w.settled()
	w.start(named("n"), sessions(1), func(s *Setup) {
		s.Accepted = Accepted{JournalGap: w.gap(), LostOffsets: []string{"news/0@1"}, Rejected: []string{"news"}}
		s.Sink.Create.Enabled, s.Sink.Create.ReplicationFactor, s.Sink.Unique.Topic = false, 1, "news.unique"
	})
	w.joined(2)
	w.produce(100, 94)
	w.settled()
	w.audited()
}

// The routing is changed while members work. They end and say so. Members with the new routing go on, and remember what
// was judged. Each document is in one output, and none that was judged after the change is where the old routing puts
// it.
func TestRoutingIsChangedAtWork(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 4)
	elsewhere := func(s *Setup) {
		s.Sink.Unique.Topic, s.Sink.Duplicate.Topic, s.Sink.Rejected.Topic = "new.u", "new.d", "new.r"
	}
	few := func(s *Setup) { s.Params.PollRecords = 7 } // so that there is always something on its way
	w.produce(200, 95)
	old := []*running{w.launch(named("a"), few), w.launch(named("b"), few)}
	w.settled()
	w.produce(3000, 96)
	w.reroute(elsewhere)
	for _, m := range old {
		w.refusedBy(m, "the routing differs", "outputs.unique of news: news.unique here, new.u in the journal",
			"unecho routing apply")
	}
	w.refused("the routing differs") // it does not start again either
	w.start(named("a"), elsewhere)
	w.settled()
	begins := maps.Clone(w.sent)
	w.produce(200, 95) // the same documents as the first
	w.settled()
	before, after := w.wentTo("news.unique", "news.duplicate", "news.rejected"), w.wentTo("new.u", "new.d", "new.r")
	if len(before)+len(after) != w.total || len(before) < 200 || len(after) <= 200 {
		t.Errorf("%d documents went by the old routing and %d by the new, of %d", len(before), len(after), w.total)
	}
	changed, copies := w.changedAt(), 0
	if err := Replay(w.context(), w.setup, func(source entry.Source, v *index.Verdict) {
		at := fmt.Sprintf("news/%d/%d", source.Partition, v.Offset)
		switch {
		case before[at] != "" && after[at] != "":
			t.Errorf("%s went by both", at)
		case before[at] != "" && v.Position.Offset > changed:
			t.Errorf("%s was judged at %d, behind the change at %d, and went by the old routing", at, v.Position.Offset, changed)
		}
		if v.Offset >= begins[source.Partition] && after[at] == sink.Duplicate {
			copies++
		}
	}); err != nil {
		t.Fatal(err)
	}
	if copies != 200 {
		t.Errorf("%d of the 200 documents of before the change were known after it", copies)
	}
}

// The routing is part of the state: a member that starts with a snapshot, or with a journal whose head is gone, is
// refused as well.
func TestRoutingIsRestored(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 4)
	w.setup.Snapshot.For = snapshot.ByAll
	w.produce(100, 97)
	m := w.start(named("m"))
	w.settled()
	for range 3 { // so that the journal is trimmed
		next := m.Stats().SnapshotNext
		w.produce(50, 98)
		w.settled()
		w.becomes("a snapshot is taken", func() bool { return m.Stats().SnapshotNext > next })
	}
	w.ended(m)
	w.refusedBy(w.launch(named("m"), func(s *Setup) { s.Sink.DryRun = true }), "--dry-run: true here")
	state, err := w.routingJournal().Read(w.context())
	if err != nil || state.Routes.Number != 1 || string(state.Settings) != string(w.setup.Settings) {
		t.Errorf("the journal says %+v, %v", state, err)
	}
	w.start(named("m"))
	w.produce(50, 99)
	w.settled()
}

func (w *world) routingJournal() *routing.Journal {
	return &routing.Journal{Options: w.setup.Kafka, Topic: "unecho.journal", Group: w.setup.Params.Group}
}

// reroute puts another routing in force.
func (w *world) reroute(change func(*Setup)) {
	w.t.Helper()
	to := w.setup
	to.Sources = slices.Clone(to.Sources)
	change(&to)
	j := w.routingJournal()
	state, err := j.Read(w.context())
	if err == nil {
		_, err = j.Change(w.context(), to.Journal, state, routing.Text(to.Sources, to.Sink))
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// changedAt returns the journal offset of the second routing.
func (w *world) changedAt() (at int64) {
	w.t.Helper()
	w.read("unecho.journal", func(r *topic.Record) {
		if rec, err := journal.Decode(r.Value); err == nil {
			if change, ok := rec.(*index.Routing); ok && change.Number == 2 && at == 0 {
				at = r.Offset
			}
		}
	})
	return at
}

// wentTo returns the verdicts in the outputs by the documents' coordinates. No document may be there twice.
func (w *world) wentTo(outputs ...string) map[string]string {
	w.t.Helper()
	of := map[string]string{}
	for _, output := range outputs {
		w.read(output, func(r *topic.Record) {
			at := r.Header(sink.HeaderSource)
			if of[at] != "" {
				w.t.Errorf("%s is twice in the outputs", at)
			}
			of[at] = r.Header(sink.HeaderVerdict)
		})
	}
	return of
}

func (w *world) read(name string, fn func(*topic.Record)) {
	w.t.Helper()
	err := topic.ReadSpan(w.context(), w.setup.Kafka, name, topic.Span{}, func(r *topic.Record) error {
		fn(r)
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
}
