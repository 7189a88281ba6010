package consumer

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/unecho/unecho/consumer/audit"
	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/routing"
	"github.com/unecho/unecho/consumer/succession"
	"github.com/unecho/unecho/sink"
)

// successor is a deployment beside the world's, with a group and a journal of its own, and other settings.
func (w *world) successor(group string) func(*Setup) {
	return func(s *Setup) {
		s.Params.Group, s.Params.Succeeds, s.Params.Member = group, w.setup.Params.Group, group
		s.Params.SucceedsJournal = w.setup.Journal.Name(w.setup.Params.Group)
		s.Journal.Topic = group + ".journal"
		s.Settings = fmt.Appendf(nil, `{"test":%q}`, group)
		s.Snapshot.Directory = filepath.Join(w.dir, group)
	}
}

// takeover is one by a successor.
func (w *world) takeover(group string, abandon bool) *succession.Takeover {
	return &succession.Takeover{
		Kafka: w.setup.Kafka, OldGroup: succession.Group{
			Name:    w.setup.Params.Group,
			Journal: w.setup.Journal.Name(w.setup.Params.Group),
		},
		NewGroup: succession.Group{Name: group, Journal: group + ".journal"}, Journal: journal.DefaultParams(),
		Abandon: abandon, Say: func(what string) { w.t.Log(what) }, Logger: zerolog.Nop(),
	}
}

func (w *world) takesOver(t *succession.Takeover) {
	w.t.Helper()
	if report, err := t.Run(w.context(), false); err != nil || report.Next != protocol.HandOver {
		w.t.Fatalf("the takeover ends with %v as the next step, error %v (%v); want HandOver", report.Next, err, context.Cause(w.ctx))
	}
}

// committedBy waits until a group has committed all that was sent.
func (w *world) committedBy(group string) {
	w.t.Helper()
	_, err := w.cluster.WaitGroupInfo(w.context(), group, func(g *kfake.GroupInfo) bool {
		for p, end := range w.sent {
			if g == nil || g.Commits["news"][p].Offset < end {
				return false
			}
		}
		return true
	})
	if err != nil {
		w.t.Fatalf("group %s has not committed everything: %v (%v)", group, err, context.Cause(w.ctx))
	}
}

// dutyOf reads what a group does.
func (w *world) dutyOf(group string) protocol.Duty {
	w.t.Helper()
	j := routing.Journal{Options: w.setup.Kafka, Topic: group + ".journal", Group: group}
	state, err := j.Read(w.context())
	if err != nil {
		w.t.Fatal(err)
	}
	d, err := routing.DutyOf(state.Routes.Text)
	if err != nil {
		w.t.Fatal(err)
	}
	return d
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

// A shadow judges what the old group has committed, and forwards nothing. Then it takes over at one command: each
// document comes out once, by one or the other. The way back is the same command.
func TestTakeover(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 4)
	few := func(s *Setup) { s.Params.PollRecords = 50 }
	w.produce(400, 1)
	old := w.launch(named("old"), few)
	w.settled()
	shadow := w.launch(w.successor("next"), few)
	w.committedBy("next") // up to where the old group is
	if n := len(w.wentTo("news.unique", "news.duplicate", "news.rejected")); n != w.total {
		t.Fatalf("%d of %d documents are in the outputs", n, w.total)
	}
	if st := shadow.Stats(); st.Index.Documents == 0 {
		t.Error("the shadow remembers nothing")
	}
	if d := w.dutyOf("next"); d.Kind != protocol.Shadows || d.Other != "unecho" {
		t.Errorf("its duty is %+v", d)
	}
	w.produce(2000, 2)
	w.takesOver(w.takeover("next", false)) // in the middle of that
	w.refusedBy(old, "group next takes over from this one", "unecho takeover --abandon")
	w.produce(500, 3)
	w.committedBy("next")
	if n := len(w.wentTo("news.unique", "news.duplicate", "news.rejected")); n != w.total {
		t.Errorf("%d of %d documents are in the outputs", n, w.total)
	}
	w.takesOver(w.takeover("next", false)) // changes nothing
	w.auditedTogether()

	follows := func(s *Setup) { s.Params.Succeeds = "next" }
	back := w.start(named("old"), few, follows)
	w.produce(500, 4)
	w.settled() // by the old group, as a shadow
	w.takesOver(&succession.Takeover{
		Kafka: w.setup.Kafka, OldGroup: succession.Group{Name: "next", Journal: "next.journal"},
		NewGroup: succession.Group{Name: "unecho", Journal: "unecho.journal"},
		Journal:  journal.DefaultParams(), Say: func(string) {}, Logger: zerolog.Nop(),
	})
	w.produce(500, 5)
	w.settled()
	if n := len(w.wentTo("news.unique", "news.duplicate", "news.rejected")); n != w.total {
		t.Errorf("%d of %d documents are in the outputs", n, w.total)
	}
	_ = back
	w.auditedTogether()
	if d := w.dutyOf("unecho"); d.Kind != protocol.Forwards || d.Other != "next" || len(d.From) != 4 {
		t.Errorf("the old group's duty is %+v", d)
	}
	if d := w.dutyOf("next"); d.Kind != protocol.Retired || d.Other != "unecho" {
		t.Errorf("the successor's duty is %+v", d)
	}
}

