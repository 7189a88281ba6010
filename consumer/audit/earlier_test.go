package audit_test

import (
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/audit"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/sink"
)

// succession is a service whose journal was replaced, as change.md says, to change its settings. The outputs of the
// first three records are of the earlier journal, and the group went on behind them.
func succession(t *testing.T, algorithm, name string) *scene {
	t.Helper()
	s := newScene(t)
	s.batch = sink.New(sink.DefaultParams(), name, algorithm).NewBatch()
	for _, text := range []string{
		"decided by an earlier journal", "and so was this one",
		"and the last of its partition",
	} {
		r := s.document(0, text)
		s.output(func(dst *kgo.Record) { s.batch.Verdict(dst, r, &index.Verdict{Offset: r.Offset}) })
	}
	s.outputs[1] = s.reject(s.sources[1], sink.Empty)
	s.outputs = s.outputs[:3]
	s.batch = s.newBatch()
	s.append(&index.Settings{Text: settings, Wall: time.Now().UnixMilli()})
	s.reposition(0, 3, 1)
	s.forward(s.document(0, "the first of the new journal"), 1)
	return s
}

// setBack sets the offsets back to what the earlier journal has decided, which comes out again.
func setBack(t *testing.T, algorithm string) *scene {
	t.Helper()
	s := succession(t, algorithm, "main")
	s.announce(0, 1, 4)
	s.reposition(0, 1, 2)
	s.reject(s.sources[1], sink.Empty)
	s.forward(s.sources[2], 2)
	s.forward(s.sources[3], 2)
	return s
}

const earlierAlgorithm = "minhash/1:0123456789abcdef"

func TestEarlierJournal(t *testing.T) {
	for _, c := range []struct {
		name string
		s    func(t *testing.T) *scene
		want audit.Report
	}{
		{"other settings", func(t *testing.T) *scene { return succession(t, earlierAlgorithm, "main") }, audit.Report{Records: 1, Unique: 3, Rejected: 1, Earlier: 3}},
		{"another index", func(t *testing.T) *scene { return succession(t, algorithm, "old") }, audit.Report{Records: 1, Unique: 3, Rejected: 1, Earlier: 3}},
		{"the same settings, for the journal was lost", func(t *testing.T) *scene { return succession(t, algorithm, "main") }, audit.Report{Records: 1, Unique: 3, Rejected: 1, Earlier: 3}},
		{"what it altered is found", func(t *testing.T) *scene {
			s := succession(t, earlierAlgorithm, "main")
			s.outputs[0].Value = []byte("something else")
			return s
		}, audit.Report{Records: 1, Unique: 3, Rejected: 1, Earlier: 3, Altered: 1}},
		{"what the new journal began may not be of the earlier one", func(t *testing.T) *scene {
			s := succession(t, earlierAlgorithm, "main")
			set(s.outputs[3], "unecho-algorithm", earlierAlgorithm)
			return s
		}, audit.Report{Records: 1, Unique: 3, Rejected: 1, Earlier: 3, Different: 1}},
		{"set back behind the beginning: the earlier outputs are no second ones", func(t *testing.T) *scene { return setBack(t, earlierAlgorithm) }, audit.Report{Records: 3, Unique: 5, Rejected: 2, Earlier: 3}},
		{"the same by settings that did not change", func(t *testing.T) *scene { return setBack(t, algorithm) }, audit.Report{Records: 3, Unique: 5, Rejected: 2, Earlier: 3}},
		{"set back, and one is lost", func(t *testing.T) *scene {
			s := succession(t, earlierAlgorithm, "main")
			s.announce(0, 1, 4)
			s.reposition(0, 1, 2)
			s.reject(s.sources[1], sink.Empty)
			s.judge(s.sources[2], 2)
			s.forward(s.sources[3], 2)
			return s
		}, audit.Report{Records: 3, Unique: 4, Rejected: 2, Earlier: 3, Lost: 1}},
		{"of a partition that the new journal has not begun", func(t *testing.T) *scene {
			s := succession(t, earlierAlgorithm, "main")
			r := s.document(1, "nobody has read this partition since")
			s.batch = sink.New(sink.DefaultParams(), "main", earlierAlgorithm).NewBatch()
			s.output(func(dst *kgo.Record) { s.batch.Verdict(dst, r, &index.Verdict{}) })
			return s
		}, audit.Report{Records: 1, Unique: 4, Rejected: 1, Earlier: 4}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := c.s(t).audit(); !sameCounts(got, c.want) {
				t.Errorf("got  %s\nwant %s", got.String(), c.want.String())
			}
		})
	}
}

// The outcome claims no more than the audit could check.
func TestOutcome(t *testing.T) {
	for _, c := range []struct {
		report audit.Report
		want   audit.Outcome
	}{
		{audit.Report{}, audit.Nothing},
		{audit.Report{Pending: 9, Unique: 3, Earlier: 3}, audit.Nothing},
		{audit.Report{Altered: 1}, audit.Broken},
		{audit.Report{Records: 34, Unjudged: 34}, audit.Delivered},
		{audit.Report{Records: 35, Unjudged: 34}, audit.Partly},
		{audit.Report{Records: 34}, audit.Proven},
		{audit.Report{Records: 34, Lost: 1}, audit.Broken},
	} {
		if got := c.report.Outcome(); got != c.want {
			t.Errorf("%s: got %s, want %s", c.report.String(), got, c.want)
		}
	}
}
