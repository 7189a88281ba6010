package standing

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/unecho/unecho/consumer/cluster"
	"github.com/unecho/unecho/consumer/protocol"
)

// How a session stands after what happened to it, and so much later.
func TestStanding(t *testing.T) {
	t.Parallel()
	began := time.Unix(1_800_000_000, 0)
	news := protocol.PartitionName{Topic: "news", Partition: 3}
	cause := errors.New("the cause")
	none := func(func(protocol.PartitionName, time.Time) bool) {}
	built := func(st *Session) { st.Opens(began) }
	reads := func(st *Session) { st.Assigned(began); st.Reads() }
	spare := func(st *Session) { st.Idles(began) }
	waits := func(st *Session) { st.Assigned(began); st.WaitsFor(news, "it must", 0) }
	fails := func(st *Session) { st.Fails(began, cause, false); st.Opens(began) }
	failsLate := func(st *Session) { st.Fails(began.Add(lasting), cause, false); st.Opens(began) }
	failsAfterCommit := func(st *Session) { st.Fails(began, cause, true); st.Opens(began) }
	commits := func(st *Session) { st.Commits(none) }
	skips := func(st *Session) { st.Skips(news, 12, 15) }
	writes := func(st *Session) { st.Writes(began.Add(10 * time.Second)) }
	does := func(what ...func(*Session)) []func(*Session) { return what }
	rebuilt := does(built, reads, fails, fails, fails, fails, fails, reads)
	for _, c := range []struct {
		name  string
		what  []func(*Session)
		later time.Duration
		want  string // of its trouble; empty: none
	}{
		{"built", does(built), 0, "session m-s0 has not got its partitions yet"},
		{"it reads", does(built, reads), 0, ""},
		{"it reads for long", does(built, reads), time.Hour, ""},
		{"given nothing at first", does(built, spare), spareAfter - 1, "has not got its partitions yet"},
		{"given nothing", does(built, spare), spareAfter, ""},
		{"given something after nothing", does(built, spare, reads), 0, ""},
		{"and that waits", does(built, spare, waits), time.Hour, "session m-s0 waits: news/3: it must"},
		{"its first partitions wait", does(built, waits), 0, "session m-s0 waits: news/3: it must"},
		{"further ones wait for a moment", does(built, reads, waits), grace - 1, ""},
		{"further ones wait", does(built, reads, waits), grace, "session m-s0 waits: news/3: it must"},
		{"they have waited", does(built, reads, waits, reads), time.Hour, ""},
		{"it reads, and has skipped", does(built, reads, skips, fails, reads), time.Hour, "news/3: somebody else has " +
			"committed offset 15, and those from 12 on may have been judged by nobody; " + SkippedRemedy},
		{"it has skipped, and waits", does(built, reads, skips, waits), time.Hour, "session m-s0 waits: news/3: it must; news/3: " +
			"somebody else has committed offset 15, and those from 12 on may have been judged by nobody; " + SkippedRemedy},
		{"it writes", does(built, reads, writes), 10 * time.Second, ""},
		{"it writes for too long", does(built, reads, writes), 10*time.Second + 1, "the outputs take nothing of session m-s0: see " +
			"that their brokers are up, can be reached from here (the log names one that cannot), and that as many are in sync as " +
			"min.insync.replicas asks for (kafka-topics.sh --describe --under-min-isr-partitions)"},
		{"it wrote", does(built, reads, writes, func(st *Session) { st.Writes(time.Time{}) }), time.Hour, ""},
		{"built anew", does(built, reads, fails), 0, ""},
		{"built anew, and nothing comes", does(built, reads, fails), grace, "has not got its partitions yet"},
		{"four times", does(built, reads, fails, fails, fails, fails, reads), 0, ""},
		{"five times", rebuilt, 0, "session m-s0 was built anew 5 times in a row, and committed nothing: the cause"},
		{"and then it commits", append(rebuilt, commits), 0, ""},
		{"and then it lasts", rebuilt, lasting, ""},
		{"five times, with a commit between them", does(built, fails, fails, failsAfterCommit, fails, fails, reads), 0, ""},
		{"five times, and it lasted between them", does(built, fails, fails, failsLate, fails, fails, reads), 0, ""},
	} {
		st := New("m-s0", func() {}, nil)
		for _, do := range c.what {
			do(st)
		}
		if got, _ := st.trouble(began.Add(c.later)); !strings.HasSuffix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// What a process says of itself is what its sessions say, and that a partition waits is told once, and not at once.
func TestStandingsTogether(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	stirs := 0
	one, two := New("m-s0", func() { stirs++ }, nil), New("m-s1", func() {}, nil)
	for _, st := range []*Session{one, two} {
		st.Opens(now)
	}
	one.Reads()
	two.Fails(now, nil, false)
	if two.WaitsFor(protocol.PartitionName{Topic: "news", Partition: 1}, "it must", cluster.StablePatience) ||
		!two.WaitsFor(protocol.PartitionName{Topic: "news", Partition: 1}, "it must", cluster.StablePatience+1) ||
		two.WaitsFor(protocol.PartitionName{Topic: "news", Partition: 1}, "it must", time.Hour) {
		t.Error("a wait is told at once, never, or twice")
	}
	got := Sum([]*Session{one, two}, now)
	if got.Trouble != "session m-s1 waits: news/1: it must" || got.InARow != 1 {
		t.Errorf("got %+v", got)
	}
	if stirs != 2 {
		t.Errorf("looked at %d times, want 2", stirs)
	}
}
