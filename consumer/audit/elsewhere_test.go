package audit_test

import (
	"context"
	"slices"
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

// Where the routing changed where documents go, and not where verdicts or clusters go, these have records about what went
// elsewhere. They are held against the journal.
func TestRecordsOfWhatWentElsewhere(t *testing.T) {
	older := func(p *sink.Params) { p.Duplicate.Topic, p.Rejected.Topic = "old.duplicate", "old.rejected" }
	drops := func(p *sink.Params) { p.Duplicate.Drop = true }
	both := func(p *sink.Params) { grouping(p); p.Verdicts.Topic = "{source}.verdicts" }
	for name, c := range map[string]struct {
		first, now func(*sink.Params)
		harm       func(s *scene)
		doubled    int
		different  int
	}{
		"other topics before":   {older, here, func(*scene) {}, 0, 0},
		"dropped since":         {here, drops, func(*scene) {}, 0, 0},
		"dropped before":        {drops, here, func(*scene) {}, 0, 0},
		"refused elsewhere":     {older, here, func(s *scene) { s.groups, s.tales = nil, s.tales[:2] }, 0, 0},
		"a cluster twice":       {older, here, func(s *scene) { s.groups = append(s.groups, s.groups[1]) }, 1, 0},
		"another count":         {older, here, func(s *scene) { s.regroup(1, `"copies":2`, `"copies":3`) }, 0, 1},
		"a verdict twice":       {older, here, func(s *scene) { s.tales = append(s.tales, s.tales[3]) }, 1, 0},
		"a rejection twice":     {older, here, func(s *scene) { s.tales = append(s.tales, s.tales[4]) }, 1, 0},
		"another copy":          {older, here, func(s *scene) { s.replace(3, `"copy":3`, `"copy":4`) }, 1, 0},
		"a verdict of a unique": {older, here, func(s *scene) { s.replace(3, `"verdict":"duplicate"`, `"verdict":"unique"`) }, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t)
			both(&s.sink)
			s.reset()
			s.append(&index.Settings{Text: settings, Wall: 1})
			s.reroute(1, func(p *sink.Params) { both(p); c.first(p) })
			s.tell()
			s.announce(0, 1, 3)
			s.announce(1, 1, 2)
			s.reroute(2, func(p *sink.Params) { both(p); c.now(p) })
			c.now(&s.sink)
			s.outputs = slices.DeleteFunc(s.outputs, func(r *kgo.Record) bool {
				return r.Topic == "news.duplicate" || name != "dropped since" && name != "dropped before" && r.Topic == "news.rejected"
			})
			c.harm(s)
			if got := s.audit(); got.Doubled != c.doubled || got.Different != c.different || got.Broken() != c.doubled+c.different {
				t.Errorf("got %s, want %d doubled, %d different", got.String(), c.doubled, c.different)
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

// succession is a service whose journal was replaced, as change.md says, to change its settings. The outputs of the
// first three records are of the earlier journal, and the group went on behind them.
func succession(t *testing.T, algorithm, name string) *scene {
	t.Helper()
	s := newScene(t)
	s.batch = sink.New(sink.DefaultParams(), name, algorithm).NewBatch()
	for _, text := range []string{
		"decided by an earlier journal", "and so was this one",
		"and the last of its partition",
	} {
		r := s.document(0, text)
		s.output(func(dst *kgo.Record) { s.batch.Verdict(dst, r, &index.Verdict{Offset: r.Offset}) })
	}
	s.outputs[1] = s.reject(s.sources[1], sink.Empty)
	s.outputs = s.outputs[:3]
	s.batch = s.newBatch()
	s.append(&index.Settings{Text: settings, Wall: time.Now().UnixMilli()})
	s.reposition(0, 3, 1)
	s.forward(s.document(0, "the first of the new journal"), 1)
	return s
}

// setBack sets the offsets back to what the earlier journal has decided, which comes out again.
func setBack(t *testing.T, algorithm string) *scene {
	t.Helper()
	s := succession(t, algorithm, "main")
	s.announce(0, 1, 4)
	s.reposition(0, 1, 2)
	s.reject(s.sources[1], sink.Empty)
	s.forward(s.sources[2], 2)
	s.forward(s.sources[3], 2)
	return s
}

const earlierAlgorithm = "minhash/1:0123456789abcdef"

func TestEarlierJournal(t *testing.T) {
	for _, c := range []struct {
		name string
		s    func(t *testing.T) *scene
		want audit.Report
	}{
		{"other settings", func(t *testing.T) *scene { return succession(t, earlierAlgorithm, "main") }, audit.Report{Records: 1, Unique: 3, Rejected: 1, Earlier: 3}},
		{"another index", func(t *testing.T) *scene { return succession(t, algorithm, "old") }, audit.Report{Records: 1, Unique: 3, Rejected: 1, Earlier: 3}},
		{"the same settings, for the journal was lost", func(t *testing.T) *scene { return succession(t, algorithm, "main") }, audit.Report{Records: 1, Unique: 3, Rejected: 1, Earlier: 3}},
		{"what it altered is found", func(t *testing.T) *scene {
			s := succession(t, earlierAlgorithm, "main")
			s.outputs[0].Value = []byte("something else")
			return s
		}, audit.Report{Records: 1, Unique: 3, Rejected: 1, Earlier: 3, Altered: 1}},
		{"what the new journal began may not be of the earlier one", func(t *testing.T) *scene {
			s := succession(t, earlierAlgorithm, "main")
			set(s.outputs[3], "unecho-algorithm", earlierAlgorithm)
			return s
		}, audit.Report{Records: 1, Unique: 3, Rejected: 1, Earlier: 3, Different: 1}},
		{"set back behind the beginning: the earlier outputs are no second ones", func(t *testing.T) *scene { return setBack(t, earlierAlgorithm) }, audit.Report{Records: 3, Unique: 5, Rejected: 2, Earlier: 3}},
		{"the same by settings that did not change", func(t *testing.T) *scene { return setBack(t, algorithm) }, audit.Report{Records: 3, Unique: 5, Rejected: 2, Earlier: 3}},
		{"set back, and one is lost", func(t *testing.T) *scene {
			s := succession(t, earlierAlgorithm, "main")
			s.announce(0, 1, 4)
			s.reposition(0, 1, 2)
			s.reject(s.sources[1], sink.Empty)
			s.judge(s.sources[2], 2)
			s.forward(s.sources[3], 2)
			return s
		}, audit.Report{Records: 3, Unique: 4, Rejected: 2, Earlier: 3, Lost: 1}},
		{"of a partition that the new journal has not begun", func(t *testing.T) *scene {
			s := succession(t, earlierAlgorithm, "main")
			r := s.document(1, "nobody has read this partition since")
			s.batch = sink.New(sink.DefaultParams(), "main", earlierAlgorithm).NewBatch()
			s.output(func(dst *kgo.Record) { s.batch.Verdict(dst, r, &index.Verdict{}) })
			return s
		}, audit.Report{Records: 1, Unique: 4, Rejected: 1, Earlier: 4}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := c.s(t).audit(); !sameCounts(got, c.want) {
				t.Errorf("got  %s\nwant %s", got.String(), c.want.String())
			}
		})
	}
}

// The outcome claims no more than the audit could check.
func TestOutcome(t *testing.T) {
	for _, c := range []struct {
		report audit.Report
		want   audit.Outcome
	}{
		{audit.Report{}, audit.Nothing},
		{audit.Report{Pending: 9, Unique: 3, Earlier: 3}, audit.Nothing},
		{audit.Report{Altered: 1}, audit.Broken},
		{audit.Report{Records: 34, Unjudged: 34}, audit.Delivered},
		{audit.Report{Records: 35, Unjudged: 34}, audit.Partly},
		{audit.Report{Records: 34}, audit.Proven},
		{audit.Report{Records: 34, Lost: 1}, audit.Broken},
	} {
		if got := c.report.Outcome(); got != c.want {
			t.Errorf("%s: got %s, want %s", c.report.String(), got, c.want)
		}
	}
}
