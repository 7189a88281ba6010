package main

import (
	"testing"
	"time"

	"github.com/unecho/unecho/consumer/audit"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/sink"
)

// mortals are the processes of a group: a victim, and one that stays.
type mortals struct {
	s    *scene
	all  map[string]*process
	last bool // it is the last round, after which the victim's place stays empty
}

func (m *mortals) begin(name string) { m.all[name] = m.s.run("--set", "advanced.member="+name) }

// revive starts again what was killed.
func (m *mortals) revive() {
	for name, p := range m.all {
		if p.ends && (name != "victim" || !m.last) {
			m.begin(name)
		}
	}
}

// underKills has two processes filter documents, of which one at least is killed in each round, and returns what the
// audit of the whole journal finds. How long documents wait is logged, and bounded only by the tests' patience: the
// machine is shared.
func (s *scene) underKills(rounds int, round func(k int, m *mortals), configuration ...string) audit.Report {
	s.t.Helper()
	s.configure(append([]string{s.inPostgres(), s.consumer(""), noOps}, configuration...)...)
	journal := s.copyJournal()
	m := &mortals{s: s, all: map[string]*process{}}
	for _, name := range []string{"victim", "stays"} {
		m.begin(name)
		m.all[name].says(`"ready"`)
	}
	for k := range rounds {
		m.last = k == rounds-1
		round(k, m)
		began := time.Now()
		m.revive()
		s.settled()
		s.t.Logf("round %d: its place stays empty: %v; all is committed after %v", k+1, m.last, time.Since(began).Round(10*time.Millisecond))
	}
	stopAll(s.t, 30*time.Second, m.all["stays"])
	journal.upToDate()
	return s.audited(journal.topic)
}

// amidDocuments kills the victim while it has something to do.
func (s *scene) amidDocuments(k int, m *mortals) {
	s.t.Helper()
	by := s.members(4, len(s.partitions()))
	orphans := append(by["victim-s0"], by["victim-s1"]...)
	left := func() (n int) {
		_, done := s.committed(s.t.Context())
		for _, p := range orphans {
			n += int(s.sent[p] - done[p])
		}
		return n
	}
	s.produce(2000, uint64(10+k))
	s.reaches(int64(s.total()) - 1500)
	for try := range 10 { // so that something is left, however late it is killed
		if s.produce(2000, uint64(20+k+10*try)); left() > 500 {
			break
		}
	}
	m.all["victim"].kill()
	if left() == 0 {
		s.t.Errorf("kill %d: the victim had nothing left to do: it leaves nothing behind", k+1)
	}
}

// One process of two is killed again and again, and once its place stays empty.
func TestKilledAgainAndAgain(t *testing.T) {
	t.Parallel()
	s := newScene(t, 6)
	s.underKills(3, s.amidDocuments)
}

// Unique documents, duplicates and what conditions leave unchecked share a topic, and each document has a record in the
// topic of verdicts: each once and in order, though a process is killed again and again. Unchecked is what the conditions
// say, and nothing else.
func TestOneTopicAndVerdictsUnderKills(t *testing.T) {
	t.Parallel()
	s := newScene(t, 6)
	report := s.underKills(3, s.amidDocuments, "outputs: {duplicate: {topic: '{source}.unique'}, verdicts: {topic: '{source}.verdicts'}}",
		s.sources(", when: [{header: lang, equals: en}, {size_at_least: 416}]"))
	unchecked, wrong := 0, 0
	s.read(s.source+".unique", func(r *topic.Record) {
		said := r.Header(sink.HeaderUnchecked) != ""
		if said {
			unchecked++
		}
		if said != (len(r.Value) < 416) || said && r.Header(sink.HeaderVerdict) != sink.Unique {
			wrong++
		}
	})
	if unchecked == 0 || wrong > 0 || report.Verdicts != s.total() || report.Duplicate == 0 {
		t.Errorf("%d of %d are unchecked, %d wrongly; %s", unchecked, s.total(), wrong, &report)
	}
	if topics, err := s.admin.ListTopics(s.bounded(), s.source+".duplicate"); err == nil && topics.Error() == nil {
		t.Error("there is a topic of duplicates")
	}
}
