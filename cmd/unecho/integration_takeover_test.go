package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
		if report.Records == 0 || report.Records+report.Elsewhere+report.Pending != s.total() {
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

// begins waits until a takeover has begun, or is over.
func (s *scene) begins(command *process) {
	s.until("the command has begun", func(context.Context) bool {
		return strings.Contains(command.out.String(), "retires") || command.over()
	})
}

// disturb kills the command, or a member of one of the two groups, which is started again.
func (s *scene) disturb(how int, command *process, live func(int), newer int) {
	switch how {
	case 0:
		s.begins(command)
		command.kill()
	case 1:
		live(1 - newer)
	case 2:
		live(newer)
	case 3:
		command.kill()
	}
}

func TestTakeoverKilled(t *testing.T)     { takeOversKilled(t, 2, 6) }
func TestTakeoverKilledLong(t *testing.T) { takeOversKilled(t, 12, 100) }

// takeOversKilled has two groups take over from each other, from word:3 to char:5 and back, while documents come and
// members and commands are killed. Each document comes out once, says the tests' own reader.
func takeOversKilled(t *testing.T, turns, kills int) {
	t.Helper()
	t.Parallel()
	const partitions = 4
	s := newScene(t, partitions)
	s.configure(noOps)
	names := [2]string{s.name, s.name + "-2"}
	files := [2]string{s.deployment(names[0], "", "word:3"), s.deployment(names[1], names[0], "char:5")}
	r := rand.New(rand.NewPCG(uint64(turns), 9))
	s.produce(500, 1)
	one := start(t, s.dir, "run", "--config", files[0])
	s.all = append(s.all, one)
	s.settled()
	one.kill()
	files[0] = s.deployment(names[0], names[1], "word:3") // says nothing as long as it forwards
	up := [2]*process{}
	live := func(i int) {
		if up[i] != nil {
			up[i].kill()
		}
		up[i] = start(t, s.dir, "run", "--config", files[i])
	}
	live(0)
	live(1)
	up[1].says(`"message":"ready"`)
	killed := 0
	for turn := range turns {
		s.produce(1500, uint64(10+turn))
		newer := (turn + 1) % 2
		if turn > 0 { // it has ended when the other took over, and follows now
			live(newer)
			up[newer].says(`"message":"ready"`)
		}
		for {
			command := start(t, s.dir, "takeover", "--config", files[newer])
			if killed < kills*(turn+1)/turns {
				killed++
				s.disturb(r.IntN(4), command, live, newer)
				if killed%3 == 0 {
					s.produce(100, uint64(1000+killed))
				}
			}
			if command.exits(patience) == 0 && killed >= kills*(turn+1)/turns {
				break
			}
		}
		live(newer) // a shadow that was killed meanwhile
		up[newer].says(`"message":"ready"`)
	}
	s.produce(500, 3)
	last := *s
	last.name = names[turns%2]
	last.settled()
	s.cameOnce()
	s.auditedBoth(files[:])
	t.Logf("%d takeovers, %d kills, %d documents", turns, killed, s.total())
}
