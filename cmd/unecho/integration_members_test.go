package main

import (
	"testing"
	"time"
)

// One process of two is killed again and again, and once its place stays empty. How long documents wait is logged, and
// bounded only by the tests' patience: the machine is shared.
func TestKilledAgainAndAgain(t *testing.T) {
	t.Parallel()
	const partitions = 6
	s := newScene(t, partitions)
	s.configure(s.inPostgres(), s.consumer(""), noOps)
	journal := s.copyJournal()
	named := func(name string) *process { return s.run("--set", "consumer.member="+name) }
	victim := named("victim")
	victim.says(`"ready"`)
	stays := named("stays")
	stays.says(`"ready"`)
	s.members(4, partitions)
	s.produce(1000, 3)
	s.settled()
	for round := range 3 {
		by := s.members(4, partitions)
		orphans := append(by["victim-s0"], by["victim-s1"]...)
		s.produce(2000, uint64(10+round))
		s.reaches(int64(s.total()) - 1500)
		s.produce(2000, uint64(20+round)) // so that something is left, however late it is killed
		victim.kill()
		killed := time.Now()
		_, done := s.committed(t.Context())
		left := 0
		for _, p := range orphans {
			left += int(s.sent[p] - done[p])
		}
		if left == 0 {
			t.Errorf("kill %d: the victim had nothing left to do: it leaves nothing behind", round+1)
		}
		what := "another process took over"
		if round < 2 {
			victim, what = named("victim"), "the same slots restarted"
		}
		s.settled()
		t.Logf("kill %d: %d documents were left in %d partitions; %s, and all is committed, after %v", round+1, left,
			len(orphans), what,
			time.Since(killed).Round(10*time.Millisecond))
	}
	stopAll(t, 30*time.Second, stays)
	journal.upToDate()
	s.audited(journal.topic)
}
