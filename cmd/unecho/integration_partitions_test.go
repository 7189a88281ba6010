package main

import (
	"context"
	"fmt"
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
