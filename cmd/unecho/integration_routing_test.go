package main

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/consumer/audit"
	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/topic"
)

// On real Kafka: members that would take documents away are refused beside one at work, so that every document has its
// output; then the outputs are changed by one command, the members that do not know end, and what was remembered is.
func TestMembersOfAnotherRouting(t *testing.T) {
	t.Parallel()
	s := newScene(t, 4)
	s.configure(s.inDirectory(), s.consumer(""), noOps)
	p := s.run()
	p.says(`"ready"`)
	for differs, flags := range map[string][]string{
		"--dry-run: true here": {"--dry-run"}, "outputs.unique of": {"--set", "outputs.unique.topic=" + s.name + ".other"},
		"sources[0].start": {"--set", "sources.start=latest"},
	} {
		wrong := start(t, s.dir, append([]string{"run", "--config", s.file, "--set", "advanced.member=wrong"}, flags...)...)
		if code := wrong.exits(patience); code != exit.Failed {
			t.Errorf("%s: it ends with %d", flags, code)
		}
		for _, what := range []string{"the routing differs", differs, "unecho routing apply --config FILE"} {
			if !strings.Contains(wrong.log.String(), what) {
				t.Errorf("%s: it does not say %q: %s", flags, what, wrong.log)
			}
		}
	}
	for seed := range uint64(2) {
		s.produce(200, seed)
		s.settled()
	}
	s.audited(s.name + ".journal")

	elsewhere := []string{"--set", "outputs.unique.topic=" + s.name + ".u", "--set", "outputs.duplicate.topic=" + s.name + ".d", "--set", "outputs.rejected.topic=" + s.name + ".r"}
	for _, output := range []string{"u", "d", "r"} {
		s.create(s.name+"."+output, 4, nil)
	}
	told := s.exec("routing", append([]string{"apply"}, elsewhere...)...)
	if !strings.Contains(told, "in force as routing 2") {
		t.Errorf("apply says %s", told)
	}
	if code := p.exits(patience); code != exit.Failed || !strings.Contains(p.log.String(), "the routing differs") {
		t.Errorf("the member at work ends with %d: %s", code, p.log)
	}
	before := s.forwarded()
	p = s.run(elsewhere...)
	p.says(`"ready"`)
	for seed := range uint64(2) { // the same again
		s.produce(200, seed)
		s.settled()
	}
	stopAll(t, patience, p)
	if after := s.forwarded(); after != before || before != 400 {
		t.Errorf("%d documents were in the former outputs, and are %d now", before, after)
	}
	if unique, duplicate, rejected := s.sum(".u"), s.sum(".d"), s.sum(".r"); unique != 0 || duplicate+rejected != 400 {
		t.Errorf("of the same 400 documents %d are unique, %d duplicates, %d rejected", unique, duplicate, rejected)
	}
	for _, c := range []struct {
		by  []string
		due int // at least: of what was judged last before the change nobody announced that it was forwarded
	}{{nil, 200}, {elsewhere, 400}} {
		report := s.auditLine(s.file, c.by...)
		if report.Outcome != audit.Proven || report.Records < c.due || report.Records > 400 || report.Elsewhere != 400 {
			t.Errorf("an audit by %q: %s", c.by, report.String())
		}
	}
}

// forwarded counts the committed records of the three outputs.
func (s *scene) forwarded() (n int) {
	s.t.Helper()
	return s.sum(".news.unique", ".news.duplicate", ".news.rejected")
}

// sum counts the committed records of some of the scene's topics.
func (s *scene) sum(names ...string) (n int) {
	s.t.Helper()
	for _, name := range names {
		s.read(s.name+name, func(*topic.Record) { n++ })
	}
	return n
}

// read hands on the records of a topic, when what was committed to it can be read.
func (s *scene) read(name string, fn func(*topic.Record)) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 10*time.Minute) // a long test has a million
	defer cancel()
	_, err := broker.AwaitCommitted(ctx, s.admin, name)
	check(s.t, err)
	check(s.t, topic.ReadSpan(ctx, s.kafka, name, topic.Span{}, func(r *topic.Record) error {
		fn(r)
		return nil
	}))
}
