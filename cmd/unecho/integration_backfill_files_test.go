package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/consumer/backfill"
	"github.com/unecho/unecho/consumer/topic"
)

// archive writes files of JSON documents, a minute apart, a third of which are copies. It returns their names.
func (s *scene) archive(files, documents int) (names []string) {
	s.t.Helper()
	r := rand.New(rand.NewPCG(3, 5))
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var texts []string
	for f := range files {
		var b strings.Builder
		for i := range documents {
			text := words(r, 30)
			if len(texts) > 0 && r.IntN(3) == 0 {
				text = texts[r.IntN(len(texts))]
			}
			texts = append(texts, text)
			line, err := json.Marshal(map[string]any{"text": text, "at": start.Add(time.Duration(f*documents+i) * time.Minute)})
			check(s.t, err)
			fmt.Fprintf(&b, "%s\n", line)
		}
		names = append(names, filepath.Join(s.dir, fmt.Sprintf("%d.jsonl", f)))
		check(s.t, os.WriteFile(names[f], []byte(b.String()), 0o600))
	}
	return names
}

// came reads a topic of records by the file that they name.
func (s *scene) came(name string, by map[string]string) {
	s.t.Helper()
	s.read(name, func(r *topic.Record) {
		said := fmt.Sprintf("%s %s", strings.TrimPrefix(name[strings.LastIndexByte(name, '.'):], "."), r.Time.UTC().
			Format(time.RFC3339))
		place := ""
		for _, h := range r.Headers {
			switch h.Key {
			case backfill.HeaderFile:
				place = strings.TrimPrefix(string(h.Value), s.dir+"/")
			case "unecho-match-id", "unecho-late":
				said += " " + h.Key + "=" + string(h.Value)
			case "unecho-position":
				s.t.Errorf("%s of %s is in the output", h.Key, place)
			}
		}
		if was, twice := by[place]; twice {
			s.t.Errorf("%s came out twice: %s, %s", place, was, said)
		}
		by[place] = said
	})
}

// outcome is what came of a job over files.
func (s *scene) outcome(job string) map[string]string {
	s.t.Helper()
	by := map[string]string{}
	for _, output := range []string{"unique", "duplicate", "rejected"} {
		s.came(job+".backfill."+output, by)
	}
	return by
}

// Documents of files come out once and in the files' order, with the same verdicts, however often the process is
// killed: while it loads them, and while it judges.
func TestBackfillFilesKilled(t *testing.T) {
	t.Parallel()
	s := newScene(t, 0)
	s.configure(s.inDirectory(), noOps, "advanced: {member: m}")
	s.configureJSON("header:file")
	const files, documents = 3, 12_000
	names := s.archive(files, documents)
	command := func(job string) []string {
		return append([]string{"--name", job, "--time", "at", "--files"}, names...)
	}
	job, calm := s.name+"-killed", s.name+"-calm"
	loaded := func() (n int64) {
		_, n, err := topic.Extent(s.bounded(), s.kafka, backfill.FilesOf(job), 0)
		if err != nil {
			return 0
		}
		return n
	}
	p := killed(1, func(int) *process { return s.replays(command(job)...) },
		func(all []*process) { s.waitFor(all, func() bool { return loaded() >= 10_000 }) },
		func(all []*process) { s.waitFor(all, func() bool { return loaded() >= 20_000 }) },
		func(all []*process) { s.waitFor(all, func() bool { return s.done(backfill.GroupOf(job)) >= 5_000 }) })[0]
	p.kill()
	if said := s.replays("--name", job).endsWell(); !strings.Contains(said, "36,000 documents from start to end") {
		t.Errorf("it says at the end: %s", said)
	}
	s.replays(command(calm)...).endsWell()
	got, want := s.outcome(job), s.outcome(calm)
	if len(want) != files*documents || !maps.Equal(got, want) {
		t.Errorf("%d documents came out of %d, and of the other %d", len(got), files*documents, len(want))
	}
	if first := want["0.jsonl:1"]; first != "unique 2026-01-01T00:00:00Z" {
		t.Errorf("the first came out as %q", first)
	}
}

