package audit_test

import (
	"context"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/audit"
	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/routing"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/index/snapshot/localdir"
	"github.com/unecho/unecho/sink"
)

// reroute appends a routing of that number.
func (s *scene) reroute(number uint32, change func(*sink.Params), more ...string) {
	s.t.Helper()
	out := sink.DefaultParams()
	change(&out)
	text := routing.Text([]document.Source{{Topics: append(more, s.prefix+"news"), Start: "earliest"}}, out)
	s.append(&index.Routing{Header: s.header(), Routes: index.Routes{Number: number, Text: text}})
}

func here(*sink.Params)      {}
func renamed(p *sink.Params) { p.Unique.Topic = "renamed" }
func dry(p *sink.Params)     { p.DryRun = true }

// gone judges three documents whose outputs are none of those audited, and rejects the last. The journal does not
// record the rejection.
func (s *scene) gone() {
	s.t.Helper()
	for _, text := range []string{"the first of those that went elsewhere", "the second one, which is not like it"} {
		s.judge(s.document(0, text), 1)
	}
	s.document(0, "\xff")
}

// came judges two documents whose outputs are among those audited.
func (s *scene) came() {
	s.t.Helper()
	s.forward(s.document(0, "one that comes out where the audit looks"), 1)
	s.forward(s.document(0, "and something else that does so too"), 1)
}

// goneThenCame begins with a routing by which documents go elsewhere, until another one brings them here.
func (s *scene) goneThenCame(first func(*sink.Params)) {
	s.t.Helper()
	s.reroute(1, first)
	s.begin()
	s.gone()
	s.reroute(2, here)
	s.announce(0, 1, 3)
	s.came()
}

// cameThenGone is the other way round.
func (s *scene) cameThenGone() {
	s.t.Helper()
	s.reroute(1, here)
	s.begin()
	s.came()
	s.announce(0, 1, 2)
	s.reroute(2, renamed)
	s.gone()
}

// changedRoutings are histories of a routing that was changed, and what an audit of the outputs finds.
var changedRoutings = []struct {
	name string
	do   func(s *scene)
	want audit.Report
}{
	{"other outputs before", func(s *scene) { s.goneThenCame(renamed) }, audit.Report{Records: 2, Unique: 2, Elsewhere: 3}},
	{"other outputs since", (*scene).cameThenGone, audit.Report{Records: 2, Unique: 2, Elsewhere: 3}},
	{"there and back", func(s *scene) {
		s.cameThenGone()
		s.reroute(3, here)
		s.announce(0, 1, 5)
		s.forward(s.document(0, "a third text that is like none before"), 1)
	}, audit.Report{Records: 3, Unique: 3, Elsewhere: 3}},
	{"a dry run before", func(s *scene) { s.goneThenCame(dry) }, audit.Report{Records: 2, Unique: 2, Elsewhere: 3}},
	{"what is audited is a copy of the outputs in force", func(s *scene) {
		s.reroute(1, func(p *sink.Params) { p.Unique.Topic = "former" })
		s.begin()
		s.gone()
		s.reroute(2, renamed)
		s.announce(0, 1, 3)
		s.came()
	}, audit.Report{Records: 2, Unique: 2, Elsewhere: 3}},
	{"judged before, and forwarded after", func(s *scene) {
		s.reroute(1, renamed)
		s.begin()
		r := s.document(0, "one that was judged and not committed")
		v := s.judge(r, 1)
		s.reroute(2, here)
		s.output(func(dst *kgo.Record) { s.batch.Verdict(dst, r, &v) })
		s.came()
	}, audit.Report{Records: 2, Unique: 3}},
	{"judged before, and forwarded elsewhere after", func(s *scene) {
		s.reroute(1, here)
		s.begin()
		s.came()
		s.announce(0, 1, 2)
		s.judge(s.document(0, "one that was judged and not committed"), 1)
		s.reroute(2, renamed)
	}, audit.Report{Records: 2, Unique: 2, Elsewhere: 1}},
	{"lost since", func(s *scene) {
		s.goneThenCame(renamed)
		s.outputs = s.outputs[:1]
	}, audit.Report{Records: 2, Unique: 1, Elsewhere: 3, Lost: 1}},
	{"a change that came too late counts nothing", func(s *scene) {
		s.reroute(1, here)
		s.begin()
		s.reroute(1, renamed)
		s.came()
		s.outputs = s.outputs[:1]
	}, audit.Report{Records: 2, Unique: 1, Lost: 1}},
	{"one source more", func(s *scene) {
		s.reroute(1, here)
		s.begin()
		s.came()
		s.reroute(2, here, "another")
		s.outputs = s.outputs[:1]
	}, audit.Report{Records: 2, Unique: 1, Lost: 1}},
	{"set back since: they come out here", func(s *scene) {
		s.reroute(1, renamed)
		s.begin()
		s.gone()
		s.announce(0, 1, 3)
		s.reroute(2, here)
		s.reposition(0, 1, 2)
		s.forward(s.sources[1], 2)
		s.reject(s.sources[2], sink.InvalidEncoding)
	}, audit.Report{Records: 2, Unique: 1, Rejected: 1, Elsewhere: 1}},
}

func TestChangedRouting(t *testing.T) {
	for _, c := range changedRoutings {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t)
			s.append(&index.Settings{Text: settings, Wall: time.Now().UnixMilli()})
			c.do(s)
			if got := s.audit(); !sameCounts(got, c.want) {
				t.Errorf("got  %s\nwant %s", got.String(), c.want.String())
			}
		})
	}
}

// Where the journal is trimmed, nobody knows when an earlier routing ended, so what is in no output before the snapshot
// may have gone elsewhere, or be lost.
func TestTrimmedAfterAChangedRouting(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.append(&index.Settings{Text: settings, Wall: time.Now().UnixMilli()})
	s.goneThenCame(renamed)
	s.announce(0, 1, 5)
	s.reposition(1, 0, 2)
	directory := t.TempDir()
	s.snapshot(directory)
	s.trim("journal", s.replica.Next())
	s.forward(s.document(0, "a third text that is like none before"), 1)
	s.forward(s.document(0, "a fourth text, unlike those before it, which is lost"), 1)
	s.transaction(kgo.TryCommit, s.outputs[:3]...)
	in := s.inputs()
	in.Snapshots = func(ctx context.Context) (snapshot.Store, error) {
		return localdir.Params{Path: directory}.OpenExisting(ctx, "main")
	}
	if got, want := s.run(in), (audit.Report{Records: 4, Unique: 3, Unjudged: 5, Absent: 3, Lost: 1}); !sameCounts(got, want) {
		t.Errorf("got  %s\nwant %s", got.String(), want.String())
	}
}
