package consumer

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/unecho/unecho/consumer/backfill"
	"github.com/unecho/unecho/index/snapshot"
)

const permissionsFile = "../deploy/docs/permissions.md"

// right is one operation on one resource, in the form of the table of permissions.
type right struct {
	resource, name, operation string
	prefixed                  bool
}

func (r right) String() string { return r.operation + " on " + r.resource + " " + r.name }

func (r right) acl(t *testing.T) kfake.ACL {
	t.Helper()
	acl := kfake.ACL{Name: r.name, Pattern: kmsg.ACLResourcePatternTypeLiteral, Allow: true}
	var err error
	if acl.Resource, err = kmsg.ParseACLResourceType(strings.ReplaceAll(r.resource, " ", "")); err != nil {
		t.Fatalf("the right %v names no resource type: %v", r, err)
	}
	if acl.Operation, err = kmsg.ParseACLOperation(r.operation); err != nil {
		t.Fatalf("the right %v names no operation: %v", r, err)
	}
	if r.prefixed {
		acl.Pattern = kmsg.ACLResourcePatternTypePrefixed
	}
	return acl
}

// permissions returns the sections about the service and about backfills.
func permissions(t *testing.T) (service, backfills string) {
	t.Helper()
	text, err := os.ReadFile(permissionsFile)
	if err != nil {
		t.Fatal(err)
	}
	kafka, others, ok := strings.Cut(string(text), "## PostgreSQL")
	_, backfills, also := strings.Cut(others, "## Backfills")
	if !ok || !also {
		t.Fatal("no sections about PostgreSQL and backfills")
	}
	return kafka, backfills
}

// listed returns the rights of the service's table.
func listed(t *testing.T) []right {
	t.Helper()
	service, _ := permissions(t)
	return rightsIn(t, service)
}

// rightsIn returns the rights of the table of a section.
func rightsIn(t *testing.T, section string) []right {
	t.Helper()
	name := regexp.MustCompile("`([^`]+)`")
	var rights []right
	for line := range strings.Lines(section) {
		cells := strings.Split(line, "|")
		if len(cells) != 6 || !name.MatchString(cells[2]) {
			continue
		}
		for _, n := range name.FindAllStringSubmatch(cells[2], -1) {
			for op := range strings.SplitSeq(cells[3], ",") {
				rights = append(rights, right{
					resource: strings.TrimSpace(cells[1]), name: n[1], operation: strings.TrimSpace(op),
					prefixed: strings.Contains(cells[2], "prefix "),
				})
			}
		}
	}
	if len(rights) < 10 {
		t.Fatalf("only %d rights in %s: is it still a table?", len(rights), permissionsFile)
	}
	return rights
}

// granted returns the rights that the commands beside the table grant.
func granted(section string) []right {
	var rights []right
	text := strings.ReplaceAll(section, "\\\n", " ")
	for line := range strings.Lines(text) {
		words, ok := strings.CutPrefix(line, "acls --")
		if !ok {
			continue
		}
		var on, operations []right
		prefixed := false
		fields := strings.Fields("--" + words)
		for flag, value := range pairs(fields) {
			switch flag {
			case "--operation":
				operations = append(operations, right{operation: value})
			case "--resource-pattern-type":
				prefixed = value == "prefixed"
			default:
				on = append(on, right{resource: strings.ReplaceAll(strings.TrimPrefix(flag, "--"), "-", " "), name: value})
			}
		}
		for _, r := range on {
			for _, o := range operations {
				rights = append(rights, right{resource: r.resource, name: r.name, operation: o.operation, prefixed: prefixed})
			}
		}
	}
	return rights
}

func pairs(words []string) func(func(string, string) bool) {
	return func(yield func(string, string) bool) {
		for i := 0; i+1 < len(words); i += 2 {
			if !yield(words[i], words[i+1]) {
				return
			}
		}
	}
}

// The commands grant what the table lists, no less and no more.
func TestPermissionCommands(t *testing.T) {
	service, backfills := permissions(t)
	for _, section := range []string{service, backfills} {
		grantsWhatItLists(t, section)
	}
}

func grantsWhatItLists(t *testing.T, section string) {
	t.Helper()
	want, got := rightsIn(t, section), granted(section)
	for _, r := range want {
		if !slices.Contains(got, r) {
			t.Errorf("no command grants %v", r)
		}
	}
	for _, r := range got {
		if !slices.Contains(want, r) {
			t.Errorf("a command grants %v, which the table does not list", r)
		}
	}
}

// With the rights of the table the service can do everything: it creates its topics, forwards to each of them, adds
// partitions, takes snapshots, trims the journal, drains, and comes back from its snapshot.
func TestPermissionsSuffice(t *testing.T) {
	t.Parallel()
	g := newGuarded(t, listed(t))
	for round := range 2 {
		g.fill()
		m := g.start(g.unprivileged)
		g.settled()
		g.becomes("the journal is trimmed", func() bool { return g.journalStart() > 0 })
		g.widen("news", round+2)
		g.becomes("the outputs are widened", func() bool {
			return len(g.cluster.PartitionInfos("news.unique"))+len(g.cluster.PartitionInfos("news.duplicate"))+
				len(g.cluster.PartitionInfos("news.rejected")) == 3*(round+2)
		})
		if err := m.stop(); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
	}
	for topic, n := range map[string]int{"news.unique": 1, "news.duplicate": 3, "news.rejected": 2} {
		if got := len(g.outputs(topic, n)); got != n {
			t.Errorf("%d records in %s, want %d", got, topic, n)
		}
	}
	if g.refusals.first != "" {
		t.Errorf("refused: %s", g.refusals.first)
	}
}

