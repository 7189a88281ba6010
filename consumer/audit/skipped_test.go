package audit_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/audit"
	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/routing"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/sink"
)

// Where somebody else's commits had the group leave records out, an audit names what nobody judged, and proves nothing
// until that is accepted.
func TestSkipped(t *testing.T) {
	first := func(start string) func(*scene) {
		return func(s *scene) {
			text := routing.Text([]document.Source{{Topics: []string{s.prefix + "news"}, Start: start}}, sink.DefaultParams())
			s.append(&index.Settings{Text: s.settings, Wall: time.Now().UnixMilli()})
			s.append(&index.Routing{Header: s.header(), Routes: index.Routes{Number: 1, Text: text}})
			s.document(0, "read by a guest before the group ever did")
			s.reposition(0, 1, 1)
			s.forward(s.document(0, "the first that the group has judged"), 1)
		}
	}
	for _, c := range []struct {
		name string
		from func(*testing.T) *scene
		do   func(*scene)
		want []audit.Skip
	}{
		{"set forward", story, (*scene).gap, []audit.Skip{{
			PartitionName: entry.Name("news", 1), From: 2, To: 4, Records: 2,
			Command: "kafka-consumer-groups.sh --bootstrap-server BROKER --group unecho --topic news:1 --reset-offsets --to-offset 2 --execute",
		}}},
		{"set forward, and back", story, func(s *scene) {
			s.gap()
			s.announce(1, 2, 5)
			s.reposition(1, 2, 3)
			for _, r := range s.sources[len(s.sources)-3:] {
				s.forward(r, 3)
			}
		}, nil},
		{"a guest was there first", newScene, first("earliest"), []audit.Skip{{
			PartitionName: entry.Name("news", 0), From: 0, To: 1, Records: 1,
			Command: "kafka-consumer-groups.sh --bootstrap-server BROKER --group unecho --topic news:0 --reset-offsets --to-offset 0 --execute",
		}}},
		{"a guest may have been there first, and outputs are trimmed", newScene, func(s *scene) {
			first("earliest")(s)
			s.trimmedOutput()
		}, nil},
		{"begun at the latest", newScene, first("latest"), nil},
	} {
		s := c.from(t)
		c.do(s)
		s.audit()
		in := s.inputs()
		in.Owner = "unecho"
		got := s.run(in)
		for i := range c.want {
			c.want[i].Topic = s.prefix + c.want[i].Topic
		}
		if !reflect.DeepEqual(got.Skips, c.want) || !got.OK() || (got.Outcome() == audit.Skipped) != (c.want != nil) {
			t.Errorf("%s: %s, %s\nwant skipped %+v", c.name, got.Outcome(), got.String(), c.want)
		}
		in.AcceptSkipped = true
		if got := s.run(in); got.Outcome() != audit.Proven {
			t.Errorf("%s, and accepted: %s, %s", c.name, got.Outcome(), got.String())
		}
	}
}

// trimmedOutput has an output lack what was there before.
func (s *scene) trimmedOutput() {
	s.t.Helper()
	rejected := s.prefix + "news.rejected"
	if err := s.client.ProduceSync(s.t.Context(), &kgo.Record{Topic: rejected, Value: []byte("of an earlier journal")}).FirstErr(); err != nil {
		s.t.Fatal(err)
	}
	s.trim(rejected, 1)
}

// gap has somebody with a tool set the offset beyond two documents.
func (s *scene) gap() {
	s.document(1, "skipped by someone with a tool")
	s.document(1, "and so is this one, which is not like it")
	r := s.document(1, "forwarded after the gap that was made by hand")
	s.announce(1, 1, 2)
	s.reposition(1, 4, 2)
	s.forward(r, 2)
}

// A topic that a pattern brings, and whose outputs nobody could make, has nothing to be found in outputs: what it has is
// pending. An output that is missing of a topic that was read is an error, as it was.
func TestUntaken(t *testing.T) {
	s := story(t)
	admin := kadm.NewClient(s.client)
	long, read := strings.Repeat("long", 61), "read"
	if _, err := admin.CreateTopics(t.Context(), 1, 1, nil, long, read); err != nil {
		t.Fatal(err)
	}
	s.visible(admin, long, read)
	s.produce(&kgo.Record{Topic: long, Value: []byte("nobody reads this")})
	offsets := kadm.Offsets{}
	offsets.AddOffset("news", 0, 3, -1)
	offsets.AddOffset("news", 1, 2, -1)
	offsets.AddOffset(read, 0, 0, -1)
	if err := admin.CommitAllOffsets(t.Context(), "unecho", offsets); err != nil {
		t.Fatal(err)
	}
	brought := map[string][]string{}
	for _, source := range []string{"news", long, read} {
		unique, duplicate, rejected := s.sink.Topics(source)
		brought[source] = []string{unique, duplicate, rejected}
	}
	in := s.inputs()
	in.Sources, in.Group = append(in.Sources, long), "unecho"
	var err error
	if in.Untaken, err = audit.Untaken(t.Context(), in.Options, in.Group, brought); err != nil || !slices.Equal(in.Untaken, []string{long}) {
		t.Fatalf("got %v and %v, want %s: it has no outputs, and nothing of it is committed", in.Untaken, err, long)
	}
	s.transaction(kgo.TryCommit, s.outputs...)
	if got := s.run(in); !got.OK() || got.Outcome() != audit.Proven || got.Records != 5 || got.Pending != 1 || !slices.Equal(got.Untaken, in.Untaken) {
		t.Errorf("got %s, untaken %v, want 5 records, 1 pending, and %s untaken", got.String(), got.Untaken, long)
	}
	if in.Group = ""; s.run(in).Lost != 1 {
		t.Errorf("where all is due, a topic that nobody reads has lost its document, and the audit does not say so")
	}
}
