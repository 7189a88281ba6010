package main

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/unecho/unecho/cmd/internal/backfills"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/consumer/backfill"
)

// replays begins a backfill of the scene's source.
func (s *scene) replays(args ...string) *process {
	s.t.Helper()
	return start(s.t, s.dir, append([]string{"backfill", "--config", s.file}, args...)...)
}

// listed is the scene's backfill of that name as the list has it. Backfills of other tests may be begun or removed at
// that moment, and unreadable for it.
func (s *scene) listed(name string) (found backfills.Entry) {
	s.t.Helper()
	p := s.replays("list", "--json")
	if code := p.exits(patience); code != 0 && (code != exit.NothingKnown ||
		!strings.Contains(p.out.String(), `"state":"unread"`)) {
		s.t.Fatalf("list ends with %d: %s", code, p.log)
	}
	for line := range strings.Lines(p.out.String()) {
		var e backfills.Entry
		check(s.t, json.Unmarshal([]byte(line), &e))
		if e.Backfill == name {
			found = e
		}
	}
	return found
}

// A backfill that is asked for what cannot be, ends, says why and what to do, and leaves nothing behind.
func TestBackfillBadInput(t *testing.T) {
	t.Parallel()
	s := newScene(t, 2)
	s.configure(s.inDirectory(), s.consumer(""), noOps, "duplicates: {remember: {clock: event}}")
	s.produce(40, 1)
	live := s.run()
	live.says(`"ready"`)
	for _, c := range []struct {
		args []string
		says []string
	}{
		{[]string{"--into", s.name}, []string{s.name + " is a live group", "choose another name"}},
		{[]string{"--topic", s.name + ".none"}, []string{"cannot find " + s.name + ".none"}},
		{[]string{"--from", "9", "--to", "3"}, []string{"is reversed: it begins at 9 and ends at 3"}},
		{[]string{"--to", "4711"}, []string{"the range lies beyond the end"}},
		{[]string{"remove", s.name + "-none", "--yes"}, []string{"there is no backfill"}},
	} {
		s.replays(c.args...).fails(c.says...)
	}
	p := s.replays("--from", "1", "--to", "1", "--json")
	if code := p.exits(patience); code != 0 || !strings.Contains(p.log.String(), "nothing to do: the range is empty") ||
		!strings.Contains(p.out.String(), `"finished":true,"documents":0`) {
		t.Errorf("an empty range ends with %d: %s%s", code, p.log, p.out)
	}
	topics, err := s.admin.ListTopics(s.bounded())
	check(t, err)
	for _, name := range topics.Names() {
		if strings.HasPrefix(name, backfill.Prefix+s.name) {
			t.Errorf("topic %s is left behind", name)
		}
	}
	s.settled()
	stopAll(t, patience, live)
	s.audited(s.name + ".journal") // what the live group does is none of theirs
}

