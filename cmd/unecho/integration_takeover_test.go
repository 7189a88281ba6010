package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/unecho/unecho/cmd/internal/reports"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/sink"
)

// deployment writes the configuration of a group that may take over from another one.
func (s *scene) deployment(group, succeeds, shingle string) (file string) {
	s.t.Helper()
	text, err := os.ReadFile(s.file)
	check(s.t, err)
	file = filepath.Join(s.dir, strings.ReplaceAll(group, "/", "-")+"-"+succeeds+".yaml")
	lines := []string{
		string(text), "consumer: {group: " + group + ", poll_records: 100, succeeds: '" + succeeds + "'}",
		"similarity: {shingle: '" + shingle + "'}",
		"snapshot: {directory: " + filepath.Join(s.dir, "of-"+group) + ", every: 1s}",
	}
	check(s.t, os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o600))
	return file
}

// cameOnce reads the outputs, and demands each document of the source once. It knows nothing of journals.
func (s *scene) cameOnce() {
	s.t.Helper()
	times := map[string]int{}
	for _, output := range []string{"unique", "duplicate", "rejected"} {
		name := s.source + "." + output
		s.settledIn(name)
		check(s.t, topic.ReadSpan(s.bounded(), s.kafka, name, topic.Span{}, func(r *topic.Record) error {
			times[r.Header(sink.HeaderSource)]++
			return nil
		}))
	}
	lost, doubled := 0, 0
	for p, end := range s.sent {
		for o := range end {
			switch n := times[fmt.Sprintf("%s/%d/%d", s.source, p, o)]; {
			case n == 0:
				lost++
			case n > 1:
				doubled++
			}
		}
	}
	if lost+doubled > 0 || len(times) != s.total() {
		s.t.Errorf("of %d documents %d are lost and %d doubled; the outputs have %d", s.total(), lost, doubled, len(times))
	}
}

// auditedBoth audits groups that took over from each other. What one of them does not owe, another group's audit holds.
// Of documents about which a group's journal leaves open whose they are, only the tests' own reader tells.
func (s *scene) auditedBoth(files []string) {
	s.t.Helper()
	held := 0
	for _, file := range files {
		p := start(s.t, s.dir, "audit", "--config", file, "--json")
		var report reports.AuditLine
		if code := p.exits(patience); code != 0 {
			s.t.Errorf("the audit with %s ends with %d: %s%s", file, code, p.log, p.out)
		}
		check(s.t, json.Unmarshal([]byte(p.out.String()), &report))
		if report.Records == 0 || report.Records+report.Elsewhere+report.Pending+report.Absent != s.total() {
			s.t.Errorf("the audit with %s, of %d documents: %s", file, s.total(), p.out)
		}
		held += report.Records
	}
	s.t.Logf("the audits are clean: %d of %d documents are owed by one of the groups, by its journal", held, s.total())
	if held > s.total() {
		s.t.Errorf("some are owed by both")
	}
}

// over says that the process has ended.
func (p *process) over() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

func TestTakeoverKilled(t *testing.T)     { takeOversKilled(t, 2, 6) }
func TestTakeoverKilledLong(t *testing.T) { takeOversKilled(t, 25, 100) }

// takeOversKilled has two groups take over from each other, from word:3 to char:5 and back, while documents come all
// the time and commands and members are killed. It ends after so many turns, once so many kills fell within takeovers.
// Each document comes out once, says the tests' own reader.
func takeOversKilled(t *testing.T, turns, kills int) {
	t.Helper()
	t.Parallel()
	x := newRelay(t, uint64(turns))
	began := time.Now()
	documents := x.streams(300, 1)
	turn := 0
	for ; turn < turns || x.counted() < kills; turn++ {
		if turn == turns+kills {
			t.Fatalf("%d turns, and only %v", turn, x.kills)
		}
		x.turn(3 + x.r.IntN(3))
	}
	took := time.Since(began)
	documents.end(x.scene)
	x.of(x.newer).settled()
	x.cameOnce()
	x.auditedBoth(x.files[:])
	t.Logf("%d turns in %v, %d kills within takeovers %v, %d at other moments, %d documents", turn,
		took.Round(time.Second), x.counted(), x.kills, x.vain, x.total())
}