// What cannot be taken over is refused before anything ends, and says why.
func TestTakeoverIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.create("blogs", 1, nil)
	w.produce(100, 1)
	w.start(named("old"))
	w.settled()
	refused := func(to *succession.Takeover, says ...string) {
		t.Helper()
		_, err := to.Run(w.context(), false)
		for _, what := range says {
			if err == nil || !strings.Contains(err.Error(), what) {
				t.Errorf("it says %v, and not %q", err, what)
			}
		}
	}
	refused(w.takeover("next", false), "group next has no journal next.journal", "consumer.succeeds: unecho")
	refused(w.takeover("next", true), "has not retired in favour of group next")
	gone := w.takeover("next", false)
	gone.OldGroup.Journal = "gone.journal"
	refused(gone, "group unecho has no journal gone.journal")
	other := w.start(w.successor("other"), func(s *Setup) { s.Source.Topics = []string{"news", "blogs"} })
	w.becomes("ready", other.Ready)
	refused(w.takeover("other", false), "the groups read other topics")
	plain := w.start(w.successor("plain"), func(s *Setup) {
		s.Params.Succeeds, s.Sink.Unique, s.Sink.Duplicate, s.Sink.Rejected = "", "p.u", "p.d", "p.r"
	})
	w.becomes("ready", plain.Ready)
	refused(w.takeover("plain", false), "group plain forwards already")
	dry := w.start(w.successor("dry"), func(s *Setup) { s.Sink.DryRun = true })
	w.becomes("ready", dry.Ready)
	refused(w.takeover("dry", false), "group dry has sink.dry_run: true")
	for _, group := range []string{"first", "second"} {
		m := w.start(w.successor(group))
		w.becomes("ready", m.Ready)
		w.committedBy(group)
	}
	plan := func(group string) succession.Report {
		t.Helper()
		report, err := w.takeover(group, false).Run(w.context(), true)
		if err != nil || report.Next != protocol.HandRetire || len(report.Old) == 0 || len(report.Places) != 2 {
			t.Errorf("the plan is %+v, %v", report, err)
		}
		return report
	}
	if report := plan("first"); !report.Since.IsZero() || len(report.New) == 0 || len(report.Elsewhere) > 0 {
		t.Errorf("the plan is %+v", report)
	}
	if d := w.dutyOf("unecho"); d.Kind != protocol.Forwards {
		t.Errorf("something was refused or planned, and the old group's duty is %+v", d)
	}
	w.produce(100, 2)
	w.settled()
	w.audited()
}