// With the rights of their own table backfills load files, fix a range, replay it, are looked at and removed.
func TestPermissionsOfABackfill(t *testing.T) {
	t.Parallel()
	_, section := permissions(t)
	g := newGuarded(t, rightsIn(t, section))
	g.fill()
	j := backfill.Job{
		Kafka: g.as("unecho", "u"), Name: "repair", Group: backfill.GroupOf("repair"),
		Journal: backfill.JournalOf("repair"),
	}
	loader, err := backfill.NewLoader(g.context(), backfill.LoadParams{
		Kafka: j.Kafka, Name: j.Name, Topic: backfill.FilesOf(j.Name), MaxRecordBytes: 1 << 20,
		Logger: zerolog.New(g.refusals),
	})
	if err == nil {
		err = errors.Join(loader.Add(g.context(), &backfill.Document{Place: "a:1", Value: []byte("a text")}),
			loader.Finish(g.context()), loader.Close(g.context()))
	}
	if err != nil {
		t.Fatal(err)
	}
	// the topic of files keeps its documents for ever
	for i, topics := range [][]string{{backfill.FilesOf("repair")}, {"news"}} {
		plan, err := backfill.Fix(g.context(), j.Kafka,
			backfill.Request{Topics: topics, From: backfill.Start(), To: backfill.End()}, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		group := fmt.Sprint(j.Group, i)
		m := g.launch(job(group, plan), g.unprivileged, func(s *Setup) {
			s.Sources[0].Topics = topics
			s.Sink.Unique.Topic, s.Sink.Duplicate.Topic, s.Sink.Rejected.Topic = "news.backfill.u", "news.backfill.d", "news.backfill.r"
		})
		g.await(fmt.Sprintf("the backfill of %v ends", topics), m.ended)
		if p := m.Backfill(); m.err != nil || !p.Finished || p.Tally.Documents() == 0 {
			t.Fatalf("the backfill of %v ends with progress %+v, error %v; want it finished, with documents", topics, p, m.err)
		}
	}
	all, err := backfill.List(g.context(), j.Kafka)
	if err != nil || len(all) != 3 {
		t.Errorf("listed are %+v, %v", all, err)
	}
	for _, l := range all {
		if _, err := backfill.Remove(g.context(), j.Kafka, l.Name, func(context.Context) error { return nil },
			func([]string) {}); err != nil {
			t.Error(err)
		}
	}
	if left, err := backfill.List(g.context(), j.Kafka); err != nil || len(left) > 0 {
		t.Errorf("left are %+v, %v", left, err)
	}
	if g.refusals.first != "" {
		t.Errorf("refused: %s", g.refusals.first)
	}
}

// If the topics exist already, nothing needs to be created.
func TestPermissionsWithoutCreate(t *testing.T) {
	t.Parallel()
	rights := slices.DeleteFunc(listed(t), func(r right) bool { return r.operation == "Create" || r.operation == "Alter" })
	g := newGuarded(t, rights)
	maker := g.start()
	g.becomes("ready", maker.Ready)
	g.ended(maker)
	g.works()
}

// A dry run needs nothing on the outputs.
func TestPermissionsOfADryRun(t *testing.T) {
	t.Parallel()
	rights := slices.DeleteFunc(listed(t), func(r right) bool { return strings.HasPrefix(r.name, "news.") })
	g := newGuarded(t, rights)
	g.setup.Sink.DryRun = true
	g.works()
}

// Without trimming, nothing needs to be deleted.
func TestPermissionsWithoutTrimming(t *testing.T) {
	t.Parallel()
	rights := slices.DeleteFunc(listed(t), func(r right) bool { return r.operation == "Delete" })
	g := newGuarded(t, rights)
	g.setup.Snapshot.For = snapshot.ByMember
	g.works()
}

// Each right of the table is needed, and a missing one is reported: by the error that the service ends with, or by a
// warning. Describe, the least right there is, takes its place, so that Read and Write are shown to be needed for
// themselves.
func TestEachPermissionIsNeeded(t *testing.T) {
	for _, missing := range listed(t) {
		t.Run(fmt.Sprint(missing), func(t *testing.T) {
			t.Parallel()
			rights := slices.DeleteFunc(listed(t), func(r right) bool { return r == missing })
			least := missing
			least.operation = "Describe"
			g := newGuarded(t, append(rights, least))
			g.fill()
			m := g.launch(g.unprivileged)
			if missing.operation == "Alter" {
				g.settled()
				g.widen("news", 2)
			}
			limit, cancel := context.WithTimeout(context.Background(), 20*time.Second)
			defer cancel()
			select {
			case <-m.ended:
				t.Logf("ended: %v", m.err)
				if m.err == nil || !strings.Contains(m.err.Error(), "AUTHORIZATION_FAILED") {
					t.Errorf("it ended with: %v", m.err)
				}
			case <-g.refusals.met:
				t.Logf("said: %s", g.refusals.first)
			case <-limit.Done():
				t.Error("nobody noticed")
			}
		})
	}
}
