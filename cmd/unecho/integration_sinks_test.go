package main

import (
	"fmt"
	"testing"
	"time"

	"github.com/unecho/unecho/consumer/audit"
)

// underKills has two processes filter documents, of which one is killed again and again, and returns what the audit of
// the whole journal finds.
func (s *scene) underKills(rounds int, configuration ...string) audit.Report {
	s.t.Helper()
	s.configure(append([]string{s.inPostgres(), s.consumer(""), noOps}, configuration...)...)
	named := func(name string) *process { return s.run("--set", "consumer.member="+name) }
	victim := named("victim")
	victim.says(`"ready"`)
	journal := s.copyJournal()
	stays := named("stays")
	stays.says(`"ready"`)
	for round := range rounds {
		s.produce(2000, uint64(10+round))
		s.reaches(int64(s.total()) - 1500)
		s.produce(1000, uint64(20+round)) // so that something is left, however late it is killed
		victim.kill()
		victim = named("victim")
		s.settled()
	}
	stopAll(s.t, 30*time.Second, stays, victim)
	journal.upToDate()
	return s.audited(journal.topic)
}

// Unique documents and duplicates share a topic, and each document has a record in the topic of verdicts: each once and
// in order, though a process is killed again and again.
func TestOneTopicAndVerdictsUnderKills(t *testing.T) {
	t.Parallel()
	s := newScene(t, 6)
	report := s.underKills(3, "sink: {duplicate: none, metadata: topic}")
	if report.Verdicts != s.total() || report.Rejected == 0 {
		t.Errorf("%d documents, %s", s.total(), &report)
	}
	if topics, err := s.admin.ListTopics(s.bounded(), fmt.Sprint(s.source, ".duplicate")); err == nil && topics.Error() == nil {
		t.Error("there is a topic of duplicates")
	}
}
