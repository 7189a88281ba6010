package audit_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/audit"
	"github.com/unecho/unecho/sink"
)

// harm is done to the outputs of a story. Outputs 0 and 1 are unique, 2 and 3 duplicate, 4 is rejected.
type harm struct {
	name string
	do   func(s *scene)
	want audit.Report // without records and findings; without counts of outputs, those of the story are meant
	says string
}

func tryEach(t *testing.T, harms []harm) {
	for _, c := range harms {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := story(t)
			c.do(s)
			got, want := s.audit(), c.want
			if want.Records = 5; want.Unique+want.Duplicate+want.Rejected == 0 {
				want.Unique, want.Duplicate, want.Rejected = 2, 2, 1
			}
			if !sameCounts(got, want) || got.OK() || !strings.Contains(got.String(), c.says) {
				t.Errorf("got %s\nwant %s\n  with %s", got.String(), want.String(), c.says)
			}
		})
	}
}

func TestEachOnceAndInOrder(t *testing.T) {
	tryEach(t, []harm{
		{
			"a unique is lost", func(s *scene) { s.outputs = s.outputs[1:] },
			audit.Report{Unique: 1, Duplicate: 2, Rejected: 1, Lost: 1},
			"lost: news/0/0: in no output; the journal says unique",
		},
		{
			"a rejected one is lost", func(s *scene) { s.outputs = s.outputs[:4] },
			audit.Report{Unique: 2, Duplicate: 2, Lost: 1},
			"lost: news/0/2: in no output; the journal has no verdict",
		},
		{
			"twice", func(s *scene) { s.again(2, "") },
			audit.Report{Unique: 2, Duplicate: 3, Rejected: 1, Doubled: 1},
			"doubled: news/1/0 in news.duplicate/1/2: every pass has one already",
		},
		{"in two topics", func(s *scene) { s.again(0, "news.rejected") }, audit.Report{Unique: 2, Duplicate: 2, Rejected: 2, Doubled: 1}, "doubled: news/0/0"},
		{
			"order", func(s *scene) { s.outputs[2], s.outputs[3] = s.outputs[3], s.outputs[2] },
			audit.Report{Misordered: 1},
			"misordered: news/1/1 in news.duplicate/1/0: before news/1/0",
		},
		{
			"from nowhere", func(s *scene) { s.again(0, ""); set(s.outputs[5], "unecho-source", "news/0/99") },
			audit.Report{Unique: 3, Duplicate: 2, Rejected: 1, Invented: 1},
			"there is no such source record",
		},
		{
			"from another topic", func(s *scene) { s.again(0, ""); set(s.outputs[5], "unecho-source", "olds/0/0") },
			audit.Report{Unique: 3, Duplicate: 2, Rejected: 1, Invented: 1},
			"names no audited source partition",
		},
		{
			"coordinates written otherwise", func(s *scene) { s.again(0, ""); set(s.outputs[5], "unecho-source", "news/00/0") },
			audit.Report{Unique: 3, Duplicate: 2, Rejected: 1, Invented: 1},
			"names no audited source partition",
		},
	})
}

func TestAltered(t *testing.T) {
	tryEach(t, []harm{
		{"another value", func(s *scene) { s.outputs[0].Value = []byte("x") }, audit.Report{Altered: 1}, "the value: 114 bytes, now 1"},
		{"a null key", func(s *scene) { s.outputs[0].Key = nil }, audit.Report{Altered: 1}, "the key: 121 bytes, now 0"},
		{"another header", func(s *scene) { set(s.outputs[1], "lang", "de") }, audit.Report{Altered: 1}, "the headers: 6 bytes, now 6"},
		{"a header lost", func(s *scene) { drop(s.outputs[1], "lang") }, audit.Report{Altered: 1}, "the headers: 6 bytes, now 0"},
		{"a header more", func(s *scene) { set(s.outputs[1], "more", "") }, audit.Report{Altered: 1}, "the headers: 6 bytes, now 10"},
		{"another timestamp", func(s *scene) { s.outputs[3].Timestamp = time.UnixMilli(7) }, audit.Report{Altered: 1}, "now 1970-01-01T00:00:00.007Z"},
		{
			"another timestamp, and its own wrong",
			func(s *scene) { set(s.outputs[4], "unecho-timestamp", "2026-01-01T00:00:00.000Z") },
			audit.Report{Altered: 1, Retimed: 1},
			`unecho-timestamp is "2026-01-01T00:00:00.000Z", the timestamp was `,
		},
		{
			"another timestamp, and its own in another form",
			func(s *scene) {
				set(s.outputs[4], "unecho-timestamp", s.outputs[4].Timestamp.UTC().Format(time.RFC3339))
			},
			audit.Report{Altered: 1, Retimed: 1},
			`, the timestamp was `,
		},
		{
			"a value withheld, and its length wrong",
			func(s *scene) { s.outputs[4].Value = nil; set(s.outputs[4], "unecho-value-bytes", "2") },
			audit.Report{Altered: 1},
			`unecho-value-bytes is "2", the value had 1 bytes`,
		},
		{"a value said to be withheld", func(s *scene) { set(s.outputs[4], "unecho-value-bytes", "1") }, audit.Report{Altered: 1}, "and so is the value"},
	})
}

