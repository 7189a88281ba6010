package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/cmd/internal/backfills"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/sink"
)

// A new group is filled with what its topic holds by two processes, one of which is killed again and again, while a
// member waits that is killed too. They are slow until the last kill, so that the end comes after it. Each document is
// brought once and comes out nowhere, and copies of it are duplicates of the right one.
func TestFillKilled(t *testing.T) {
	t.Parallel()
	const partitions, n, kills = 3, 12_000, 4
	s := newScene(t, partitions)
	s.configure(s.consumer(""), s.inDirectory(), noOps, s.ownOutputs())
	copies := s.past(n, partitions)
	fill := func(rate int) *process {
		return start(t, s.dir, "fill", "--config", s.file, "--json", "--max-rate", fmt.Sprint(rate))
	}
	mortal, other := fill(60), fill(20)
	for k := range kills {
		_, end := s.journal(s.bounded())
		s.until("the journal grows", func(ctx context.Context) bool { _, now := s.journal(ctx); return now > end+6 })
		mortal.kill()
		mortal = fill([]int{60, 60, 60, 0}[k])
		if k == 1 {
			member := s.run("--set", "advanced.member=one")
			member.says("caught up with the journal")
			member.kill()
			s.run("--set", "advanced.member=one")
		}
	}
	for _, p := range []*process{mortal, other} {
		sum := p.filled()
		if !sum.Finished || sum.Documents != n || sum.Rejected != n/100 || sum.Remembered != n-n/100 || sum.Window != n-n/100 ||
			sum.Done != n {
			t.Errorf("the summary is %+v; want it finished, %d documents done, %d of them remembered, and %d rejected",
				sum, n, n-n/100, n/100)
		}
	}
	copies = append(copies, &kgo.Record{Value: []byte(words(rand.New(rand.NewPCG(8, 1)), 20))})
	s.send(copies...)
	s.settled()
	s.originals(sink.HeaderMatch, len(copies))
	s.forwardsOnly(len(copies))
	again := fill(0)
	if again.endsWell(); !strings.Contains(again.log.String(), "was filled with these documents before") {
		t.Errorf("the same again says %s", again.log)
	}
}

// filled waits until a fill ends well, and returns its summary.
func (p *process) filled() (sum backfills.FillSummary) {
	p.t.Helper()
	check(p.t, json.Unmarshal([]byte(p.endsWell()), &sum))
	return sum
}

// forwardsOnly holds the outputs to have the last n documents, of which one is unique, and what came before to be
// nobody's.
func (s *scene) forwardsOnly(n int) {
	s.t.Helper()
	report := s.audit(s.name + ".journal")
	if report.Records != n || report.Unique != 1 || report.Duplicate != n-1 || report.Elsewhere != s.total()-n {
		s.t.Errorf("%d of %d documents were sent after the fill, one of them unique, and the audit finds %s", n, s.total(), &report)
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
	for _, output := range []string{".unique", ".duplicate", ".rejected"} {
		s.read(s.name+output, func(r *topic.Record) {
			n--
			if match := r.Header(header); match != string(r.Key) {
				s.t.Errorf("%s: the copy of %q matches %q", r.Topic, r.Key, match)
			}
		})
	}
	if n != 0 {
		s.t.Errorf("%d documents too few came out", n)
	}
}