// In several partitions, in the order of times, the documents have the verdicts of one partition, however often the
// loading is killed: a transaction ends in the middle of the partitions. As they come, each of them comes out once, from whichever of two processes.
func TestBackfillFilesInPartitions(t *testing.T) {
	t.Parallel()
	s := newScene(t, 0)
	s.configure(s.inDirectory(), noOps)
	s.configureJSON("header:file")
	const files, documents = 3, 8_000
	names := s.archive(files, documents)
	command := func(job string, flags ...string) []string {
		return append(append([]string{"--name", job}, flags...), append([]string{"--files"}, names...)...)
	}
	one, timed, arrived := s.name+"-one", s.name+"-timed", s.name+"-arrived"
	s.replays(command(one, "--time", "at")...).endsWell()
	p := s.replays(command(timed, "--time", "at", "--partitions", "3")...)
	s.waitFor([]*process{p}, func() bool {
		_, n, err := topic.Extent(s.bounded(), s.kafka, backfill.FilesOf(timed), 0)
		return err == nil && n >= 2_500
	})
	p.kill()
	s.replays(command(timed, "--time", "at", "--partitions", "4")...).fails("has 3 partitions, not 4")
	s.replays(command(timed)...).fails("holds in one partition only")
	s.replays(command(timed, "--time", "at")...).endsWell()
	want := s.outcome(one)
	if got := s.outcome(timed); len(want) != files*documents || !maps.Equal(got, want) {
		t.Errorf("%d documents came out of %d, and of the other %d", len(got), files*documents, len(want))
	}
	p = s.replays(command(arrived, "--order", "arrival", "--partitions", "4")...)
	p.says("reading begins") // now the range is fixed
	s.without("topics: [" + s.source + "], ")
	second := s.replays("--name", arrived)
	none := s.replays("--name", arrived+"-none")
	p.endsWell()
	second.endsWell()
	for _, args := range [][]string{{"list"}, {"remove", "--yes", arrived}} {
		startProgram(t, s.dir, plain(t), append(append([]string{"backfill"}, args...), "--config", s.file)...).endsWell()
	}
	none.fails("there is no backfill")
	if got := s.outcome(arrived); len(got) != files*documents {
		t.Errorf("%d documents came out of %d", len(got), files*documents)
	}
}

// without takes a text out of the configuration.
func (s *scene) without(part string) {
	s.t.Helper()
	text, err := os.ReadFile(s.file)
	check(s.t, err)
	check(s.t, os.WriteFile(s.file, []byte(strings.Replace(string(text), part, "", 1)), 0o600))
}

// configureJSON has documents of JSON, and an id.
func (s *scene) configureJSON(id string) {
	s.t.Helper()
	text, err := os.ReadFile(s.file)
	check(s.t, err)
	check(s.t, os.WriteFile(s.file,
		[]byte(strings.Replace(string(text), s.sources(""), s.sources(", format: json, id: '"+id+"'"), 1)), 0o600))
}

