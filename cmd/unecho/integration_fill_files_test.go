package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/backfill"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/sink"
)

// Files fill the window of a group, whatever is killed meanwhile: copies of their documents are duplicates of the right
// ones. Other files are refused.
func TestFillFilesKilled(t *testing.T) {
	t.Parallel()
	const partitions, n = 2, 24_000
	s := newScene(t, partitions)
	s.configure(s.consumer(""), s.inDirectory(), noOps, s.ownOutputs())
	s.configureJSON("field:id")
	file, copies := s.pastFile("archive", n, partitions)
	fill := func(file string) *process {
		return start(t, s.dir, "fill", "--config", s.file, "--json", "--max-rate", "9000", "--time", "at", file)
	}
	loaded := func() int64 {
		_, n, err := topic.Extent(s.bounded(), s.kafka, backfill.FillOf(s.name), 0)
		if err != nil {
			return 0
		}
		return n
	}
	loading := func(all []*process) { s.waitFor(all, func() bool { return loaded() >= 10_000 }) }
	p := killed(1, func(int) *process { return fill(file) }, loading)[0]
	p.says("feeding begins")
	_, begun := s.journal(s.bounded())
	s.waitFor([]*process{p}, func() bool { _, now := s.journal(s.bounded()); return now > begun+10 })
	p.kill()
	other, _ := s.pastFile("other", n, partitions)
	fill(other).fails("these are not the files")
	sum := fill(file).filled()
	if !sum.Finished || sum.Documents != n || sum.Remembered != n || sum.Window != n {
		t.Errorf("the summary is %+v; want it finished, and %d documents remembered", sum, n)
	}
	copies = append(copies, &kgo.Record{Value: []byte(`{"id":"else","text":"something else"}`)})
	s.send(copies...)
	s.run()
	s.settled()
	s.originals(sink.HeaderMatchID, len(copies))
	s.forwardsOnly(len(copies))
	s.filesGo()
	if loaded() > 0 {
		t.Error("the files' topic is there")
	}
}

// filesGo holds files that filled the group's window to be listed, and removes them.
func (s *scene) filesGo() {
	s.t.Helper()
	if e := s.listed(s.name); e.State != "fill" || !strings.Contains(e.Next, "remove "+s.name) {
		s.t.Errorf("listed as %+v", e)
	}
	s.replays("remove", s.name, "--yes").endsWell()
}

// Documents without a time are as young as the load, so that duplicates.remember.age keeps them.
func TestFillFilesWithoutTimes(t *testing.T) {
	t.Parallel()
	s := newScene(t, 1)
	s.configure(s.consumer(""), s.inDirectory(), noOps)
	p := start(t, s.dir, "fill", "--config", s.file, "--json", "--format", "lines",
		s.written("letters.txt", words(rand.New(rand.NewPCG(1, 1)), 30)+"\n"+words(rand.New(rand.NewPCG(1, 2)), 30)+"\n"))
	sum := p.filled()
	if sum.Remembered != 2 || sum.Window != 2 {
		t.Errorf("the summary is %+v; want 2 documents remembered", sum)
	}
}

// pastFile writes n JSON documents of the last hours, and returns edited copies of some of them, whose keys name the
// originals.
func (s *scene) pastFile(name string, n, partitions int) (file string, copies []*kgo.Record) {
	s.t.Helper()
	r, begin := rand.New(rand.NewPCG(4, 9)), time.Now().Add(-8*time.Hour)
	if name == "other" {
		r = rand.New(rand.NewPCG(5, 9))
	}
	var b strings.Builder
	for i := range n {
		text := words(r, 30)
		fmt.Fprintf(&b, "{\"id\":\"old-%d\",\"at\":%d,\"text\":%q}\n", i,
			begin.Add(time.Duration(i)*time.Second).UnixMilli(), text)
		if i%40 == 0 {
			copies = append(copies, &kgo.Record{
				Partition: int32(i / 40 % partitions), Key: fmt.Appendf(nil, "old-%d", i),
				Value: fmt.Appendf(nil, "{\"id\":\"new-%d\",\"text\":%q}", i, text+" edited"),
			})
		}
	}
	return s.written(name+".jsonl", b.String()), copies
}
