package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/cmd/internal/backfills"
	"github.com/unecho/unecho/consumer/backfill"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/sink"
)

// Files prime a group, whatever is killed meanwhile: copies of their documents are duplicates of the right ones. Other
// files of that name are refused, and so is a group that is not there, before anything is loaded.
func TestPrimeFilesKilled(t *testing.T) {
	t.Parallel()
	const partitions, n = 2, 24_000
	s := newScene(t, partitions)
	s.configure(s.consumer(""), s.inDirectory(), noOps, "sink: {unique: "+s.name+".unique, duplicate: "+s.name+
		".duplicate, rejected: "+s.name+".rejected}")
	s.configureJSON("field:id")
	name := s.name + "-archive"
	file, copies := s.pastFile(name, n, partitions)
	prime := func(name, file string) *process {
		return start(t, s.dir, "backfill", "--prime", s.name, "--config", s.file, "--json", "--max-rate", "9000",
			"--name", name, "--time", "at", "--files", file)
	}
	loaded := func(name string) int64 {
		_, n, err := topic.Extent(s.bounded(), s.kafka, backfill.HistoryOf(name), 0)
		if err != nil {
			return 0
		}
		return n
	}
	if p := prime(name, file); p.exits(patience) == 0 || !strings.Contains(p.log.String(), "there is no group") ||
		loaded(name) > 0 {
		t.Fatalf("a group that is not there: %s, %d documents loaded", p.log, loaded(name))
	}
	s.run("--set", "source.start=latest").says(`"message":"ready"`)
	p := prime(name, file)
	s.waitFor([]*process{p}, func() bool { return loaded(name) >= 10_000 })
	p.kill()
	p = prime(name, file)
	p.says("feeding begins")
	_, begun := s.journal(s.bounded())
	s.waitFor([]*process{p}, func() bool { _, now := s.journal(s.bounded()); return now > begun+10 })
	p.kill()
	for _, want := range []string{`"priming":1`, "nothing to do"} {
		p := prime(name, file)
		if code := p.exits(patience); code != 0 || !strings.Contains(p.out.String()+p.log.String(), want) {
			t.Fatalf("it ends with %d: %s%s", code, p.log, p.out)
		}
		var sum backfills.PrimeSummary
		check(t, json.Unmarshal([]byte(p.out.String()), &sum))
		if !sum.Finished || sum.Priming != 1 || sum.Primed != n || sum.Remembered != n {
			t.Errorf("the summary is %+v; want it finished, priming 1, and %d documents primed and remembered", sum, n)
		}
	}
	copies = append(copies, &kgo.Record{Value: []byte(`{"id":"else","text":"something else"}`)})
	s.send(copies...)
	s.settled()
	s.originals(sink.HeaderMatchID, len(copies))
	if report := s.audit(s.name + ".journal"); !report.OK() {
		t.Error(report.String())
	}
	other, _ := s.pastFile("other", n, partitions)
	if p := prime(name, other); p.exits(patience) == 0 || !strings.Contains(p.log.String(), "these are not the files") {
		t.Errorf("other files: %s", p.log)
	}
	s.historyGoes(name)
	if loaded(name) > 0 {
		t.Error("the files' topic is there")
	}
}

// historyGoes holds files that primed a group to be listed, and removes them.
func (s *scene) historyGoes(name string) {
	s.t.Helper()
	if e := s.listed(name); e.State != "history" || !strings.Contains(e.Next, "remove "+name) {
		s.t.Errorf("listed as %+v", e)
	}
	remove := s.replays("remove", name, "--yes")
	if code := remove.exits(patience); code != 0 {
		s.t.Errorf("it is removed with %d: %s%s", code, remove.log, remove.out)
	}
}

// Documents without a time are as young as the load, so that window.age keeps them.
func TestPrimeFilesWithoutTimes(t *testing.T) {
	t.Parallel()
	s := newScene(t, 1)
	s.configure(s.consumer(""), s.inDirectory(), noOps, "sink: {unique: "+s.name+".unique, duplicate: "+s.name+
		".duplicate, rejected: "+s.name+".rejected}")
	s.run("--set", "source.start=latest").says(`"message":"ready"`)
	p := start(t, s.dir, "backfill", "--prime", s.name, "--config", s.file, "--json", "--name", s.name, "--files",
		s.written("letters.txt", words(rand.New(rand.NewPCG(1, 1)), 30)+"\n"+words(rand.New(rand.NewPCG(1, 2)), 30)+"\n"),
		"--format", "lines")
	var sum backfills.PrimeSummary
	if code := p.exits(patience); code != 0 {
		t.Fatalf("it ends with %d: %s%s", code, p.log, p.out)
	}
	check(t, json.Unmarshal([]byte(p.out.String()), &sum))
	if sum.Primed != 2 || sum.Remembered != 2 {
		t.Errorf("the summary is %+v; want 2 documents primed and 2 remembered", sum)
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
