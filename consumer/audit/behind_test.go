package audit_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/audit"
	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/routing"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/index/snapshot/localdir"
	"github.com/unecho/unecho/sink"
)

// trimHere has the journal begin with a snapshot of this moment, and returns what audits it.
func (s *scene) trimHere() audit.Inputs {
	s.t.Helper()
	directory := s.t.TempDir()
	s.snapshot(directory)
	s.trim(s.prefix+"journal", s.replica.Next())
	in := s.inputs()
	in.Snapshots = func(ctx context.Context) (snapshot.Store, error) {
		return localdir.Params{Path: directory}.OpenExisting(ctx, "main")
	}
	return in
}

// duty appends the next routing with a duty.
func (s *scene) duty(number uint32, d protocol.Duty) {
	s.t.Helper()
	text := routing.Text([]document.Source{{Topics: []string{s.prefix + "news"}, Start: "earliest"}}, sink.DefaultParams())
	s.append(&index.Routing{Header: s.header(), Routes: index.Routes{Number: number, Text: routing.WithDuty(text, &d)}})
}

// from is where a group begins to forward both partitions, or how far another one is.
func (s *scene) from(offsets ...int64) (at []protocol.Boundary) {
	for p, offset := range offsets {
		at = append(at, protocol.Boundary{Topic: s.prefix + "news", Source: s.source(int32(p)), Offset: offset})
	}
	return at
}

// several documents of partition 0 that are like no others come out.
func (s *scene) several(n int) {
	s.t.Helper()
	for range n {
		s.forward(s.document(0, strings.Repeat(fmt.Sprint("text number ", len(s.sources), " of its own kind "), 2)), 1)
	}
}

// theirs are documents of partition 0 that another group forwards, of other settings.
func (s *scene) theirs(n int) {
	s.t.Helper()
	ours := s.batch
	s.batch = sink.New(sink.DefaultParams(), "main", earlierAlgorithm).NewBatch()
	for range n {
		r := s.document(0, fmt.Sprint("document ", len(s.sources), ", which another group has forwarded"))
		s.output(func(dst *kgo.Record) { s.batch.Verdict(dst, r, &index.Verdict{Offset: r.Offset}) })
	}
	s.batch = ours
}

// brought are documents of partition 0 that the window is filled with. They come out nowhere.
func (s *scene) brought(n int) {
	s.t.Helper()
	s.append(&index.Fill{Header: s.header(), Number: 1, Plan: []byte(`{"backfill.from":"start"}`)})
	of := index.FillPart{Source: s.source(0), Name: s.prefix + "news"}
	rec := &index.Fill{Header: s.header(), Number: 1}
	for range n {
		r := s.document(0, fmt.Sprint("document ", len(s.sources), ", which is remembered and comes out nowhere"))
		e := entry.Entry{Offset: r.Offset, Time: r.Timestamp.UnixMilli()}
		s.signer.Sign(&e, r.Value)
		rec.Entries = append(rec.Entries, index.FedEntry{At: e.Time, Entry: e})
		of.Through = r.Offset + 1
	}
	rec.Parts = []index.FillPart{of}
	s.append(rec)
}

// beginAt begins partition 0 at an offset, and partition 1 at its beginning.
func (s *scene) beginAt(offset int64) {
	s.t.Helper()
	s.reposition(0, offset, 1)
	s.reposition(1, 0, 1)
}

