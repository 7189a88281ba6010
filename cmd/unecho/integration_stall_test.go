package main

import (
	"fmt"
	"strings"
	"syscall"
	"time"

	"github.com/unecho/unecho/consumer/backfill"
)

// stallBound is how long a backfill may commit nothing, whoever was killed.
const stallBound = 2 * time.Minute

// comesTo waits until a backfill has committed so many documents. One that stands still says why: the goroutines of
// its processes, its group, and its topics.
func (s *scene) comesTo(all []*process, job string, documents int64) {
	s.t.Helper()
	group := backfill.GroupOf(job)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	last, since := int64(-1), time.Now()
	for now := s.done(group); now < documents; now = s.done(group) {
		for _, p := range all {
			if p.failed() {
				s.t.Fatalf("a process has ended: %v", p.err)
			}
		}
		if now != last {
			last, since = now, time.Now()
		}
		if time.Since(since) > stallBound {
			s.t.Logf("it stands still at %d of %d documents:\n%s", now, documents, s.stateOf(job))
			for _, p := range all {
				_ = p.cmd.Process.Signal(syscall.SIGQUIT) // what its goroutines wait for is in its log, which is shown in the end
				<-p.done
			}
			s.t.Fatal("the backfill stands still")
		}
		<-tick.C
	}
}

// stateOf tells of a job what brokers know: who is in its group, what is committed, and where its topics begin and end.
func (s *scene) stateOf(job string) string {
	var b strings.Builder
	group, ctx := backfill.GroupOf(job), s.bounded()
	described, err := s.admin.DescribeGroups(ctx, group)
	fmt.Fprintf(&b, "group: %v %s\n", err, described[group].State)
	for _, m := range described[group].Members {
		assigned, _ := m.Assigned.AsConsumer()
		fmt.Fprintf(&b, "  %s: %+v\n", m.MemberID, assigned)
	}
	offsets, err := s.admin.FetchOffsets(ctx, group)
	fmt.Fprintf(&b, "committed: %v\n", err)
	for _, o := range offsets.Sorted() {
		fmt.Fprintf(&b, "  %s/%d: %d %q %v\n", o.Topic, o.Partition, o.At, o.Metadata, o.Err)
	}
	topics := []string{s.source, backfill.JournalOf(job), job + ".unique", job + ".duplicate", job + ".rejected"}
	ends, err := s.admin.ListEndOffsets(ctx, topics...)
	stable, err2 := s.admin.ListCommittedOffsets(ctx, topics...) // lower where a transaction is open
	fmt.Fprintf(&b, "ends, and ends of what is committed: %v %v\n", err, err2)
	for _, o := range ends.Offsets().Sorted() {
		at, _ := stable.Lookup(o.Topic, o.Partition)
		fmt.Fprintf(&b, "  %s/%d: %d %d\n", o.Topic, o.Partition, o.At, at.Offset)
	}
	return b.String()
}
