package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/consumer/backfill"
)

// filledScene has a topic with documents of the last hour.
func filledScene(t *testing.T, documents int) *scene {
	t.Helper()
	s := newScene(t, 1)
	s.configure(s.consumer(""), s.inDirectory(), noOps, s.ownOutputs())
	s.configureJSON("field:id")
	for i, line := range documentLines("topic", documents) {
		s.send(&kgo.Record{Value: []byte(line), Timestamp: time.Now().Add(time.Duration(i)*time.Second - time.Hour)})
	}
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

// A fill with files is interrupted, and another one goes on: with other files that is refused, and with the topic it
// fills the rest. What the first one brought stays.
func TestFillInput(t *testing.T) {
	t.Parallel()
	s := filledScene(t, 50)
	file := func(of string, n int) string { return s.written(of+".jsonl", strings.Join(documentLines(of, n), "")) }
	a, b := file("first", 20_000), file("others", 30)
	fill := func(args ...string) *process {
		return start(t, s.dir, append([]string{"fill", "--config", s.file, "--json"}, args...)...)
	}
	fill("--time", "published", a).fails("has no usable time in published")
	p := fill("--max-rate", "1000", "--time", "at", a)
	p.says("feeding begins")
	_, begun := s.journal(s.bounded())
	s.until("something is brought", func(ctx context.Context) bool { _, now := s.journal(ctx); return now > begun+2 })
	p.ends = true
	check(t, p.cmd.Process.Signal(os.Interrupt))
	if code := p.exits(patience); code != exit.Interrupted || !strings.Contains(p.log.String(), "the same command goes on") {
		t.Errorf("Ctrl-C: it ends with %d: %s", code, p.log)
	}
	fill("--time", "at", b).fails("these are not the files")
	p = fill()
	sum := p.filled()
	if !strings.Contains(p.log.String(), "another one goes on") {
		t.Errorf("with the topic it says %s", p.log)
	}
	if !sum.Finished || sum.Remembered != 50 || sum.Window <= 50 || sum.Window > 10_000 {
		t.Errorf("the summary is %+v; want 50 documents of the topic, and some of the files", sum)
	}
	fill("--topic", s.name+".unique").fails("its window cannot be filled any more")
}

// Whoever removes the files while they are brought is told by the fill, which ends.
func TestFillFilesRemoved(t *testing.T) {
	t.Parallel()
	s := filledScene(t, 1)
	p := start(t, s.dir, "fill", "--config", s.file, "--max-rate", "2000", "--format", "jsonl", "--time", "at",
		s.written("a.txt", strings.Join(documentLines("first", 60_000), "")))
	p.says("feeding begins")
	s.replays("remove", s.name, "--yes").endsWell()
	p.fails(backfill.FillOf(s.name) + ", which holds the documents of the files, was deleted")
}
