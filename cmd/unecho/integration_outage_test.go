package main

import (
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/sink"
)

// journalTakes sets the largest batch that the journal takes.
func (s *scene) journalTakes(bytes string) {
	s.t.Helper()
	s.alter(s.name+".journal", "max.message.bytes", bytes)
}

// alter changes a setting of a topic.
func (s *scene) alter(topic, key, value string) {
	s.t.Helper()
	altered, err := s.admin.AlterTopicConfigs(s.bounded(), []kadm.AlterConfig{{Op: kadm.SetConfig, Name: key, Value: &value}}, topic)
	check(s.t, err)
	_, err = altered.On(topic, nil)
	check(s.t, err)
}

// wentOut counts the outputs, and those that say that they were passed on while the journal was away.
func (s *scene) wentOut() (all, passed int) {
	s.t.Helper()
	for _, output := range []string{".unique", ".duplicate", ".rejected"} {
		s.read(s.source+output, func(r *topic.Record) {
			all++
			if r.Header(sink.HeaderUnchecked) == string(sink.InOutage) {
				passed++
			}
		})
	}
	return all, passed
}

// On real Kafka: the journal takes nothing, and documents are passed on. A process is killed meanwhile. When the journal is
// back the other one takes over, and all of them are remembered: the same documents again are copies.
func TestJournalOutage(t *testing.T) {
	t.Parallel()
	s := newScene(t, 4)
	s.configure(s.inDirectory(), s.consumer("sessions: 1, pass_after: 2s"), noOps)
	stays := s.run("--set", "advanced.member=a")
	dies := s.run("--set", "advanced.member=b")
	stays.says(`"ready"`)
	dies.says(`"ready"`)
	s.produce(200, 1)
	s.settled()
	s.journalTakes("1")
	seed, passed := uint64(1), 0
	for passed == 0 { // a broker may learn the setting late
		seed++
		s.produce(300, seed)
		s.settled()
		_, passed = s.wentOut()
	}
	dies.kill()
	s.journalTakes("2097152")
	stays.says("the journal answers again")
	s.produce(100, 1000)
	s.settled() // so what the other one had is taken over, and recorded
	_, passed = s.wentOut()
	s.produce(300, seed) // the same again
	s.settled()
	stopAll(t, patience, stays)
	report := s.audited(s.name + ".journal")
	all, now := s.wentOut()
	if all != s.total() || now != passed || report.Bypassed != passed {
		t.Errorf("%d outputs, %d of them passed on; when the journal was back %d were; %s", all, now, passed, &report)
	}
	if report.Duplicate < 300 {
		t.Errorf("what was passed on is not remembered: %s", &report)
	}
}
