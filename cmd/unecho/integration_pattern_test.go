package main

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/audit"
)

// Topics that a pattern fits come while two processes run, with documents in them before anybody has found them. Each
// time one of the processes is killed as soon as somebody takes the topic up. Every document of every topic comes out
// once.
func TestPatternTakenUpDuringKills(t *testing.T) {
	t.Parallel()
	const documents, rounds = 600, 3
	s := newScene(t, 0)
	s.configure(s.consumer(""), noOps)
	sets := []string{
		"--set", "sources.scope=topic", "--set", "sources.topics=", "--set", "sources.pattern=" + regexp.QuoteMeta(s.name) + `\.site\..+`,
		"--set", "outputs.rejected.topic=" + s.name + ".site.rejected",
	}
	member := func(name string) *process {
		return s.run(append([]string{
			"--set", "advanced.member=" + name, "--set", "snapshots.directory.path=" + filepath.Join(s.dir, name),
		}, sets...)...)
	}
	sites := map[string]int64{}
	site := func(n int) string {
		topic := fmt.Sprintf("%s.site.%d", s.name, n)
		s.site(topic, documents)
		sites[topic] = documents
		return topic
	}
	site(0)
	stays, victim := member("stays"), member("victim")
	stays.says(`"ready"`)
	victim.says(`"ready"`)
	s.committedOf(sites)
	long := s.name + ".site." + strings.Repeat("x", 243-len(s.name)-len(".site."))
	s.create(long, 1, nil) // Kafka takes this name, and none with the suffix of an output
	check(t, s.client.ProduceSync(s.bounded(), &kgo.Record{Topic: long, Value: []byte("nobody can read this")}).FirstErr())
	for round := range rounds {
		topic := site(1 + round)
		taken := `"topic":"` + topic + `","partitions":2,`
		s.until("the topic is taken up", func(context.Context) bool {
			return strings.Contains(stays.log.String(), taken) || strings.Contains(victim.log.String(), taken)
		})
		victim.kill()
		victim = member("victim")
		s.committedOf(sites)
	}
	stopAll(t, 30*time.Second, stays, victim)

	s.provenButFor(long, len(sites)*documents, append([]string{"--set", "snapshots.directory.path=" + filepath.Join(s.dir, "stays")}, sets...))
}

// provenButFor wants an audit that proves all documents, half of which are copies, but for that of a topic which nobody
// has taken up.
func (s *scene) provenButFor(untaken string, all int, sets []string) {
	s.t.Helper()
	report := s.auditLine(s.file, sets...)
	if report.Outcome != audit.Proven || report.Records != all || report.Unique != all/2 || report.Duplicate != all/2 {
		s.t.Errorf("%d documents were sent, the audit finds %+v", all, report)
	}
	if report.Pending != 1 || !slices.Equal(report.Untaken, []string{untaken}) {
		s.t.Errorf("the audit finds %+v, and one topic with one document has a name too long for outputs: %s", report, untaken)
	}
}

// site makes a topic with documents. Each second one is a copy of the one before, in the other partition.
func (s *scene) site(topic string, documents int) {
	s.t.Helper()
	s.create(topic, 2, nil)
	var records []*kgo.Record
	for i := range documents {
		n := i / 2
		text := fmt.Sprintf("report %d of all sites: %d people met in room %d on day %d, and agreed on point %d", n, n*7, n*3, n, n*11)
		records = append(records, &kgo.Record{Topic: topic, Partition: int32(i % 2), Value: []byte(text)})
	}
	for _, res := range s.client.ProduceSync(s.bounded(), records...) {
		check(s.t, res.Err)
	}
}

// committedOf waits until the group has committed as many documents of each topic.
func (s *scene) committedOf(topics map[string]int64) {
	s.t.Helper()
	s.until(fmt.Sprintf("all of %v is committed", topics), func(ctx context.Context) bool {
		offsets, err := s.admin.FetchOffsets(ctx, s.name)
		if err != nil {
			return false
		}
		for topic, n := range topics {
			sum := int64(0)
			for _, o := range offsets[topic] {
				sum += o.At
			}
			if sum < n {
				return false
			}
		}
		return true
	})
}
