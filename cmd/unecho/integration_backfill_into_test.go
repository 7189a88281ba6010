package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/sink"
)

// A job goes on as a live group while documents come, and its processes are killed before that moment, at it and after
// it. Each document comes out once, and the audit is clean.
func TestBackfillIntoKilled(t *testing.T) {
	t.Parallel()
	const partitions, processes, kills = 4, 3, 9
	s := newScene(t, partitions)
	s.configure(s.consumer(""), s.inDirectory(), noOps, "duplicates: {remember: {clock: event}}", s.ownOutputs())
	s.produce(4000, 1)
	run := func(i int) *process {
		return s.replays("--into", s.name, "--max-rate", "1500", "--set", fmt.Sprint("advanced.member=m", i))
	}
	moments := make([]func([]*process), kills)
	for k := range moments {
		moments[k] = func(all []*process) {
			sum := int64(s.total() * (k + 1) / kills) // the last ones are of the live group
			s.waitFor(all, func() bool { return s.done(s.name) >= sum })
			s.produce(40, uint64(2+k))
		}
	}
	all := killed(processes, run, moments...)
	s.produce(400, 99)
	s.settled()
	for _, p := range all {
		p.says(`"message":"ready"`) // who is stopped before it has joined says so by its exit code
	}
	stopAll(t, patience, all...)
	s.hashes(s.name)
	if report := s.audit(s.name + ".journal"); !report.OK() {
		t.Error(report.String())
	}
}

// A job of two topics judges their documents in one order: of two copies the one with the earlier time is the original,
// whatever topic it is in.
func TestBackfillOfTwoTopics(t *testing.T) {
	t.Parallel()
	const pairs = 300
	s := newScene(t, 2)
	s.configure(s.inDirectory(), noOps)
	other, job := s.name+".blog", s.name+"-two"
	s.create(other, 3, nil)
	r, begin := rand.New(rand.NewPCG(1, 2)), time.Now().Add(-10*time.Hour)
	var news, blog []*kgo.Record
	for i := range pairs {
		text, at := words(r, 30), []time.Time{begin.Add(time.Duration(2*i) * time.Second), begin.Add(time.Duration(2*i+1) * time.Second)}
		a, b := fmt.Appendf(nil, "first-%d", i), fmt.Appendf(nil, "second-%d", i)
		if i%2 == 1 {
			slices.Reverse(at)
			a, b = b, a
		}
		news = append(news, &kgo.Record{Partition: int32(i % 2), Key: a, Value: []byte(text), Timestamp: at[0]})
		blog = append(blog, &kgo.Record{Topic: other, Partition: int32(i % 3), Key: b, Value: []byte(text + "edited"), Timestamp: at[1]})
	}
	s.send(news...)
	check(t, s.client.ProduceSync(s.bounded(), blog...).FirstErr())
	run := func(i int) *process {
		return s.replays("--topic", s.source, "--topic", other, "--name", job, "--max-rate", "200", "--set", "sources.id=key", "--set",
			fmt.Sprint("advanced.member=m", i))
	}
	for _, p := range killed(2, run, func(all []*process) {
		s.waitFor(all, func() bool { return s.done("unecho-backfill."+job) >= pairs/2 })
	}) {
		p.endsWell()
	}
	came := map[string]string{}
	for _, source := range []string{s.source, other} {
		for _, output := range []string{sink.Unique, sink.Duplicate} {
			s.read(source+".backfill."+job+"."+output, func(r *topic.Record) {
				came[string(r.Key)] += output + " " + r.Header(sink.HeaderMatchID)
			})
		}
	}
	for i := range pairs {
		first, second := fmt.Sprint("first-", i), fmt.Sprint("second-", i)
		if came[first] != sink.Unique+" " || came[second] != sink.Duplicate+" "+first {
			t.Errorf("%s is %q, %s is %q", first, came[first], second, strings.TrimSpace(came[second]))
		}
	}
}
