package consumer

import (
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/unecho/unecho/consumer/audit"
	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/routing"
	"github.com/unecho/unecho/consumer/succession"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/sink"
)

// successor is a deployment beside the world's, with a group and a journal of its own, and other settings.
func (w *world) successor(group string) func(*Setup) {
	return func(s *Setup) {
		s.Params.Group, s.Params.Succeeds, s.Params.Member = group, w.setup.Params.Group, group
		s.Journal.Topic = group + ".journal"
		s.Settings = fmt.Appendf(nil, `{"test":%q}`, group)
		w.in(filepath.Join(w.dir, group))(s)
	}
}

// handover is one by a successor.
func (w *world) handover(group string, abandon bool) *succession.Setup {
	return &succession.Setup{
		Kafka: w.setup.Kafka, OldGroup: succession.Group{
			Name:    w.setup.Params.Group,
			Journal: w.setup.Journal.Name(w.setup.Params.Group),
		},
		NewGroup: succession.Group{Name: group, Journal: group + ".journal"}, Journal: journal.DefaultParams(),
		Abandon: abandon, Say: func(what string) { w.t.Log(what) }, Logger: zerolog.Nop(),
	}
}

func (w *world) handsOver(t *succession.Setup) {
	w.t.Helper()
	if report, err := t.Run(w.context(), false); err != nil || report.Next != protocol.StepDone {
		w.t.Fatalf("the handover ends with %v as the next step, error %v (%v); want HandOver", report.Next, err, context.Cause(w.ctx))
	}
}

// dutyOf reads what a group does.
func (w *world) dutyOf(group string) protocol.Duty {
	w.t.Helper()
	d, err := w.readDuty(group)
	if err != nil {
		w.t.Fatal(err)
	}
	return d
}

func (w *world) readDuty(group string) (d protocol.Duty, err error) {
	j := routing.Journal{Options: w.setup.Kafka, Topic: group + ".journal", Group: group}
	state, err := j.Read(w.context())
	if err != nil {
		return d, err
	}
	return routing.DutyOf(state.Routes.Text)
}

// auditedTogether audits the world's group and its successor, which write to the same outputs.
func (w *world) auditedTogether() {
	w.t.Helper()
	next := *w
	w.successor("next")(&next.setup)
	for _, group := range []*world{w, &next} {
		report, err := audit.Run(w.context(), group.audits(group.setup.Params.Group))
		if err != nil {
			w.t.Fatal(err)
		}
		if !report.OK() || report.Records == 0 || report.Records+report.Elsewhere+report.Pending != w.total {
			w.t.Errorf("of %d documents group %s: %s (%d elsewhere)", w.total, group.setup.Params.Group, report.String(),
				report.Elsewhere)
		}
	}
}

// becomesFilled waits until a successor has filled its window.
func (w *world) becomesFilled(m *running) {
	w.t.Helper()
	w.becomes("filled", func() bool { return m.Ready() && w.dutyOf(m.setup.Params.Group).Ready > 0 })
}

// eachTextOnce holds that no text stands in a topic of unique documents twice, and that each match names a document
// which stands there.
func (w *world) eachTextOnce(output string) {
	w.t.Helper()
	texts, places := map[string]string{}, map[string]bool{}
	w.read(output, func(r *topic.Record) {
		source := r.Header(sink.HeaderSource)
		if before, twice := texts[string(r.Value)]; twice {
			w.t.Errorf("a text is unique twice: as %s, and as %s", before, source)
		}
		texts[string(r.Value)] = source
		places[source], places[fmt.Sprintf("%s/%d/%d", output, r.Partition, r.Offset)] = true, true
	})
	w.read("news.duplicate", func(r *topic.Record) {
		if match := r.Header(sink.HeaderMatch); !places[match] {
			w.t.Errorf("%s is called a copy of %s, which is not in %s", r.Header(sink.HeaderSource), match, output)
		}
	})
}