// behind are histories at whose end the journal is trimmed. Of what was decided before, an audit says what it could
// check, and counts the rest as unjudged.
var behind = []struct {
	name string
	do   func(s *scene)
	want audit.Report
	says string
}{
	{
		"a handover", func(s *scene) {
			s.duty(1, protocol.Duty{Kind: protocol.Fills, Other: "old", OwnJournal: "journal 2"})
			s.theirs(3)
			s.duty(2, protocol.Duty{
				Kind: protocol.Forwards, Other: "old", OtherJournal: "old.journal 1", OwnJournal: "journal 2", From: s.from(3, 0),
			})
			s.beginAt(3)
			s.several(4)
			s.announce(0, 1, 7)
		},
		audit.Report{Records: 4, Unique: 7, Elsewhere: 3, Unjudged: 4},
		"4 unjudged",
	},
	{
		"a handover, and one of its documents is altered", func(s *scene) {
			s.duty(1, protocol.Duty{Kind: protocol.Fills, Other: "old", OwnJournal: "journal 2"})
			s.theirs(1)
			s.duty(2, protocol.Duty{
				Kind: protocol.Forwards, Other: "old", OtherJournal: "old.journal 1", OwnJournal: "journal 2", From: s.from(1, 0),
			})
			s.beginAt(1)
			s.several(2)
			s.announce(0, 1, 3)
			s.outputs[2].Value = nil
		},
		audit.Report{Records: 2, Unique: 3, Elsewhere: 1, Unjudged: 2, Altered: 1},
		"altered: news/0/2",
	},
	{
		"a group that took over, and has retired since", func(s *scene) {
			s.theirs(2)
			s.duty(1, protocol.Duty{
				Kind: protocol.Forwards, Other: "old", OtherJournal: "old.journal 1", OwnJournal: "journal 2", From: s.from(2, 0),
			})
			s.beginAt(2)
			s.several(2)
			s.announce(0, 1, 4)
			s.duty(2, protocol.Duty{
				Kind: protocol.Retired, Other: "old", OtherJournal: "old.journal 1", OwnJournal: "journal 2", From: s.from(2, 0),
				PreviousGroup: "old", PreviousJournal: "old.journal 1", Seen: s.from(4, 0),
			})
		},
		audit.Report{Records: 2, Unique: 4, Elsewhere: 2, Unjudged: 2},
		"2 unjudged",
	},
	{
		"a group that a person filled", func(s *scene) {
			s.duty(1, protocol.Duty{Kind: protocol.Fills, OwnJournal: "journal 2"})
			s.brought(2)
			s.duty(2, protocol.Duty{Kind: protocol.Forwards, OwnJournal: "journal 2", From: s.from(2, 0)})
			s.beginAt(2)
			s.several(3)
			s.announce(0, 1, 5)
		},
		audit.Report{Records: 3, Unique: 3, Elsewhere: 2, Unjudged: 3},
		"3 unjudged",
	},
	{
		"a backfill that goes on live", func(s *scene) {
			text := routing.Text([]document.Source{{Topics: []string{"news"}, Start: "earliest"}}, sink.DefaultParams())
			plan := protocol.Plan{Fixed: 1_700_000_000_000, From: "start", To: "end", Ranges: []protocol.Range{
				{Topic: "news", Source: s.source(0), From: 0, To: 3}, {Topic: "news", Source: s.source(1), From: 0, To: 0},
			}}
			s.append(&index.Routing{Header: s.header(), Routes: index.Routes{Number: 1, Text: routing.WithPlan(text, &plan)}})
			s.begin()
			s.several(3)
			s.announce(0, 1, 3)
			s.reroute(2, here)
			s.several(2)
			s.announce(0, 1, 5)
		},
		audit.Report{Records: 5, Unique: 5, Unjudged: 5},
		"5 unjudged",
	},
	{
		"a changed routing, and documents in no output", func(s *scene) {
			s.goneThenCame(renamed)
			s.announce(0, 1, 5)
		},
		audit.Report{Records: 2, Unique: 2, Unjudged: 5, Absent: 3},
		"5 unjudged, 3 of them in no output",
	},
	{
		"one routing, and a document is lost", func(s *scene) {
			s.reroute(1, here)
			s.begin()
			s.several(3)
			s.announce(0, 1, 3)
			s.outputs = s.outputs[1:]
		},
		audit.Report{Records: 3, Unique: 2, Unjudged: 3, Lost: 1},
		"lost: news/0/0",
	},
	{
		"offsets that were set beyond some", func(s *scene) {
			s.begin()
			s.several(2)
			s.announce(0, 1, 2)
			s.document(0, "skipped by a person with a tool")
			s.reposition(0, 3, 2)
			s.forward(s.document(0, "what came behind that"), 2)
			s.announce(0, 2, 4)
		},
		audit.Report{Records: 3, Unique: 3, Unjudged: 4, Absent: 1},
		"4 unjudged, 1 of them in no output",
	},
}

