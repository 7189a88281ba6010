package main

import (
	"encoding/json"
	"maps"
	"strconv"
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

// Unique documents, duplicates and what conditions leave unchecked share a topic, each document has a record in the topic of
// verdicts, and each copy one in that of clusters: each once and in order, though a process is killed again and again.
// Unchecked is what the conditions say, and nothing else. What Kafka's compaction leaves of the clusters gives the table of
// the outputs.
func TestOneTopicAndVerdictsUnderKills(t *testing.T) {
	t.Parallel()
	s := newScene(t, 6)
	report := s.underKills(3, s.amidDocuments, "outputs: {duplicate: {topic: '{source}.unique'}, verdicts: {topic: '{source}.verdicts'}, "+
		"clusters: {topic: '{source}.clusters'}, create: {config: {segment.ms: 2000, min.cleanable.dirty.ratio: 0.01}}}",
		s.sources(", when: [{header: lang, equals: en}, {size_at_least: 416}]"))
	unchecked, wrong, all, copies := 0, 0, 0, map[string]int{}
	s.read(s.source+".unique", func(r *topic.Record) {
		if n, err := strconv.Atoi(r.Header(sink.HeaderCopy)); err == nil {
			all++
			copies[r.Header(sink.HeaderMatch)] = max(copies[r.Header(sink.HeaderMatch)], n-1)
		}
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
	s.compacted(all, copies)
}

// compacted waits until Kafka has compacted the topic of clusters, to which so many records were written, and holds what is
// left against how many copies each original has.
func (s *scene) compacted(written int, copies map[string]int) {
	s.t.Helper()
	tick, enough := time.NewTicker(time.Second), time.After(5*time.Minute)
	defer tick.Stop()
	for began := time.Now(); ; {
		left, got := 0, map[string]int{}
		s.read(s.source+".clusters", func(r *topic.Record) {
			var c struct {
				Original string `json:"original"`
				Copies   int    `json:"copies"`
			}
			check(s.t, json.Unmarshal(r.Value, &c))
			got[c.Original] = max(got[c.Original], c.Copies) // a greater position has a greater count
			left++
		})
		if !maps.Equal(got, copies) {
			s.t.Fatalf("%d records of clusters have %d originals, and the outputs %d, or other counts", left, len(got), len(copies))
		}
		if left < written {
			s.t.Logf("of %d records of clusters compaction has left %d after %v, of %d originals", written, left, time.Since(began), len(got))
			return
		}
		select {
		case <-tick.C:
		case <-enough:
			s.t.Fatalf("Kafka compacts none of %d records", written)
		}
	}
}
