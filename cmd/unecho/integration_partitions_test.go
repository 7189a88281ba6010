package main

import (
	"context"
	"fmt"
	"regexp"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// widen makes a topic n partitions wide, and returns when that can be seen.
func (s *scene) widen(topic string, n int) {
	s.t.Helper()
	made, err := s.admin.UpdatePartitions(s.bounded(), n, topic)
	check(s.t, err)
	check(s.t, made.Error())
	s.hasWidth(n, topic)
}

// hasWidth waits until topics have n partitions.
func (s *scene) hasWidth(n int, topics ...string) {
	s.t.Helper()
	var found kadm.TopicDetails
	s.until(fmt.Sprintf("%v have %d partitions", topics, n), func(ctx context.Context) bool {
		var err error
		found, err = s.admin.ListTopics(ctx, topics...)
		for _, topic := range topics {
			if err != nil || len(found[topic].Partitions) != n {
				return false
			}
		}
		return true
	})
}

// outputs are the topics that are written for the source.
func (s *scene) outputs() (names []string) {
	for _, output := range []string{".unique", ".duplicate", ".rejected", ".verdicts"} {
		names = append(names, s.source+output)
	}
	return names
}

// producesWide sends n documents to all partitions that the source has now.
func (s *scene) producesWide(n int, seed uint64) {
	s.t.Helper()
	wide := *s
	wide.client = s.connect(kgo.DefaultProduceTopic(s.source), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	defer wide.client.Close()
	wide.produce(n, seed)
}

func TestPartitionsAddedUnderRestarts(t *testing.T)     { partitionsAdded(t, 2, 8) }
func TestPartitionsAddedUnderRestartsLong(t *testing.T) { partitionsAdded(t, 8, 64) }

// partitionsAdded widens the source from 2 partitions in so many additions, while documents come all the time. At each
// addition two of three processes are killed or told to end, and start again. None ends unasked, and each document comes
// out once.
func partitionsAdded(t *testing.T, additions, to int) {
	t.Helper()
	t.Parallel()
	s := newScene(t, 2)
	s.configure(s.inPostgres(), s.consumer(""), noOps, "outputs: {verdicts: {topic: '{source}.verdicts'}}")
	journal := s.copyJournal()
	named := func(n int) *process { return s.run("--set", fmt.Sprint("advanced.member=m", n)) }
	all := []*process{named(0), named(1), named(2)}
	for _, p := range all {
		p.says(`"ready"`)
	}
	documents := s.streams(200, 1)
	for i := 1; i <= additions; i++ {
		n := 2 + (to-2)*i/additions
		killed, told := i%3, (i+1)%3
		all[killed].kill()
		s.widen(s.source, n)
		all[killed] = named(killed)
		s.producesWide(10*n, uint64(10+i))
		stopAll(t, 30*time.Second, all[told])
		all[told] = named(told)
		s.settled()
		s.members(6, n)
	}
	documents.end(s)
	s.settled()
	s.hasWidth(to, s.outputs()...)
	stopAll(t, 30*time.Second, all...)
	journal.upToDate()
	s.cameOnce()
	s.audited(journal.topic)
}

// A topic that a pattern brings gets more partitions while two processes read it.
func TestPartitionsAddedToAPattern(t *testing.T) {
	t.Parallel()
	s := newScene(t, 0)
	s.configure(s.inPostgres(), s.consumer(""), noOps)
	s.source = s.name + ".site.0"
	s.create(s.source, 2, nil)
	sets := []string{
		"--set", "sources.topics=", "--set", "sources.pattern=" + regexp.QuoteMeta(s.name) + `\.site\..+`,
	}
	all := []*process{s.run(sets...), s.run(sets...)}
	for _, p := range all {
		p.says(`"ready"`)
	}
	s.producesWide(100, 1)
	s.settled()
	s.widen(s.source, 6)
	s.producesWide(300, 2)
	s.settled()
	stopAll(t, startBound, all...)
	s.widen(s.source, 8)
	all = []*process{s.run(sets...), s.run(sets...)}
	s.producesWide(300, 3)
	s.settled()
	stopAll(t, startBound, all...)
	s.cameOnce()
}

// Outputs are deleted while two processes work, and then made again by somebody with one partition. Each time all that
// comes from then on comes out.
func TestOutputsDeletedAtWork(t *testing.T) {
	t.Parallel()
	s := newScene(t, 4)
	s.configure(s.inPostgres(), s.consumer(""), noOps, "outputs: {verdicts: {topic: '{source}.verdicts'}}")
	all := []*process{s.run(), s.run()}
	for _, p := range all {
		p.says(`"ready"`)
	}
	s.produce(400, 1)
	s.settled()
	for round, narrow := range []bool{false, true} {
		for i, output := range []string{".news.unique", ".news.verdicts"} {
			name := s.name + output
			before := s.sum(output)
			_, err := s.admin.DeleteTopic(s.bounded(), name)
			check(t, err)
			s.hasWidth(0, name)
			if narrow { // nobody writes meanwhile
				s.create(name, 1, nil)
			}
			s.produce(400, uint64(10+2*round+i))
			s.settled()
			s.hasWidth(4, name)
			if now := s.sum(output); now == 0 || output == ".news.verdicts" && now != 400 {
				t.Errorf("%s had %d records, was deleted (made again too narrow: %v), and got %d", name, before, narrow, now)
			}
			if log := all[0].log.String() + all[1].log.String(); !narrow && !regexp.MustCompile(`write `+regexp.QuoteMeta(name)).MatchString(log) {
				t.Errorf("nobody said that %s is gone", name)
			}
		}
	}
	stopAll(t, startBound, all...)
}