// A successor fills its window with what the old group has found unique, and forwards nothing. Then it takes over at
// one command: each document comes out once, by one or the other, and each match names a document that stands in
// unique. To go back, the old group begins with a new journal and takes over in turn.
func TestHandover(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 4)
	few := func(s *Setup) { s.Params.PollRecords = 50 }
	w.produce(400, 1)
	old := w.launch(named("old"), few)
	w.settled()
	next := w.launch(w.successor("next"), few)
	w.becomesFilled(next)
	if n := len(w.wentTo("news.unique", "news.duplicate", "news.rejected")); n != w.total {
		t.Fatalf("%d of %d documents are in the outputs", n, w.total)
	}
	if got, want := next.Stats().Index.Documents, len(w.wentTo("news.unique")); got != want {
		t.Errorf("the successor remembers %d documents, and %d are unique", got, want)
	}
	if d := w.dutyOf("next"); d.Kind != protocol.Fills || d.Other != "unecho" {
		t.Errorf("its duty is %+v", d)
	}
	w.produce(2000, 2)
	w.handsOver(w.handover("next", false)) // in the middle of that
	w.refusedBy(old, "group next takes over from this one", "unecho takeover --abandon")
	w.produce(500, 3)
	w.produce(400, 1) // copies of the first ones
	w.committedBy("next")
	if n := len(w.wentTo("news.unique", "news.duplicate", "news.rejected")); n != w.total {
		t.Errorf("%d of %d documents are in the outputs", n, w.total)
	}
	w.handsOver(w.handover("next", false)) // changes nothing
	w.auditedTogether()
	w.eachTextOnce("news.unique")

	w.setup.Journal.Topic, w.stored.Path = "again.journal", w.dir+"/again"
	back := w.start(named("old"), few, func(s *Setup) { s.Params.Succeeds = "next" })
	w.produce(500, 4)
	w.becomes("filled", func() bool { return back.Ready() })
	w.handsOver(&succession.Setup{
		Kafka: w.setup.Kafka, OldGroup: succession.Group{Name: "next", Journal: "next.journal"},
		NewGroup: succession.Group{Name: "unecho", Journal: "again.journal"},
		Journal:  journal.DefaultParams(), Say: func(string) {}, Logger: zerolog.Nop(),
	})
	w.produce(500, 5)
	w.produce(500, 3)
	w.settled()
	if n := len(w.wentTo("news.unique", "news.duplicate", "news.rejected")); n != w.total {
		t.Errorf("%d of %d documents are in the outputs", n, w.total)
	}
	w.eachTextOnce("news.unique")
	if d := w.dutyOf("next"); d.Kind != protocol.Retired || d.Other != "unecho" {
		t.Errorf("the successor's duty is %+v", d)
	}
}

// wasReady sets back when a group noted that its window is filled.
func (w *world) wasReady(group string, ago time.Duration) {
	w.t.Helper()
	in := routing.Journal{Options: w.setup.Kafka, Topic: group + ".journal", Group: group}
	now, err := in.Read(w.context())
	if err != nil {
		w.t.Fatal(err)
	}
	d := w.dutyOf(group)
	d.Ready = time.Now().Add(-ago).UnixMilli()
	if _, err := in.Apply(w.context(), journal.DefaultParams(), now, routing.WithDuty(now.Routes.Text, &d)); err != nil {
		w.t.Fatal(err)
	}
}

// What cannot be taken over is refused before anything ends, and says why.
func TestHandoverIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.create("blogs", 1, nil)
	w.produce(100, 1)
	w.start(named("old"))
	w.settled()
	refused := func(to *succession.Setup, says ...string) {
		t.Helper()
		_, err := to.Run(w.context(), false)
		for _, what := range says {
			if err == nil || !strings.Contains(err.Error(), what) {
				t.Errorf("it says %v, and not %q", err, what)
			}
		}
	}
	refused(w.handover("next", false), "group next has no journal next.journal", "succeeds: unecho")
	refused(w.handover("next", true), "has not retired in favour of group next")
	gone := w.handover("next", false)
	gone.OldGroup.Journal = "gone.journal"
	refused(gone, "group unecho has no journal gone.journal")
	other := w.start(w.successor("other"), func(s *Setup) { s.Sources[0].Topics = []string{"news", "blogs"} })
	w.becomesFilled(other)
	refused(w.handover("other", false), "the groups read other topics")
	plain := w.start(w.successor("plain"), func(s *Setup) {
		s.Params.Succeeds, s.Sink.Unique.Topic, s.Sink.Duplicate.Topic, s.Sink.Rejected.Topic = "", "p.u", "p.d", "p.r"
	})
	w.becomes("ready", plain.Ready)
	refused(w.handover("plain", false), "group plain forwards already")
	dry := w.start(w.successor("dry"), func(s *Setup) { s.Sink.DryRun = true })
	w.becomesFilled(dry)
	refused(w.handover("dry", false), "group dry is a dry run")
	away := w.launch(w.successor("away"))
	w.becomesFilled(away)
	away.kill()
	w.wasReady("away", time.Hour)
	refused(w.handover("away", false), "group away had its window filled last at", "start a member of it")
	for _, group := range []string{"first", "second"} {
		w.becomesFilled(w.start(w.successor(group)))
	}
	plan := func(group string) succession.Report {
		t.Helper()
		report, err := w.handover(group, false).Run(w.context(), true)
		if err != nil || report.Next != protocol.StepRetire || len(report.Old) == 0 || len(report.Places) != 2 {
			t.Errorf("the plan is %+v, %v", report, err)
		}
		return report
	}
	if report := plan("first"); len(report.Elsewhere) > 0 {
		t.Errorf("the plan is %+v", report)
	}
	if d := w.dutyOf("unecho"); d.Kind != protocol.Forwards {
		t.Errorf("something was refused or planned, and the old group's duty is %+v", d)
	}
	w.produce(100, 2)
	w.settled()
	w.audited()
}

// A plan tells of outputs that are others.
func TestHandoverPlan(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.produce(100, 1)
	w.start(named("old"))
	w.settled()
	w.becomesFilled(w.launch(w.successor("next"), func(s *Setup) { s.Sink.Unique.Topic = "next.unique" }))
	report, err := w.handover("next", false).Run(w.context(), true)
	if err != nil || len(report.Elsewhere) != 1 || !strings.Contains(report.Elsewhere[0], "go to next.unique") {
		t.Errorf("the plan is %+v, %v", report, err)
	}
}

