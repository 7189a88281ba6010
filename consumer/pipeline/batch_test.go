package pipeline

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/measure"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/signing"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/sink"
)

// judgedBatch is a batch of two topics, written 30 s before now: of each of the first documents two were copies.
func judgedBatch(now time.Time, documents int, by *measure.Counters) *Batch {
	doc := func(kind int) item {
		it := item{record: &kgo.Record{Timestamp: now.Add(-30 * time.Second)}, Document: protocol.Document{Judged: true}}
		match := index.Match{Method: compare.Jaccard, Similarity: compare.Similarity{Num: 9, Den: 10}}
		switch kind {
		case 1:
			it.Verdict.Match = match
		case 2:
			it.Verdict.Match, it.Verdict.Reemitted = match, true
		case 3:
			it.Judged, it.refused.Rejection = false, &document.Rejection{Reason: sink.Empty}
			it.record.Timestamp = time.UnixMilli(-1)
		}
		return it
	}
	b := &Batch{pipeline: &Pipeline{Setup: &Setup{Counters: by}}}
	for _, topic := range []string{"mail", "news"} {
		g := group{Group: protocol.Group{Assignment: &protocol.Assignment{TopicPartition: protocol.TopicPartition{Topic: topic, Source: entry.Source{Partition: 3}}}}}
		for i := range documents {
			g.items = append(g.items, doc(i%4))
		}
		b.groups = append(b.groups, g)
	}
	return b
}

func TestOutput(t *testing.T) {
	now := time.UnixMilli(1_700_000_000_000)
	counters := func() *measure.Counters { return measure.NewCounters([]string{"news", "mail"}) }
	b := judgedBatch(now, 4, counters())
	b.groups[1].items = b.groups[1].items[:2]
	b.groups[1].items[0].refused.ByBytes = true
	b.groups[0].items = append(b.groups[0].items, item{
		record: &kgo.Record{Timestamp: time.UnixMilli(-1)}, Document: protocol.Document{Rejected: true, Unchecked: true},
		refused: signing.Refused{Unchecked: sink.ByCondition},
	}, item{record: &kgo.Record{Timestamp: time.UnixMilli(-1)}, Document: protocol.Document{Bypassed: true}})
	for i := range b.groups[0].items {
		b.groups[0].items[i].record.Offset = int64(10 + i)
	}
	b.Count()
	b.Committed(now)
	c := counters() // the second one begins from nothing
	b.pipeline.Counters = c
	b.Count()
	if got := c.Output(); got.Unique+got.Duplicate+got.Delay.Count != 0 {
		t.Errorf("%+v is counted before the commit", got)
	}
	b.Committed(now)
	got := c.Output()
	if want := []measure.Verdicts{
		{Topic: "news", Unique: 1, Duplicate: 1}, {Topic: "mail", Unique: 2, Duplicate: 1, Rejected: 1, Unchecked: 2},
	}; !slices.Equal(got.Topics, want) || got.Unique != 3 ||
		got.Duplicate != 2 || got.Unchecked != 2 || got.UncheckedBy[sink.ByCondition] != 1 || got.UncheckedBy[sink.InOutage] != 1 {
		t.Errorf("%+v, want %+v; unchecked %v", got.Topics, want, got.UncheckedBy)
	}
	if got.ByBytes != 1 {
		t.Errorf("%d are counted as compared by their bytes, want 1", got.ByBytes)
	}
	if got.Reemitted != 1 || got.Rejected[sink.Empty] != 1 || got.Rejected[sink.TooLarge] != 0 {
		t.Errorf("%d emitted again, rejected %v", got.Reemitted, got.Rejected)
	}
	for offset, last := range map[int64][]measure.Example{
		13: got.LastRejected[sink.Empty], 14: got.LastUnchecked[sink.ByCondition], 15: got.LastUnchecked[sink.InOutage],
	} {
		want := measure.Example{Source: b.groups[0].Source, Topic: "mail", Offset: offset, Time: -1}
		if !slices.Equal(last, []measure.Example{want}) {
			t.Errorf("the last of a reason are %v, want %v", last, want)
		}
	}
	if s := got.Similarity; s.Count != 3 || math.Abs(s.Sum-2.7) > 1e-9 || s.Counts[12] != 3 {
		t.Errorf("similarities %+v", s)
	}
	if c.Commits.Load() != 1 {
		t.Error("the commit is not counted")
	}
	if d := got.Delay; d.Count != 5 || d.Sum != 150 || d.Counts[10] != 5 {
		t.Errorf("delays %+v", d)
	}
}

// The first document that is rejected for a reason is told of, with its place and without its text; no other is.
func TestFirstRejectionIsLogged(t *testing.T) {
	var log bytes.Buffer
	b := judgedBatch(time.UnixMilli(1_700_000_000_000), 8, measure.NewCounters(nil))
	b.pipeline.Logger = zerolog.New(&log)
	for g, it := range b.items {
		it.record.Offset, it.record.Value = 4, []byte("secret")
		if it.refused.Rejection != nil && g.Topic == "news" {
			it.refused.Rejection.Reason, it.refused.Rejection.Detail = sink.MissingField, "secret"
		}
	}
	for range 3 {
		b.Count()
	}
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	if len(lines) != 2 || strings.Contains(log.String(), "secret") {
		t.Fatalf("of two reasons the log has\n%s", log.String())
	}
	for i, want := range []string{
		`"reason":"empty","topic":"mail","partition":3,"offset":4,"remedy":"` + sink.Empty.Remedy(),
		`"reason":"missing_field","topic":"news","partition":3,"offset":4,"remedy":"` + sink.MissingField.Remedy(),
	} {
		if !strings.Contains(lines[i], `"level":"warn",`+want) {
			t.Errorf("line %d is %s, want %s", i, lines[i], want)
		}
	}
	for _, reason := range sink.Reasons() {
		if reason.Remedy() == "" {
			t.Errorf("nobody says what to do about %s", reason)
		}
	}
}

// A document from the future was committed at once.
func TestDelayOfTheFuture(t *testing.T) {
	now := time.UnixMilli(1_700_000_000_000)
	c := measure.NewCounters(nil)
	b := judgedBatch(now.Add(time.Hour), 1, c)
	b.Count()
	b.Committed(now)
	if d := c.Output().Delay; d.Sum != 0 || d.Counts[0] != 2 {
		t.Errorf("the delays of two documents of the future are %+v; want both in the first bucket, and the sum 0", d)
	}
}

func BenchmarkOutput(b *testing.B) {
	const documents = 5000
	now := time.Now()
	of := judgedBatch(now, documents/2, measure.NewCounters([]string{"news", "mail"}))
	b.ReportAllocs()
	for b.Loop() {
		of.Count()
		of.Committed(now)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*documents), "ns/doc")
}
