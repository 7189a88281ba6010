package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer/audit"
	"github.com/unecho/unecho/consumer/backfill"
	"github.com/unecho/unecho/consumer/document"
)

// patience bounds every wait of the integration tests: what takes longer does not happen.
const patience = 2 * time.Minute

// scene is a group with topics of its own on a real Kafka, and a configuration file that all its processes share.
type scene struct {
	t      *testing.T
	name   string // of the group, and the prefix of all topics
	dir    string
	file   string // the configuration
	source string
	// brokers is what processes are told of kafka: addresses, and how to reach them.
	brokers string
	kafka   []kgo.Opt
	client  *kgo.Client
	admin   *kadm.Client
	sent    map[int32]int64 // records per partition of the source
	// valued makes of a text the value that an author writes; nil: the text is it.
	valued func(text []byte) []byte
	all    []*process
}

// newScene makes a source topic. The configuration is still to be written.
func newScene(t *testing.T, partitions int32) *scene {
	t.Helper()
	brokers := os.Getenv("UNECHO_TEST_KAFKA")
	if brokers == "" {
		t.Skip("needs Kafka: set UNECHO_TEST_KAFKA to host:port, or run make test")
	}
	return newSceneAt(t, partitions, brokers)
}

// newSceneAt is newScene on a Kafka of the test's own.
func newSceneAt(t *testing.T, partitions int32, brokers string) *scene {
	t.Helper()
	s := &scene{t: t, name: fmt.Sprintf("it-%x", rand.Uint64()), dir: t.TempDir(), sent: map[int32]int64{}}
	s.brokers = "[" + brokers + "]"
	s.file, s.source = filepath.Join(s.dir, "unecho.yaml"), s.name+".news"
	s.kafka = []kgo.Opt{kgo.SeedBrokers(strings.Split(brokers, ",")...), kgo.MetadataMinAge(50 * time.Millisecond)}
	s.client = s.connect(kgo.DefaultProduceTopic(s.source), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	s.admin = kadm.NewClient(s.client)
	if partitions > 0 {
		s.create(s.source, partitions, nil)
	}
	t.Cleanup(s.remove)
	return s
}

// remove deletes the scene's topics and its groups, those of its backfills too.
func (s *scene) remove() {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	topics, err := s.admin.ListTopics(ctx)
	check(s.t, err)
	for _, name := range topics.Names() {
		if strings.Contains(name, s.name) {
			_, err := s.admin.DeleteTopic(ctx, name)
			check(s.t, err)
		}
	}
	groups, err := s.admin.ListGroups(ctx)
	check(s.t, err)
	for _, name := range groups.Groups() {
		if strings.HasPrefix(name, backfill.Prefix) && strings.Contains(name, s.name) {
			_, err := s.admin.DeleteGroups(ctx, name) // one with a process that was killed stays until that is noticed
			check(s.t, err)
		}
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// bounded is the test's context, which also ends when the test's patience does.
func (s *scene) bounded() context.Context {
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	s.t.Cleanup(cancel)
	return ctx
}

func (s *scene) connect(opts ...kgo.Opt) *kgo.Client {
	s.t.Helper()
	client, err := kgo.NewClient(append(append([]kgo.Opt{}, s.kafka...), opts...)...)
	check(s.t, err)
	s.t.Cleanup(client.Close)
	return client
}

func (s *scene) create(topic string, partitions int32, configs map[string]*string) {
	s.t.Helper()
	_, err := s.admin.CreateTopic(s.bounded(), partitions, -1, configs, topic)
	check(s.t, err)
	s.until("topic "+topic+" can be seen", func(ctx context.Context) bool {
		s.client.ForceMetadataRefresh()
		topics, err := s.admin.ListTopics(ctx, topic)
		return err == nil && len(topics[topic].Partitions) == int(partitions)
	})
}

// deletes deletes a topic, and waits until it is gone.
func (s *scene) deletes(topic string) {
	s.t.Helper()
	_, err := s.admin.DeleteTopic(s.bounded(), topic)
	check(s.t, err)
	s.until("topic "+topic+" is gone", func(ctx context.Context) bool {
		topics, err := s.admin.ListTopics(ctx, topic)
		return err == nil && !topics.Has(topic)
	})
}

// until waits for what only asking again and again can tell.
func (s *scene) until(what string, is func(context.Context) bool) {
	s.t.Helper()
	ctx := s.bounded()
	tick := time.NewTicker(25 * time.Millisecond)
	defer tick.Stop()
	for !is(ctx) {
		for _, p := range s.all {
			if p.endedUnasked() {
				s.t.Fatalf("waited until %s, but a process has ended: %v", what, p.err)
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			s.t.Fatalf("waited in vain until %s", what)
		}
	}
}

// configure writes the configuration file: what all scenes share, and more.
func (s *scene) configure(more ...string) {
	s.t.Helper()
	lines := append([]string{"kafka: {brokers: " + s.brokers + "}", "log: {format: json}"}, more...)
	if !slices.ContainsFunc(more, func(line string) bool { return strings.HasPrefix(line, "sources: ") }) {
		lines = append(lines, s.sources(""))
	}
	if !slices.ContainsFunc(more, func(line string) bool { return strings.HasPrefix(line, "group: ") }) {
		lines = append(lines, s.consumer(""))
	}
	check(s.t, os.WriteFile(s.file, []byte(strings.Join(lines, "\n")+"\n"), 0o600))
}

// sources is the configuration's list of that name, with one; more is inside of it.
func (s *scene) sources(more string) string {
	return "sources: [{topics: [" + s.source + "], reject: [empty, missing_field]" + more + "}]"
}

// consumer is the configuration's group; more is inside of the section advanced.
func (s *scene) consumer(more string) string {
	group := "group: " + s.name
	if more == "" {
		return group
	}
	return group + "\nadvanced: {" + more + "}"
}

// inDirectory keeps snapshots in a directory of the scene.
func (s *scene) inDirectory() string {
	return "snapshots: {directory: {path: " + filepath.Join(s.dir, "snapshots") + "}, every: 1s}"
}

// ownOutputs are topics that are named after the scene.
func (s *scene) ownOutputs() string {
	return "outputs: {unique: {topic: " + s.name + ".unique}, duplicate: {topic: " + s.name + ".duplicate}, rejected: {topic: " +
		s.name + ".rejected}}"
}

const noOps = "http: {listen: ''}"

// committed sums the group's committed offsets of the source.
func (s *scene) committed(ctx context.Context) (sum int64, by map[int32]int64) {
	by = map[int32]int64{}
	offsets, err := s.admin.FetchOffsets(ctx, s.name)
	if err != nil {
		return 0, by
	}
	offsets.Each(func(o kadm.OffsetResponse) {
		if o.Topic == s.source && o.Err == nil {
			by[o.Partition] = o.At
			sum += o.At
		}
	})
	return sum, by
}

// reaches waits until the group has committed n records, and returns how many it has.
func (s *scene) reaches(n int64) (sum int64) {
	s.t.Helper()
	s.until(fmt.Sprintf("%d records are committed", n), func(ctx context.Context) bool {
		sum, _ = s.committed(ctx)
		return sum >= n
	})
	return sum
}

// settled waits until everything that was sent is committed.
func (s *scene) settled() {
	s.t.Helper()
	var by map[int32]int64
	done := func(ctx context.Context) bool {
		_, by = s.committed(ctx)
		for p, end := range s.sent {
			if by[p] < end {
				return false
			}
		}
		return true
	}
	s.until(fmt.Sprintf("all of %v is committed", s.sent), done)
}

// members waits until the group has n members, each with its share of the partitions, and returns the partitions by
// instance.
func (s *scene) members(n, partitions int) map[string][]int32 {
	s.t.Helper()
	var by map[string][]int32
	s.until(fmt.Sprintf("%d members share %d partitions", n, partitions), func(ctx context.Context) bool {
		groups, err := s.admin.DescribeGroups(ctx, s.name)
		group := groups[s.name]
		if err != nil || group.State != "Stable" || len(group.Members) != n {
			return false
		}
		by = map[string][]int32{}
		given := 0
		for _, m := range group.Members {
			if m.InstanceID == nil {
				return false
			}
			assigned, _ := m.Assigned.AsConsumer()
			for _, t := range assigned.Topics {
				by[*m.InstanceID] = append(by[*m.InstanceID], t.Partitions...)
				given += len(t.Partitions)
			}
		}
		return given == partitions
	})
	return by
}

func (s *scene) partitions() kadm.PartitionDetails {
	topics, err := s.admin.ListTopics(s.bounded(), s.source)
	check(s.t, err)
	return topics[s.source].Partitions
}

func (s *scene) send(records ...*kgo.Record) {
	s.t.Helper()
	for _, res := range s.client.ProduceSync(s.bounded(), records...) {
		check(s.t, res.Err)
		s.sent[res.Record.Partition] = max(s.sent[res.Record.Partition], res.Record.Offset+1)
	}
}

func (s *scene) total() (n int) {
	for _, end := range s.sent {
		n += int(end)
	}
	return n
}

// audited holds source, journal and outputs against the twin, and demands each document. journal is the topic to read
// it from.
func (s *scene) audited(journal string) audit.Report {
	s.t.Helper()
	report := s.audit(journal)
	if report.Records != s.total() {
		s.t.Errorf("%d documents were sent, and the audit finds %s", s.total(), &report)
	}
	return report
}

// audit is audited where documents were skipped.
func (s *scene) audit(journal string) audit.Report {
	s.t.Helper()
	c, err := config.Load(s.file, nil, nil)
	check(s.t, err)
	settings := c.Settings()
	began := time.Now()
	report, err := audit.Run(s.bounded(), audit.Inputs{
		Options: s.kafka, Sources: document.Named(c.Sources), Journal: journal, Outputs: c.Sink.Topics, Verdicts: c.Sink.VerdictsTopic,
		Clusters:      c.Sink.ClustersTopic,
		JournalParams: c.Journal, Params: c.Judge, Settings: settings, Index: c.Consumer.Group,
		Owner: s.name, ProducerTime: journal != s.name+".journal", // a copy carries the time that was stamped
	})
	check(s.t, err)
	s.t.Logf("audited in %v: %s", time.Since(began).Round(time.Millisecond), &report)
	if !report.OK() {
		s.t.Errorf("the audit finds %s", &report)
	}
	if report.Unique == 0 || report.Duplicate+report.Dropped == 0 {
		s.t.Error("a test without unique documents and duplicates shows little")
	}
	return report
}