func TestHeadersAreTheVerdict(t *testing.T) {
	tryEach(t, []harm{
		{
			"wrong similarity", func(s *scene) { set(s.outputs[3], "unecho-similarity", "0.9999") },
			audit.Report{Different: 1},
			`different: news/1/1 in news.duplicate/1/1: unecho-similarity is "0.9999", the journal says "0.95`,
		},
		{"wrong match", func(s *scene) { set(s.outputs[3], "unecho-match", "news/0/1") }, audit.Report{Different: 1}, `unecho-match is "news/0/1"`},
		{"wrong id", func(s *scene) { set(s.outputs[3], "unecho-match-id", "\x1b[31m") }, audit.Report{Different: 1}, `unecho-match-id is "\x1b[31m"`},
		{"wrong time", func(s *scene) { set(s.outputs[3], "unecho-match-time", "") }, audit.Report{Different: 1}, "unecho-match-time"},
		{"wrong method", func(s *scene) { set(s.outputs[3], "unecho-method", "identical") }, audit.Report{Different: 1}, "unecho-method"},
		{"wrong copy", func(s *scene) { set(s.outputs[3], "unecho-copy", "2") }, audit.Report{Different: 1}, `unecho-copy is "2", the journal says "3"`},
		{"wrong index", func(s *scene) { set(s.outputs[0], "unecho-index", "x") }, audit.Report{Different: 1}, "unecho-index"},
		{"wrong algorithm", func(s *scene) { set(s.outputs[0], "unecho-algorithm", "x") }, audit.Report{Different: 1}, "unecho-algorithm"},
		{"a header is missing", func(s *scene) { drop(s.outputs[3], "unecho-copy") }, audit.Report{Different: 1}, "unecho-copy is missing"},
		{
			"a timestamp that could be written", func(s *scene) {
				set(s.outputs[4], "unecho-reason", "bad_timestamp")
				set(s.outputs[4], "unecho-timestamp", strconv.FormatInt(s.outputs[4].Timestamp.UnixMilli(), 10))
			}, audit.Report{Different: 1}, "rejected as bad_timestamp, which ",
		},
		{"a cut that was none", func(s *scene) { set(s.outputs[0], "unecho-cut", "candidates") }, audit.Report{Different: 1}, "unecho-cut is \"candidates\", and should not be there"},
		{"an unknown header", func(s *scene) { set(s.outputs[0], "UNECHO-X", "1") }, audit.Report{Different: 1}, "should not be there"},
		{"a header twice", func(s *scene) {
			s.outputs[0].Headers = append(s.outputs[0].Headers, kgo.RecordHeader{Key: "unecho-index", Value: []byte("main")})
		}, audit.Report{Different: 1}, "unecho-index stands twice"},
	})
}

func TestTopicIsTheVerdict(t *testing.T) {
	tryEach(t, []harm{
		{
			"the other verdict", func(s *scene) { s.outputs[2].Topic = "news.unique"; set(s.outputs[2], "unecho-verdict", "unique") },
			audit.Report{Unique: 3, Duplicate: 1, Rejected: 1, Different: 1},
			`unecho-verdict is "unique", the journal says "duplicate"`,
		},
		{
			"the wrong topic", func(s *scene) { s.outputs[2].Topic = "news.unique" },
			audit.Report{Unique: 3, Duplicate: 1, Rejected: 1, Different: 1},
			"unecho-verdict is duplicate, which belongs to news.duplicate",
		},
		{"no verdict", func(s *scene) { drop(s.outputs[0], "unecho-verdict") }, audit.Report{Different: 1}, "which is no verdict"},
		{"unique without a verdict", func(s *scene) {
			*s.outputs[4] = *s.outputs[0]
			s.outputs[4].Headers = slices.Clone(s.outputs[4].Headers)
			set(s.outputs[4], "unecho-source", "news/0/2")
		}, audit.Report{Unique: 3, Duplicate: 2, Altered: 1, Different: 1}, "unique without a verdict in the journal"},
		{
			"rejected against its verdict", func(s *scene) { s.instead(1, sink.TooLarge) },
			audit.Report{Unique: 1, Duplicate: 2, Rejected: 2, Different: 1},
			"rejected, the journal holds a verdict that stands: unique",
		},
		{
			"a duplicate rejected against its verdict", func(s *scene) { s.instead(3, sink.TooLarge) },
			audit.Report{Unique: 2, Duplicate: 1, Rejected: 2, Different: 1},
			`rejected as "too_large", the journal holds a verdict`,
		},
		{"an unknown reason", func(s *scene) { set(s.outputs[4], "unecho-reason", "mood") }, audit.Report{Different: 1}, `unecho-reason is "mood"`},
		{"no reason", func(s *scene) { drop(s.outputs[4], "unecho-reason") }, audit.Report{Different: 1}, "unecho-reason is missing"},
		{"no detail", func(s *scene) { drop(s.outputs[4], "unecho-detail") }, audit.Report{Different: 1}, "unecho-detail is missing"},
	})
}
