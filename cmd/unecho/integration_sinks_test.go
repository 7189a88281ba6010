package main

import (
	"bytes"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/unecho/unecho/consumer/audit"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/sink"
)

// underKills has two processes filter documents, of which one is killed again and again, and returns what the audit of
// the whole journal finds. When is source.when; empty: all documents are checked.
func (s *scene) underKills(rounds int, when string, configuration ...string) audit.Report {
	s.t.Helper()
	s.configure(append([]string{s.inPostgres(), s.consumer(""), noOps}, configuration...)...)
	if when != "" {
		written, err := os.ReadFile(s.file)
		check(s.t, err)
		topics := "topics: [" + s.source + "]"
		check(s.t, os.WriteFile(s.file, bytes.Replace(written, []byte(topics), []byte(topics+", when: "+when), 1), 0o600))
	}
	journal := s.copyJournal()
	named := func(name string) *process { return s.run("--set", "consumer.member="+name) }
	victim := named("victim")
	victim.says(`"ready"`)
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
	report := s.underKills(3, "", "sink: {duplicate: none, metadata: topic}")
	if report.Verdicts != s.total() || report.Rejected == 0 {
		t.Errorf("%d documents, %s", s.total(), &report)
	}
	if topics, err := s.admin.ListTopics(s.bounded(), fmt.Sprint(s.source, ".duplicate")); err == nil && topics.Error() == nil {
		t.Error("there is a topic of duplicates")
	}
}

// What conditions leave unchecked comes out as unique, each once and in order, though a process is killed again and
// again. It is what they say, and nothing else.
func TestConditionsUnderKills(t *testing.T) {
	t.Parallel()
	s := newScene(t, 6)
	report := s.underKills(2, "['header:lang = en', 'size >= 416']", "sink: {metadata: topic}")
	unchecked, wrong := 0, 0
	for _, output := range []string{".unique", ".duplicate"} {
		err := topic.ReadSpan(s.bounded(), s.kafka, s.source+output, topic.Span{}, func(r *topic.Record) error {
			small := len(r.Value) < 416
			if small {
				unchecked++
			}
			if small != (r.Header(sink.HeaderUnchecked) != "") || small && output != ".unique" {
				wrong++
			}
			return nil
		})
		check(t, err)
	}
	if unchecked == 0 || wrong > 0 || report.Verdicts != s.total() {
		t.Errorf("%d of %d are unchecked, %d wrongly; %s", unchecked, s.total(), wrong, &report)
	}
}