// A backfill that was stopped by Ctrl-C, and another that was killed, are listed as half finished, with the command
// that goes on. That command finishes them, and each document comes out once, as by the settings that the first one
// named. What they leave is removed.
func TestBackfillGoesOn(t *testing.T) {
	t.Parallel()
	s := newScene(t, 2)
	s.configure(s.inDirectory(), noOps, "advanced: {member: m}")
	s.history(3000, 2)
	loose := []string{"--set", "duplicates.threshold=0.6"}
	calm := s.backfill("calm", 1, 0, loose...)
	job := s.name + "-job"
	outputs := []string{"--unique", job + ".unique", "--duplicate", job + ".duplicate", "--rejected", job + ".rejected"}
	p := s.replays(slices.Concat([]string{"--name", job, "--max-rate", "100"}, outputs, loose)...)
	s.waitFor([]*process{p}, func() bool { return s.done(backfill.GroupOf(job)) >= 100 })
	s.replays("remove", job, "--yes").fails("is at work")
	if e := s.listed(job); e.State != "running" || e.Next != "" {
		t.Errorf("at work it is listed as %+v", e)
	}
	p.ends = true
	check(t, p.cmd.Process.Signal(os.Interrupt))
	command := "unecho backfill --name " + job + " --config " + s.file
	if code := p.exits(patience); code != exit.Interrupted || !strings.Contains(p.log.String(), "to go on: "+command) {
		t.Errorf("after Ctrl-C it ends with %d: %s", code, p.log)
	}
	if e := s.listed(job); e.State != "half-finished" || e.Share <= 0 || e.Share >= 1 || e.Next != command {
		t.Errorf("after Ctrl-C it is listed as %+v", e)
	}
	s.replays("--name", job, "--from", "5").fails("was begun with something else")
	before := s.done(backfill.GroupOf(job))
	p = s.replays("--name", job, "--max-rate", "100")
	s.waitFor([]*process{p}, func() bool { return s.done(backfill.GroupOf(job)) >= before+100 })
	p.kill()
	if said := start(t, s.dir, strings.Fields(command)[1:]...).endsWell(); !strings.Contains(said, "3,000 documents from start to end") {
		t.Errorf("it goes on, and says at the end: %s", said)
	}
	if !maps.EqualFunc(s.hashes(job), calm.outputs, slices.Equal[[]uint64]) {
		t.Error("verdicts differ from those of a job that was not interrupted")
	}
	if e := s.listed(job); e.State != "finished" || e.Documents != 3000 || !strings.Contains(e.Next, "remove "+job) {
		t.Errorf("at its end it is listed as %+v", e)
	}
	said := start(t, s.dir, append(strings.Fields(s.listed(job).Next)[1:], "--yes")...).endsWell()
	if !strings.Contains(said, backfill.JournalOf(job)+", group "+backfill.GroupOf(job)+", its snapshots") {
		t.Errorf("remove says %s", said)
	}
	if e := s.listed(job); e.Backfill != "" {
		t.Errorf("after it was removed it is listed as %+v", e)
	}
	s.hashes(job) // the outputs stay
}

// Of two backfills of one name and other ranges, begun at the same moment, one works and the other says what is wrong.
func TestBackfillsOfOneName(t *testing.T) {
	t.Parallel()
	s := newScene(t, 2)
	s.configure(s.inDirectory(), noOps)
	s.history(300, 2)
	job := s.name + "-job"
	both := []*process{
		s.replays("--name", job, "--from", "10", "--json", "--set", "advanced.member=a"),
		s.replays("--name", job, "--from", "20", "--json", "--set", "advanced.member=b"),
	}
	won := -1
	for i, p := range both {
		switch code := p.exits(patience); {
		case code == 0 && won < 0:
			won = i
		case code != exit.Failed || !strings.Contains(p.log.String(), "was begun with something else than is asked for now"):
			t.Errorf("%d ends with %d: %s", i, code, p.log)
		}
	}
	if won < 0 {
		t.Fatal("neither has worked")
	}
	want := s.total() - 2*10*(won+1)
	if n := s.sum(".news.backfill."+job+".unique", ".news.backfill."+job+".duplicate", ".news.backfill."+job+
		".rejected"); n != want {
		t.Errorf("%d documents came out, want %d", n, want)
	}
}

// Retention that deletes what a backfill has not read ends it, and it says what to do.
func TestBackfillOfDeleted(t *testing.T) {
	t.Parallel()
	s := newScene(t, 2)
	s.configure(s.inDirectory(), noOps)
	s.history(1000, 2)
	job := s.name + "-job"
	p := s.replays("--name", job, "--max-rate", "200")
	s.waitFor([]*process{p}, func() bool { return s.done(backfill.GroupOf(job)) >= 100 })
	p.ends = true
	check(t, p.cmd.Process.Signal(os.Interrupt))
	if code := p.exits(patience); code != exit.Interrupted {
		t.Fatalf("after Ctrl-C it ends with %d: %s", code, p.log)
	}
	s.deleteBelow(s.source, s.ends())
	s.replays("--name", job).fails("were deleted before", "begin")
}
