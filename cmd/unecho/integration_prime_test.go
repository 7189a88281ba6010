package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/cmd/internal/backfills"
	"github.com/unecho/unecho/sink"
)

// A group that has traffic, and a member that is killed, is primed by two processes, one of which is killed again and
// again. Each document of history is brought once, copies of it are duplicates of the right one, and each document of
// the group comes out once.
func TestPrimeKilled(t *testing.T) {
	t.Parallel()
	const partitions, n, kills = 3, 12_000, 4
	s := newScene(t, partitions)
	s.configure(s.consumer(""), s.inDirectory(), noOps, "sink: {unique: "+s.name+".unique, duplicate: "+s.name+
		".duplicate, rejected: "+s.name+".rejected}")
	copies := s.past(n, partitions)
	run := func() *process { return s.run("--set", "source.start=latest", "--set", "consumer.member=one") }
	member := run()
	member.says(`"message":"ready"`)
	prime := func(rate int) *process {
		return start(t, s.dir, "backfill", "--prime", s.name, "--config", s.file, "--json", "--max-rate", fmt.Sprint(rate))
	}
	mortal, other := prime(2500), prime(1500)
	for k := range kills {
		_, end := s.journal(s.bounded())
		s.send(&kgo.Record{
			Partition: int32(k % partitions),
			Value:     fmt.Appendf(nil, "%s", words(rand.New(rand.NewPCG(8, uint64(k))), 20)),
		})
		s.until("the journal grows", func(ctx context.Context) bool { _, now := s.journal(ctx); return now > end+6 })
		if k == 1 {
			member.kill()
			member = run()
			member.says(`"message":"ready"`)
		}
		mortal.kill()
		mortal = prime(2500)
	}
	for _, p := range []*process{mortal, other} {
		if code := p.exits(patience); code != 0 {
			t.Fatalf("a primer ends with %d", code)
		}
		var sum backfills.PrimeSummary
		check(t, json.Unmarshal([]byte(p.out.String()), &sum))
		if !sum.Finished || sum.Priming != 1 || sum.Primed != n-n/100 || sum.Rejected != n/100 || sum.Remembered != n-n/100 ||
			sum.Done != n {
			t.Errorf("the summary is %+v; want it finished, priming 1, %d documents done, %d of them primed and remembered, and %d rejected",
				sum, n, n-n/100, n/100)
		}
	}
	s.send(copies...)
	s.settled()
	s.originals(sink.HeaderMatch, len(copies)+kills)
	if report := s.audit(s.name + ".journal"); !report.OK() {
		t.Error(report.String())
	}
}

// past sends n documents of the last hours, and returns edited copies of some of them, whose keys name the originals.
// Every hundredth document is empty.
func (s *scene) past(n, partitions int) (copies []*kgo.Record) {
	s.t.Helper()
	r, begin := rand.New(rand.NewPCG(4, 4)), time.Now().Add(-6*time.Hour)
	var records []*kgo.Record
	for i := range n {
		p, text := int32(i%partitions), words(r, 30)
		rec := &kgo.Record{Partition: p, Value: []byte(text), Timestamp: begin.Add(time.Duration(i) * time.Second)}
		if i%100 == 50 {
			rec.Value = nil
		} else if i%20 == 0 {
			copies = append(copies, &kgo.Record{
				Partition: int32((i + 1) % partitions), Key: fmt.Appendf(nil, "%s/%d/%d", s.source, p, i/partitions),
				Value: []byte(text + "edited"),
			})
		}
		records = append(records, rec)
	}
	s.send(records...)
	return copies
}

// originals holds what a header of n documents says they match against the originals that their keys name; those
// without a key are like no other.
func (s *scene) originals(header string, n int) {
	s.t.Helper()
	client := s.connect(kgo.ConsumeTopics(s.name+".unique", s.name+".duplicate", s.name+".rejected"),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()))
	for ctx := s.bounded(); n > 0; {
		fetches := client.PollFetches(ctx)
		check(s.t, fetches.Err())
		fetches.EachRecord(func(r *kgo.Record) {
			n--
			match := ""
			for _, h := range r.Headers {
				if h.Key == header {
					match = string(h.Value)
				}
			}
			if match != string(r.Key) && n >= 0 {
				s.t.Errorf("%s: the copy of %q matches %q", r.Topic, r.Key, match)
			}
		})
	}
}
