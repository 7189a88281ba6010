package main

import (
	"strings"
	"testing"
)

// Two processes were given one name: the later one takes the places of the earlier, which ends and says so. Kafka shows
// of who took a place the client id of who had it.
func TestOneNameTwice(t *testing.T) {
	t.Parallel()
	s, first := twins(t)
	s.members(2, twinPartitions)
	s.produce(200, 1)
	s.settled()
	second := s.run()
	s.yields(first)
	s.goesOn(second)
}

// Of two that start at once one goes on, and the other ends, while a third process rebalances the group.
func TestOneNameTwiceAtOnce(t *testing.T) {
	t.Parallel()
	s, first := twins(t)
	second, other := s.run(), s.run("--set", "advanced.member=other")
	first.ends, second.ends = true, true
	s.produce(200, 1)
	ended, goesOn := first, second
	select {
	case <-first.done:
	case <-second.done:
		ended, goesOn = second, first
	case <-s.bounded().Done():
		t.Fatal("both go on")
	}
	s.yields(ended)
	s.members(4, twinPartitions)
	s.goesOn(goesOn, other)
}

const twinPartitions = 4

// twins is a scene whose processes are all called m, and the first of them.
func twins(t *testing.T) (*scene, *process) {
	t.Helper()
	s := newScene(t, twinPartitions)
	s.configure(s.inDirectory(), s.consumer("member: m"), noOps)
	return s, s.run()
}

// yields waits until a process has ended because of another one of its name.
func (s *scene) yields(p *process) {
	s.t.Helper()
	p.ends = true
	if code := p.exits(patience); code == 0 {
		s.t.Error("it ended as if it had been told to")
	}
	for _, said := range []string{"another process took the place of m-s", "advanced.member"} {
		if !strings.Contains(p.log.String(), said) {
			s.t.Errorf("it does not say %q", said)
		}
	}
}

// goesOn has those that are left work, and looks at what came out.
func (s *scene) goesOn(all ...*process) {
	s.t.Helper()
	for _, p := range all {
		p.ends = false
	}
	s.produce(200, 2)
	s.settled()
	stopAll(s.t, startBound, all...)
	s.audited(s.name + ".journal")
}