// A plan tells of history that is deleted, of outputs that are others, and of a group that nobody runs.
func TestTakeoverPlan(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.produce(100, 1)
	w.start(named("old"))
	w.settled()
	shadow := w.launch(w.successor("next"), func(s *Setup) { s.Sink.Unique = "next.unique" })
	w.becomes("ready", shadow.Ready)
	w.committedBy("next")
	plan := func() succession.Report {
		t.Helper()
		report, err := w.takeover("next", false).Run(w.context(), true)
		if err != nil {
			t.Fatal(err)
		}
		return report
	}
	if report := plan(); !report.Since.IsZero() || len(report.New) == 0 || len(report.Elsewhere) != 1 ||
		!strings.Contains(report.Elsewhere[0], "go to next.unique") {
		t.Errorf("the plan is %+v", report)
	}
	w.deleteAll("news")
	if report := plan(); time.Since(report.Since) > time.Minute {
		t.Errorf("the plan of a source without history is %+v", report)
	}
}

// A takeover that was begun is abandoned: the old group goes on, and what was begun can not be completed any more. Of
// two successors the one that was first counts.
func TestTakeoverIsAbandoned(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.produce(200, 1)
	old := w.launch(named("old"), func(s *Setup) { s.Params.SessionTimeout = 30 * time.Second })
	w.settled()
	for _, group := range []string{"next", "other"} {
		m := w.launch(w.successor(group))
		w.becomes("ready", m.Ready)
		w.committedBy(group)
	}
	old.kill() // the group does not notice for long
	ctx, cancel := context.WithCancel(w.context())
	begun := w.takeover("next", false)
	begun.Say = func(what string) {
		if strings.Contains(what, "waiting for members of group unecho to end: old-s0") {
			cancel() // it is killed when the old group has retired
		}
	}
	if _, err := begun.Run(ctx, false); err == nil || ctx.Err() == nil {
		t.Errorf("it ends with %v", err)
	}
	w.refusedBy(w.launch(named("new")), "group next takes over from this one")
	if _, err := w.takeover("other", false).Run(w.context(), false); err == nil ||
		!strings.Contains(err.Error(), "which was first") {
		t.Errorf("another successor: %v", err)
	}
	w.takesOver(w.takeover("next", true))
	w.takesOver(w.takeover("next", true)) // the same command again
	if d := w.dutyOf("unecho"); !reflect.DeepEqual(d, protocol.Duty{}) {
		t.Errorf("the old group's duty is %+v", d)
	}
	if d := w.dutyOf("next"); d.Kind != protocol.Shadows || d.Void == 0 {
		t.Errorf("the duty of its successor is %+v", d)
	}
	w.start(named("old"))
	w.produce(200, 2)
	w.settled()
	w.audited()
}

// A successor has a group and a journal of its own.
func TestSuccessorOfItself(t *testing.T) {
	t.Parallel()
	p := DefaultParams()
	p.Group, p.Succeeds = "same", "same"
	if m := p.Validate(); len(m) != 1 || !strings.Contains(m[0].String(), "is this group itself") {
		t.Errorf("the same group: %v", m)
	}
	p.Succeeds, p.SucceedsJournal = "old", "same.journal"
	out := sink.DefaultParams()
	if m := Loops(p, SourceParams{Topics: []string{"news"}}, journal.DefaultParams(), out); len(m) != 1 ||
		m[0].Key != "consumer.succeeds_journal" {
		t.Errorf("the same journal: %v", m)
	}
}

// deleteAll has retention delete all records of a topic.
func (w *world) deleteAll(name string) {
	w.t.Helper()
	admin := kadm.NewClient(w.client())
	ends, err := admin.ListEndOffsets(w.context(), name)
	if err != nil {
		w.t.Fatal(err)
	}
	deleted, err := admin.DeleteRecords(w.context(), ends.Offsets())
	if err = errors.Join(err, deleted.Error()); err != nil {
		w.t.Fatal(err)
	}
}