func TestBehindATrimmedJournal(t *testing.T) {
	for _, c := range behind {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t)
			s.append(&index.Settings{Text: settings, Wall: time.Now().UnixMilli()})
			c.do(s)
			in := s.trimHere()
			s.transaction(kgo.TryCommit, s.outputs...)
			got := s.run(in)
			c.want.From = got.From
			if !sameCounts(got, c.want) || !strings.Contains(got.String(), c.says) {
				t.Errorf("got  %s\nwant %s\n  with %s", got.String(), c.want.String(), c.says)
			}
		})
	}
}

// Offsets that were set back have documents come out twice, and not always with the same verdict: what was unique may be
// a copy of what was judged before it this time. Which of the two an output is of is not known where the journal is
// trimmed, so its order is not judged. All the rest is.
func TestSetBackAndTrimmed(t *testing.T) {
	for _, c := range []struct {
		name     string
		verdicts string
		do       func(s *scene)
		want     audit.Report
	}{
		{"as it should be", "", func(*scene) {}, audit.Report{}},
		{"with a topic of verdicts", "{source}.verdicts", func(*scene) {}, audit.Report{Verdicts: 14}},
		{"one is in no output", "", func(s *scene) {
			s.outputs = slices.Delete(slices.Delete(s.outputs, 12, 13), 2, 3) // both of news/0/2
		}, audit.Report{Lost: 1}},
		{"one is altered", "", func(s *scene) { s.outputs[13].Value = nil }, audit.Report{Altered: 1}},
		{"one says what no output says", "", func(s *scene) {
			set(s.outputs[12], "unecho-similarity", "95 %")
		}, audit.Report{Different: 1}},
		{"those that were unique twice are out of their order", "", func(s *scene) {
			s.outputs[10], s.outputs[11] = s.outputs[11], s.outputs[10] // news/0/0 and news/0/1, the second time
		}, audit.Report{Misordered: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t)
			s.sink.Verdicts.Topic = c.verdicts
			s.reset()
			s.begin()
			s.twice()
			in := s.trimHere()
			c.do(s)
			s.transaction(kgo.TryCommit, append(s.outputs, s.tales...)...)
			got := s.run(in)
			c.want.From, c.want.Records, c.want.Unjudged = got.From, 7, 7
			c.want.Unique, c.want.Duplicate = got.Unique, got.Duplicate
			if !sameCounts(got, c.want) {
				t.Errorf("got  %s\nwant %s", got.String(), c.want.String())
			}
		})
	}
}

// twice has documents come out, and again after the offsets were set back. Outputs 0 to 3 are of partition 0, 4 to 6 of
// partition 1; then come 7 to 9 of partition 1, and 10 to 13 of partition 0. Two documents of each partition are alike:
// the one that is judged first is unique.
func (s *scene) twice() {
	s.t.Helper()
	alike := []string{"a text of some length, of which there are two in all", "and yet another that stands there two times"}
	for _, text := range append([]string{"the first is like no other", "and so is what is said in the second"}, alike...) {
		s.forward(s.document(0, text), 1)
	}
	for _, text := range append(alike, "this one is there only once, whoever looks for it") {
		s.forward(s.document(1, text), 1)
	}
	s.announce(0, 1, 4)
	s.announce(1, 1, 3)
	s.reposition(0, 0, 2)
	s.reposition(1, 0, 2)
	for _, r := range append(slices.Clone(s.sources[4:]), s.sources[:4]...) {
		s.forward(r, 2)
	}
	s.announce(0, 2, 4)
	s.announce(1, 2, 3)
}
