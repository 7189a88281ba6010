package audit_test

import (
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/audit"
	"github.com/unecho/unecho/sink"
)

// unasked forwards a document of partition 0 that nobody asked to check.
func (s *scene) unasked() *kgo.Record {
	s.t.Helper()
	r := s.document(0, "a document of which a condition does not hold")
	return s.output(func(dst *kgo.Record) { s.batch.Unchecked(dst, r, sink.ByCondition) })
}

// Where the settings have conditions, a document without a verdict may be unique, and then says why. Output 5 is such a
// one.
func TestUncheckedDocuments(t *testing.T) {
	const with, without = `{"sources[0].when[0].equals":"en","sources[0].when[0].header":"lang","test":"settings"}`, `{"test":"settings"}`
	for _, c := range []struct {
		name, settings string
		do             func(s *scene)
		broken         func(r *audit.Report) int
		says           string
	}{
		{"as it should", with, func(*scene) {}, nil, ""},
		{"no conditions", without, func(*scene) {}, different, "unecho-unchecked is there, and the settings have no sources.when"},
		{"it does not say so", with, func(s *scene) { drop(s.outputs[5], sink.HeaderUnchecked) }, different, "unique without a verdict in the journal"},
		{"it says something else", with, func(s *scene) { set(s.outputs[5], sink.HeaderUnchecked, "mood") }, different, `unecho-unchecked is "mood"`},
		{"as a duplicate", with, func(s *scene) {
			set(s.outputs[5], sink.HeaderVerdict, sink.Duplicate)
			s.outputs[5].Topic = "news.duplicate"
		}, different, `unecho-verdict is "duplicate"`},
		{"with a match", with, func(s *scene) { set(s.outputs[5], sink.HeaderMatch, "news/0/0") }, different, "unecho-match is"},
		{"a judged one says so", with, func(s *scene) { set(s.outputs[0], sink.HeaderUnchecked, "condition") }, different, "unecho-unchecked is \"condition\", and should not be there"},
		{"a rejected one says so", with, func(s *scene) { set(s.outputs[4], sink.HeaderUnchecked, "condition") }, different, "should not be there"},
		{"it is rejected", with, func(s *scene) { s.instead(5, sink.OutputRefused) }, nil, ""},
		{"it is lost", with, func(s *scene) { s.outputs = s.outputs[:5] }, func(r *audit.Report) int { return r.Lost }, "the journal has no verdict"},
		{"it comes twice", with, func(s *scene) { s.again(5, "") }, func(r *audit.Report) int { return r.Doubled }, "every pass has one"},
		{"it comes out of order", with, func(s *scene) { s.outputs[1], s.outputs[5] = s.outputs[5], s.outputs[1] }, func(r *audit.Report) int { return r.Misordered }, "misordered"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t)
			s.settings = []byte(c.settings)
			s.reset()
			s.tell()
			s.unasked()
			c.do(s)
			got := s.audit()
			wrong := 0
			if c.broken != nil {
				wrong = c.broken(&got)
			}
			if got.Broken() != wrong || (wrong > 0) != (c.broken != nil) || !strings.Contains(got.String(), c.says) || got.Records != 6 {
				t.Errorf("got %s\n  want %s", got.String(), c.says)
			}
		})
	}
}

func different(r *audit.Report) int { return r.Different }
