package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/cmd/internal/backfills"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/consumer/backfill"
)

// primedScene is a group that is ready and begins where its topic ends.
func primedScene(t *testing.T) *scene {
	t.Helper()
	s := newScene(t, 1)
	s.configure(s.consumer(""), s.inDirectory(), noOps, "sink: {unique: "+s.name+".unique, duplicate: "+s.name+
		".duplicate, rejected: "+s.name+".rejected}")
	s.configureJSON("field:id")
	for i, line := range documentLines("topic", 50) {
		s.send(&kgo.Record{Value: []byte(line), Timestamp: time.Now().Add(time.Duration(i)*time.Second - time.Hour)})
	}
	s.run("--set", "source.start=latest").says(`"message":"ready"`)
	return s
}

// documentLines returns n JSON documents of eight hours ago, a second apart.
func documentLines(name string, n int) (lines []string) {
	r, begin := rand.New(rand.NewPCG(uint64(len(name)), uint64(name[0]))), time.Now().Add(-8*time.Hour)
	for i := range n {
		lines = append(lines, fmt.Sprintf("{\"id\":\"%s-%d\",\"at\":%d,\"text\":%q}\n", name, i,
			begin.Add(time.Duration(i)*time.Second).UnixMilli(), words(r, 30)))
	}
	return lines
}

// Each command primes with what it names, and with nothing else: the topic after files, more files under a name, and
// other files under a name that was removed. What would prime with nothing is refused.
func TestPrimeFilesInput(t *testing.T) {
	t.Parallel()
	s := primedScene(t)
	name := s.name + "-a"
	file := func(of string, n int) string { return s.written(of+".jsonl", strings.Join(documentLines(of, n), "")) }
	a, b := file("first", 20), file("others", 30)
	prime := func(want backfills.PrimeSummary, says string, args ...string) {
		t.Helper()
		p := start(t, s.dir, append([]string{"backfill", "--prime", s.name, "--config", s.file, "--json"}, args...)...)
		code := p.exits(patience)
		var sum backfills.PrimeSummary
		if want.Priming > 0 {
			check(t, json.Unmarshal([]byte(p.out.String()), &sum))
		}
		if (code == 0) != (want.Priming > 0) || sum.Priming != want.Priming || sum.Documents != want.Documents ||
			sum.Primed != want.Primed || !strings.Contains(p.log.String(), says) {
			t.Errorf("%q ends with %d, %+v: %s", args, code, sum, p.log)
		}
	}
	count := func(priming uint32, documents, primed uint64) backfills.PrimeSummary {
		return backfills.PrimeSummary{Priming: priming, Documents: documents, Primed: primed}
	}
	none := backfills.PrimeSummary{}
	prime(none, "has no usable time in published", "--name", name, "--time", "published", "--files", a)
	prime(count(1, 20, 20), "", "--name", name, "--time", "at", "--files", a)
	prime(count(2, 50, 50), "another one begins") // the topic's
	prime(count(3, 50, 0), "30 by this process", "--name", name, "--time", "at", "--files", a, b)
	prime(none, "these are not the files", "--name", name, "--time", "at", "--files", b)
	remove := s.replays("remove", name, "--yes")
	if code := remove.exits(patience); code != 0 {
		t.Fatalf("it is removed with %d: %s", code, remove.log)
	}
	prime(count(4, 30, 30), "30 by this process", "--name", name, "--files", b) // new, because they name no time
	prime(count(4, 30, 30), "nothing to do", "--name", name, "--files", b)
}

// A priming with files is interrupted, and the command that it names goes on. Whoever removes the files meanwhile is
// told by the priming, which ends.
func TestPrimeFilesInterrupted(t *testing.T) {
	t.Parallel()
	s := primedScene(t)
	name := s.name + "-a"
	file := s.written("a.txt", strings.Join(documentLines("first", 60_000), ""))
	args := []string{
		"backfill", "--prime", s.name, "--config", s.file, "--max-rate", "2000", "--name", name, "--format", "jsonl",
		"--time", "at", "--files", file,
	}
	p := start(t, s.dir, args...)
	p.says("feeding begins")
	p.ends = true
	check(t, p.cmd.Process.Signal(os.Interrupt))
	if code := p.exits(patience); code != exit.Interrupted {
		t.Errorf("Ctrl-C: it ends with %d", code)
	}
	_, command, _ := strings.Cut(p.log.String(), "to go on: unecho ")
	command, _, _ = strings.Cut(command, `"`)
	p = start(t, s.dir, strings.Fields(strings.Replace(strings.TrimSpace(command), "FILE...", file, 1))...)
	p.says("feeding begins")
	remove := s.replays("remove", name, "--yes")
	if code := remove.exits(patience); code != 0 {
		t.Fatalf("it is removed with %d: %s", code, remove.log)
	}
	if code := p.exits(patience); code == 0 ||
		!strings.Contains(p.log.String(), backfill.HistoryOf(name)+", which holds the documents of the files, was deleted") {
		t.Errorf("without its files it ends with %d: %s", code, p.log)
	}
}
