package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/sink"
)

// deployment writes the configuration of a group that may take over from another one.
func (s *scene) deployment(group, succeeds, shingle string) (file string) {
	s.t.Helper()
	text, err := os.ReadFile(s.file)
	check(s.t, err)
	file = filepath.Join(s.dir, group+"-"+succeeds+".yaml")
	given := slices.DeleteFunc(strings.Split(string(text), "\n"), func(line string) bool { return strings.HasPrefix(line, "group: ") })
	lines := []string{
		strings.Join(given, "\n"), fmt.Sprintf("group: %s\nsucceeds: '%s'", group, succeeds),
		"duplicates: {shingle: '" + shingle + "'}",
		"snapshots: {directory: {path: " + filepath.Join(s.dir, "of-"+group) + "}, every: 1s}",
	}
	check(s.t, os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o600))
	return file
}

// cameOnce reads the outputs, and demands each document of the source once, and no text twice in unique. It knows nothing
// of journals.
func (s *scene) cameOnce() {
	s.t.Helper()
	times, texts := map[string]int{}, map[string]string{}
	for _, output := range []string{"unique", "duplicate", "rejected"} {
		s.read(s.source+"."+output, func(r *topic.Record) {
			source := r.Header(sink.HeaderSource)
			times[source]++
			if first, known := texts[string(r.Value)]; known && output == "unique" {
				s.t.Errorf("%s is unique, and so was %s with the same text", source, first)
			}
			if output == "unique" {
				texts[string(r.Value)] = source
			}
		})
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
		report := s.auditLine(file)
		if report.Records == 0 || report.Records+report.Elsewhere+report.Pending+report.Absent != s.total() {
			s.t.Errorf("the audit with %s, of %d documents: %s", file, s.total(), report.String())
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

// A group that was filled by hand has a successor, which remembers that too: of a topic, and of files unless they were
// removed.
func TestSuccessorRemembersTheFill(t *testing.T) {
	for _, with := range []string{"topic", "files", "files that were removed"} {
		t.Run(with, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, 1)
			s.configure(noOps)
			r := rand.New(rand.NewPCG(3, 3))
			known, want := words(r, 60), "duplicate"
			older := s.deployment(s.name, "", shingles[0])
			fill := []string{"fill", "--config", older}
			if with == "topic" {
				archive := s.name + ".archive"
				s.create(archive, 1, nil)
				check(t, s.client.ProduceSync(s.bounded(), &kgo.Record{Topic: archive, Value: []byte(known)}).FirstErr())
				fill = append(fill, "--topic", archive)
			} else {
				fill = append(fill, "--format", "lines", s.written("old.txt", known+"\n"))
			}
			start(t, s.dir, fill...).endsWell()
			if with == "files that were removed" {
				start(t, s.dir, "backfill", "remove", s.name, "--yes", "--config", older).endsWell()
				want = "unique"
			}
			start(t, s.dir, "run", "--config", older)
			s.send(&kgo.Record{Value: []byte(words(r, 60))})
			s.settled()
			newer := s.deployment(s.name+"-2", s.name, shingles[1])
			start(t, s.dir, "run", "--config", newer).says(saysFilled)
			start(t, s.dir, "takeover", "--config", newer).endsWell()
			s.send(&kgo.Record{Value: []byte(known)})
			successor := *s
			successor.name += "-2"
			successor.settled()
			found := false
			s.read(s.source+"."+want, func(r *topic.Record) { found = found || string(r.Value) == known })
			if !found {
				t.Errorf("what the first group was filled with is not %s", want)
			}
		})
	}
}

func TestHandoverKilled(t *testing.T)     { handoversKilled(t, 2, 6) }
func TestHandoverKilledLong(t *testing.T) { handoversKilled(t, 25, 100) }

// handoversKilled has two groups take over from each other, from word:3 to char:5 and back with a new journal, while documents come all
// the time and commands and members are killed. It ends after so many turns, once so many kills fell within handovers.
// Each document comes out once, says the tests' own reader.
func handoversKilled(t *testing.T, turns, kills int) {
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
	t.Logf("%d turns in %v, %d kills within handovers %v, %d at other moments, %d documents", turn,
		took.Round(time.Second), x.counted(), x.kills, x.vain, x.total())
}
