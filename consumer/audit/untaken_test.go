package audit_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/audit"
)

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