// What the old group finds unique while a handover is under way is brought before the new one judges: a successor whose
// members are killed before that goes on when they come back, also with other members, and after several handovers.
func TestHandoverBringsTheRest(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.produce(100, 1)
	w.launch(named("old"))
	w.settled()
	next := w.launch(w.successor("next"), func(s *Setup) { s.Sink.Unique.Topic = "next.unique" })
	w.becomesFilled(next)
	next.kill()
	w.produce(200, 2)
	w.settled()
	w.handsOver(w.handover("next", false))
	w.produce(200, 2) // copies of what the killed member never brought
	w.produce(50, 3)
	other := w.launch(w.successor("next"), named("other"), func(s *Setup) { s.Sink.Unique.Topic = "next.unique" })
	w.becomes("ready", other.Ready)
	w.committedBy("next")
	before := map[string]bool{}
	w.read("news.unique", func(r *topic.Record) { before[string(r.Value)] = true })
	w.read("next.unique", func(r *topic.Record) {
		if before[string(r.Value)] {
			t.Errorf("%q is unique again after the handover", r.Value)
		}
	})
	third := w.launch(w.successor("third"), func(s *Setup) { s.Params.Succeeds = "next" })
	w.becomesFilled(third)
	if got, want := third.Stats().Index.Documents, len(w.wentTo("news.unique", "next.unique")); got != want {
		t.Errorf("the third group remembers %d documents, want those of both before it: %d", got, want)
	}
}

// What a successor would remember is what was committed: a transaction that is open on the old group's unique topic
// holds up nothing but what lies behind it, and is waited for at the handover.
func TestSuccessorWaitsForOpenTransactions(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.produce(100, 1)
	w.launch(named("old"))
	w.settled()
	unique := len(w.wentTo("news.unique"))
	last := w.documents(1, 2)[0]
	last.Topic, last.Headers = "news.unique", nil
	end := w.begins("open", last)
	next := w.launch(w.successor("next"))
	w.becomesFilled(next)
	if n := next.Stats().Index.Documents; n != unique {
		t.Errorf("%d documents are remembered, want %d", n, unique)
	}
	end(kgo.TryCommit)
	w.becomes("the last one is remembered", func() bool { return next.Stats().Index.Documents == unique+1 })
}

// A successor that cannot be filled says why, and what to do: its process ends if the old group's journal is missing, and
// it tries again if that cannot be read now.
func TestSuccessorSaysWhyItIsNotFilled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.produce(50, 1)
	w.launch(named("old"))
	w.settled()
	said := w.logged()
	w.refusedBy(w.launch(w.successor("wrong"), func(s *Setup) { s.Params.Succeeds = "gone" }),
		"group gone has no journal gone.journal, or declared nothing in it")
	w.cluster.Fault(kfake.Fault{
		Keys: []kmsg.Key{kmsg.ListOffsets}, Topic: "news.unique", Err: kerr.LeaderNotAvailable, Count: 4,
	})
	next := w.launch(w.successor("next"))
	w.becomes("said", func() bool { return said.has("the window cannot be filled now: trying again") })
	w.becomesFilled(next)
}

// A handover that was begun is abandoned: the old group goes on, and what was begun can not be completed any more. Of
// two successors the one that was first counts.
func TestHandoverIsAbandoned(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.produce(200, 1)
	old := w.launch(named("old"), func(s *Setup) { s.Params.SessionTimeout = 30 * time.Second })
	w.settled()
	for _, group := range []string{"next", "other"} {
		w.becomesFilled(w.launch(w.successor(group)))
	}
	old.kill() // the group does not notice for long
	ctx, cancel := context.WithCancel(w.context())
	begun := w.handover("next", false)
	begun.Say = func(what string) {
		if strings.Contains(what, "waiting for members of group unecho to end: old-s0") {
			cancel() // it is killed when the old group has retired
		}
	}
	if _, err := begun.Run(ctx, false); err == nil || ctx.Err() == nil {
		t.Errorf("it ends with %v", err)
	}
	w.refusedBy(w.launch(named("new")), "group next takes over from this one")
	if _, err := w.handover("other", false).Run(w.context(), false); err == nil ||
		!strings.Contains(err.Error(), "which was first") {
		t.Errorf("another successor: %v", err)
	}
	w.handsOver(w.handover("next", true))
	w.handsOver(w.handover("next", true)) // the same command again
	if d := w.dutyOf("unecho"); !reflect.DeepEqual(d, protocol.Duty{}) {
		t.Errorf("the old group's duty is %+v", d)
	}
	if d := w.dutyOf("next"); d.Kind != protocol.Fills || d.Void == 0 {
		t.Errorf("the duty of its successor is %+v", d)
	}
	w.start(named("old"))
	w.produce(200, 2)
	w.settled()
	w.audited()
}
