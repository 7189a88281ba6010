package main

import (
	"maps"
	"slices"
	"testing"

	"github.com/unecho/unecho/consumer/backfill"
)

// A job goes on with the settings that it was begun with, also where the command does not name them any more: entries
// are signed, and judged, as before.
func TestBackfillGoesOnWithItsSettings(t *testing.T) {
	t.Parallel()
	s := newScene(t, 2)
	s.configure(s.inDirectory(), noOps, "consumer: {poll_records: 100, member: m}")
	s.history(3000, 2)
	loose := []string{"--set", "similarity.threshold=0.6"}
	calm := s.backfill("calm", 1, 0, loose...)
	job := s.name + "-tried"
	outputs := []string{
		"--name", job, "--unique", job + ".unique", "--duplicate", job + ".duplicate", "--rejected", job + ".rejected",
	}
	p := s.replays(slices.Concat(outputs, loose, []string{"--max-rate", "500"})...)
	s.waitFor([]*process{p}, func() bool { return s.done(backfill.GroupOf(job)) >= 500 })
	p.kill()
	p = s.replays(outputs...)
	if code := p.exits(patience); code != 0 {
		t.Fatalf("it goes on and ends with %d: %s%s", code, p.log, p.out)
	}
	if !maps.EqualFunc(s.hashes(job), calm.outputs, slices.Equal[[]uint64]) {
		t.Error("verdicts differ from those of a job that named its settings to the end")
	}
}