// written writes a file, and returns its name.
func (s *scene) written(name, text string) string {
	s.t.Helper()
	path := filepath.Join(s.dir, name)
	check(s.t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// Files that are half loaded, or do not suit the settings, are refused with what to do. Tables become objects,
// and documents without a time stand where the one before them does.
func TestBackfillFilesInput(t *testing.T) {
	t.Parallel()
	s := newScene(t, 0)
	s.configure(s.inDirectory(), noOps)
	s.configureJSON("field:id")
	jsonl := s.written("a.jsonl", `{"id":"a","text":"one two three four five","at":1767225600}`+"\n"+
		`{"id":"b","text":"one two three four five"}`+"\n")
	table := s.written("b.csv", "id,text,at\nc,\"one, two three four five\",2026-01-01T00:01:00Z\nd,\"six seven eight "+
		"nine ten\",never\n")
	lines := s.written("c.txt", "one two three four five\n")
	job := s.name + "-job"
	for _, c := range []struct {
		name string
		args []string
		code int
		says string
	}{
		{"no name", []string{"--files", jsonl}, exit.BadUsage, "give the job a name with --name"},
		{"a topic too", []string{"--name", job, "--topic", "x", "--files", jsonl}, exit.BadUsage, "--topic and --files: choose one"},
		{"no files", []string{"--name", job, "--time", "at"}, exit.BadUsage, "name them with --files"},
		{"partitions without order", []string{"--name", job, "--partitions", "4", "--files", jsonl}, exit.BadUsage, "add --order arrival"},
		{
			"too many partitions",
			[]string{"--name", job, "--time", "at", "--partitions", "1001", "--files", jsonl},
			exit.BadUsage,
			"write a number from 1 to 1000",
		},
		{"partitions without files", []string{"--name", job, "--partitions", "4"}, exit.BadUsage, "name them with --files"},
		{"an argument", []string{jsonl}, exit.BadUsage, "takes no arguments"},
		{"not there", []string{"--name", job, "--files", jsonl + ".gone"}, exit.BadUsage, "a.jsonl.gone"},
		{"of text", []string{"--name", job, "--format", "lines", "--files", lines}, exit.BadUsage, "need sources.format raw, which is json"},
		{"half loaded", []string{"--name", job}, exit.Failed, "are not all loaded"},
		{"all", []string{"--name", job, "--time", "at", "--files", jsonl, table}, 0, "2 documents without a usable time in at"},
		{"again", []string{"--name", job, "--time", "at", "--files", jsonl, table}, 0, "the range was judged before"},
	} {
		if c.name == "half loaded" {
			if e := s.listed(job); e.State != "half-loaded" || !strings.HasSuffix(e.Next, "--files FILE...") {
				t.Errorf("it is listed as %+v", e)
			}
		}
		p := s.replays(c.args...)
		if code := p.exits(patience); code != c.code || !strings.Contains(p.log.String(), c.says) {
			t.Errorf("%s: it ends with %d, want %d and %q: %s", c.name, code, c.code, c.says, p.log)
		}
	}
	want := map[string]string{ // an output shows -1, no time, as a second before 1970
		"a.jsonl:1": "unique 2026-01-01T00:00:00Z", "a.jsonl:2": "duplicate 1969-12-31T23:59:59Z unecho-match-id=a",
		"b.csv:1": "duplicate 2026-01-01T00:01:00Z unecho-match-id=a", "b.csv:2": "unique 1969-12-31T23:59:59Z",
	}
	if got := s.outcome(job); !maps.Equal(got, want) {
		t.Errorf("came out %v, want %v", got, want)
	}
}

// Of two processes that load the files of one job the later one goes on, and other files than those from before are
// refused.
func TestBackfillFilesOfOneJob(t *testing.T) {
	t.Parallel()
	s := newScene(t, 0)
	s.configure(s.inDirectory(), noOps)
	s.configureJSON("field:id")
	begun := s.name + "-begun"
	jsonl, other := s.written("a.jsonl", `{"id":"a"}`+"\n"), s.written("other.jsonl", `{"id":"x","text":"another"}`+"\n")
	p := s.replays("--name", begun, "--files", jsonl, s.written("bad.csv", "id,text\n1\n"))
	if code := p.exits(patience); code == 0 {
		t.Errorf("a damaged table is loaded: %s", p.log)
	}
	load := func() *backfill.Loader {
		l, err := backfill.NewLoader(s.bounded(), backfill.LoadParams{
			Kafka: s.kafka, Name: begun, Topic: backfill.FilesOf(begun), MaxRecordBytes: 1 << 20,
		})
		check(t, err)
		return l
	}
	loads := func(l *backfill.Loader) error {
		return errors.Join(l.Add(s.bounded(), &backfill.Document{Place: jsonl + ":1", Value: []byte(`{"id":"a"}`)}),
			l.Finish(s.bounded()))
	}
	earlier := load()
	loader := load()
	if err := loads(earlier); err == nil ||
		!strings.Contains(err.Error(), "another process loads the files of this backfill") {
		t.Errorf("of two that load, the earlier one says %v", err)
	}
	_ = earlier.Close(s.bounded()) // it has nothing to leave out any more
	check(t, loads(loader))
	check(t, loader.Close(s.bounded()))
	s.replays("--name", begun, "--files", other).fails("these are not the files that the backfill began with")
}
