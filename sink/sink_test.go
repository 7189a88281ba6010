package sink_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/sink"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const algorithm = "minhash/1:9f86d081884c7d65"

func encoder() *sink.Encoder { return sink.New(sink.DefaultParams(), "articles", algorithm) }

func source() *kgo.Record {
	return &kgo.Record{
		Topic: "news", Partition: 3, Offset: 42, Timestamp: time.UnixMilli(1767225600123),
		Key: []byte("k"), Value: []byte("a text"), Attrs: kgo.RecordAttrs{}, LeaderEpoch: 7, ProducerID: 9, ProducerEpoch: 1,
		Context: context.Background(),
		Headers: []kgo.RecordHeader{
			{Key: "trace", Value: []byte("t1")},
			{Key: "unecho-verdict", Value: []byte("unique")},
			{Key: "Unecho-Match", Value: []byte("forged")},
			{Key: "unech", Value: nil},
			{Key: "unecho", Value: []byte("not ours")},
		},
	}
}

func duplicate() *index.Verdict {
	return &index.Verdict{Offset: 42, Match: index.Match{
		Source: entry.Source{Partition: 1}, Topic: "news", Offset: 17, Time: 1767225599001, ID: "a/17",
		Similarity: compare.Similarity{Num: 12345, Den: 13000}, Method: compare.Jaccard, Copy: 2,
	}}
}

func show(r *kgo.Record) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s/%d key %s value %s at %s\n", r.Topic, r.Partition, quote(r.Key), quote(r.Value),
		r.Timestamp.UTC().Format(time.RFC3339Nano))
	for _, h := range r.Headers {
		fmt.Fprintf(&b, "  %-20s %s\n", h.Key, quote(h.Value))
	}
	return b.String()
}

func quote(b []byte) string {
	if b == nil {
		return "null"
	}
	return fmt.Sprintf("%q", b)
}

// oversize returns records of which a part is too large, or key and headers together.
func oversize() (value, key, headers, both *kgo.Record) {
	value, key, headers, both = source(), source(), source(), source()
	value.Value = bytes.Repeat([]byte("x"), 8000)
	key.Key = bytes.Repeat([]byte("k"), 9000)
	headers.Headers = append(headers.Headers, kgo.RecordHeader{Key: "h", Value: make([]byte, 9000)})
	both.Key, both.Headers = key.Key, headers.Headers
	return value, key, headers, both
}

func TestRecordsReadAsPromised(t *testing.T) {
	tight := sink.DefaultParams()
	tight.MaxRecordBytes = sink.MinRecordBytes
	large, largeKey, largeHeaders, largeAll := oversize()
	tombstone := source()
	tombstone.Key, tombstone.Value, tombstone.Headers = nil, nil, nil
	nameless := duplicate()
	nameless.Match.ID = ""
	forgotten := &index.Verdict{Forgotten: true}
	through := duplicate()
	through.Reemitted = true
	refused := duplicate()
	refused.Reemitted, refused.Forgotten = true, true

	params := sink.DefaultParams()
	params.Verdicts.Topic, tight.Verdicts.Topic = "{source}.verdicts", "{source}.verdicts"
	b := sink.New(params, "articles", algorithm).NewBatch()
	tb := sink.New(tight, "articles", algorithm).NewBatch()
	steps := []struct {
		title string
		fill  func(dst *kgo.Record)
	}{
		{"unique", func(d *kgo.Record) { b.Verdict(d, source(), &index.Verdict{}) }},
		{"unique, though candidates were left out", func(d *kgo.Record) { b.Verdict(d, source(), &index.Verdict{Cut: true}) }},
		{"duplicate", func(d *kgo.Record) { b.Verdict(d, source(), duplicate()) }},
		{"duplicate of a document without an id", func(d *kgo.Record) { b.Verdict(d, source(), nameless) }},
		{"a copy let through as unique", func(d *kgo.Record) { b.Verdict(d, source(), through) }},
		{"a copy let through, but its output refused it", func(d *kgo.Record) { b.Verdict(d, source(), refused) }},
		{"unique, but its output refused it", func(d *kgo.Record) { b.Verdict(d, source(), forgotten) }},
		{"tombstone", func(d *kgo.Record) { b.Verdict(d, tombstone, &index.Verdict{}) }},
		{"not checked", func(d *kgo.Record) { b.Unchecked(d, source(), sink.ByCondition) }},
		{"rejected", func(d *kgo.Record) { b.Reject(d, source(), sink.MissingField, "field body is absent") }},
		{"rejected, without detail", func(d *kgo.Record) { b.Reject(d, source(), sink.Empty, "") }},
		{"rejected, withheld on demand", func(d *kgo.Record) { b.Withhold(d, source(), sink.OutputRefused, "too large for it") }},
		{"rejected, value too large", func(d *kgo.Record) { tb.Reject(d, large, sink.TooLarge, "8000 bytes") }},
		{"rejected, key too large", func(d *kgo.Record) { tb.Reject(d, largeKey, sink.TooLarge, "9000 bytes") }},
		{"rejected, headers too large", func(d *kgo.Record) { tb.Reject(d, largeHeaders, sink.TooLarge, "9000 bytes") }},
		{"rejected, all too large", func(d *kgo.Record) { tb.Reject(d, largeAll, sink.TooLarge, "18000 bytes") }},
		{"rejected tombstone with a large key", func(d *kgo.Record) {
			r := *largeKey
			r.Value = nil
			tb.Reject(d, &r, sink.TooLarge, "9000 bytes")
		}},
	}
	var got, told strings.Builder
	for _, s := range steps {
		dst := source() // with content that must be overwritten
		dst.Topic, dst.Partition = "leftover", 9
		s.fill(dst)
		text := show(dst)
		fmt.Fprintf(&got, "# %s\n%s\n", s.title, strings.ReplaceAll(text, strings.Repeat("x", 8000), "x..x"))
		if strings.Contains(s.title, "large") {
			told.WriteString(tell(t, tb, s.title))
		} else {
			told.WriteString(tell(t, b, s.title))
		}
	}
	golden(t, "records.txt", got.String())
	golden(t, "verdicts.txt", told.String())
}

// tell shows the record of verdicts about what a batch has encoded last.
func tell(t *testing.T, b *sink.Batch, title string) string {
	t.Helper()
	var dst kgo.Record
	if b.VerdictRecord(&dst, source()); !dst.Timestamp.IsZero() || dst.Headers != nil {
		t.Errorf("%s: the record of verdicts is %+v", title, dst)
	}
	return fmt.Sprintf("# %s\n%s/%d %s\n%s\n\n", title, dst.Topic, dst.Partition, dst.Key, dst.Value)
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; got\n%s", path, got)
	}
}

func TestWhatIsForwardedIsUntouched(t *testing.T) {
	b, src := encoder().NewBatch(), source()
	src.Value, src.Key = []byte{}, []byte{}
	var dst kgo.Record
	b.Verdict(&dst, src, duplicate())
	if dst.Value == nil || dst.Key == nil {
		t.Error("an empty value or key became a null")
	}
	if !dst.Timestamp.Equal(src.Timestamp) || dst.Partition != src.Partition {
		t.Errorf("got time %v and partition %d", dst.Timestamp, dst.Partition)
	}
	if dst.Context != nil || dst.Offset != 0 || dst.ProducerID != 0 || dst.LeaderEpoch != 0 {
		t.Errorf("the source's place and producer came along: %+v", dst)
	}
	if len(src.Headers) != 5 || src.Headers[1].Key != "unecho-verdict" {
		t.Errorf("the source was changed: %+v", src.Headers)
	}
}

func TestValuesAtTheirEdges(t *testing.T) {
	tests := []struct {
		name   string
		change func(m *index.Match)
		header string
		want   string
	}{
		{"identical", func(m *index.Match) { m.Similarity = compare.Similarity{Num: 7, Den: 7} }, sink.HeaderSimilarity, "1.0000"},
		{"rounded down", func(m *index.Match) { m.Similarity = compare.Similarity{Num: 99999, Den: 100000} }, sink.HeaderSimilarity, "0.9999"},
		{"nothing", func(m *index.Match) { m.Similarity = compare.Similarity{} }, sink.HeaderSimilarity, "0.0000"},
		{"small", func(m *index.Match) { m.Similarity = compare.Similarity{Num: 1, Den: 10000} }, sink.HeaderSimilarity, "0.0001"},
		{"more than one", func(m *index.Match) { m.Similarity = compare.Similarity{Num: 3, Den: 2} }, sink.HeaderSimilarity, "1.0000"},
		{"no timestamp", func(m *index.Match) { m.Time = -1 }, sink.HeaderMatchTime, "1969-12-31T23:59:59.999Z"},
		{"year 2099", func(m *index.Match) { m.Time = 4070908800000 }, sink.HeaderMatchTime, "2099-01-01T00:00:00.000Z"},
		{"after all years", func(m *index.Match) { m.Time = math.MaxInt64 }, sink.HeaderMatchTime, "9999-12-31T23:59:59.999Z"},
		{"before all years", func(m *index.Match) { m.Time = math.MinInt64 }, sink.HeaderMatchTime, "0000-01-01T00:00:00.000Z"},
		{"many copies", func(m *index.Match) { m.Copy = math.MaxUint64 }, sink.HeaderCopy, "18446744073709551615"},
		{"an id of raw bytes", func(m *index.Match) { m.ID = "\xff\n<b>" }, sink.HeaderMatchID, "\xff\n<b>"},
		{"an id too long", func(m *index.Match) { m.ID = strings.Repeat("i", 2000) }, sink.HeaderMatchID, strings.Repeat("i", sink.MaxIDBytes)},
		{"a method", func(m *index.Match) { m.Method = compare.Identical }, sink.HeaderMethod, "identical"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := duplicate()
			tt.change(&v.Match)
			var dst kgo.Record
			encoder().NewBatch().Verdict(&dst, source(), v)
			if got := header(&dst, tt.header); got != tt.want {
				t.Errorf("%s: got %q, want %q", tt.header, got, tt.want)
			}
		})
	}
}

// A rejected record gets the time that its topic accepts, and its own in a header, in whatever form it is rejected. No
// other record does.
func TestRejectAt(t *testing.T) {
	now, src := time.UnixMilli(1767312000000), source()
	var dst kgo.Record
	b := encoder().NewBatch()
	b.RejectAt(now)
	forgotten := index.Verdict{Forgotten: true}
	for name, fill := range map[string]func(){
		"rejected":  func() { b.Reject(&dst, src, sink.OutputRefused, "") },
		"withheld":  func() { b.Withhold(&dst, src, sink.OutputRefused, "") },
		"forgotten": func() { b.Verdict(&dst, src, &forgotten) },
	} {
		if fill(); !dst.Timestamp.Equal(now) || header(&dst, sink.HeaderTimestamp) != "1767225600123" {
			t.Errorf("%s: the record is %s; want the time %v, and the time of its source in the header %s",
				name, show(&dst), now, sink.HeaderTimestamp)
		}
	}
	for name, v := range map[string]*index.Verdict{"unique": {}, "duplicate": duplicate()} {
		if b.Verdict(&dst, src, v); !dst.Timestamp.Equal(src.Timestamp) ||
			strings.Contains(show(&dst), sink.HeaderTimestamp) {
			t.Errorf("%s: the record is %s; want the time %v of its source, and no header %s",
				name, show(&dst), src.Timestamp, sink.HeaderTimestamp)
		}
	}
	b.RejectAt(time.Time{})
	if b.Reject(&dst, src, sink.OutputRefused, ""); !dst.Timestamp.Equal(src.Timestamp) ||
		strings.Contains(show(&dst), sink.HeaderTimestamp) {
		t.Errorf("its own time again: %s", show(&dst))
	}
}

func TestDetailIsCutBetweenRunes(t *testing.T) {
	var dst kgo.Record
	encoder().NewBatch().Reject(&dst, source(), sink.InvalidJSON, "x"+strings.Repeat("é", 200))
	got := header(&dst, sink.HeaderDetail)
	if want := "x" + strings.Repeat("é", 127); got != want {
		t.Errorf("got %d bytes: %q", len(got), got)
	}
}

func header(r *kgo.Record, name string) string {
	i := slices.IndexFunc(r.Headers, func(h kgo.RecordHeader) bool { return h.Key == name })
	if i < 0 {
		return "absent"
	}
	return string(r.Headers[i].Value)
}

// The records of a batch share its memory. No record may see another's bytes, even when the memory grows in between.
// Appending to the headers of one, or to a value in them, must not change its neighbour.
func TestRecordsOfABatchDoNotDisturbEachOther(t *testing.T) {
	b := encoder().NewBatch()
	for round := range 3 {
		b.Reset()
		records := make([]kgo.Record, 2000)
		want := make([]string, len(records))
		for i := range records {
			src := source()
			src.Offset = int64(i)
			b.Verdict(&records[i], src, duplicate())
			want[i] = show(&records[i])
		}
		for i := range records {
			if got := show(&records[i]); got != want[i] {
				t.Fatalf("round %d, record %d changed from\n%sto\n%s", round, i, want[i], got)
			}
			for _, h := range records[i].Headers {
				_ = append(h.Value, "added by a hook"...)
			}
			_ = append(records[i].Headers, make([]kgo.RecordHeader, 5)...) // more than the two that were dropped
		}
	}
}

func TestTopics(t *testing.T) {
	u, d, r := sink.DefaultParams().Topics("news")
	if u != "news.unique" || d != "news.duplicate" || r != "news.rejected" {
		t.Errorf("got %s, %s, %s", u, d, r)
	}
	p := sink.Outputs("u", "x.{source}.{source}", "r", "", "")
	if u, d, r = p.Topics("s"); u != "u" || d != "x.s.s" || r != "r" {
		t.Errorf("got %s, %s, %s", u, d, r)
	}
	if all := p.All("s"); !slices.Equal(all, []string{"u", "x.s.s", "r"}) {
		t.Errorf("in all %v", all)
	}
	p.Duplicate.Topic = "u"
	if u, d, r = p.Topics("s"); u != "u" || d != "u" || r != "r" || !slices.Equal(p.All("s"), []string{"u", "r"}) {
		t.Errorf("got %s, %s, %s, in all %v", u, d, r, p.All("s"))
	}
	p.Duplicate.Drop = true
	if u, d, r = p.Topics("s"); u != "u" || d != "" || r != "r" || !slices.Equal(p.All("s"), []string{"u", "r"}) || p.Together() {
		t.Errorf("duplicates that are dropped: got %s, %s, %s, in all %v", u, d, r, p.All("s"))
	}
	b := encoder().NewBatch()
	var dst kgo.Record
	for _, topic := range []string{"a", "b", "a"} {
		src := source()
		src.Topic = topic
		b.Verdict(&dst, src, &index.Verdict{})
		if dst.Topic != topic+".unique" {
			t.Errorf("a record of %s went to %s", topic, dst.Topic)
		}
	}
}

func TestValidate(t *testing.T) {
	tests := []struct {
		name   string
		change func(p *sink.Params)
		want   []string // keys of the mistakes
	}{
		{"defaults", func(*sink.Params) {}, nil},
		{"the source itself", func(p *sink.Params) { p.Unique.Topic = "{source}" }, []string{"unique"}},
		{"dots alone", func(p *sink.Params) { p.Unique.Topic = ".." }, []string{"unique"}},
		{"missing", func(p *sink.Params) { p.Rejected.Topic = "" }, []string{"rejected"}},
		{"another placeholder", func(p *sink.Params) { p.Duplicate.Topic = "{topic}.duplicate" }, []string{"duplicate"}},
		{"a blank", func(p *sink.Params) { p.Duplicate.Topic = "my duplicates" }, []string{"duplicate"}},
		{"too long", func(p *sink.Params) { p.Duplicate.Topic = strings.Repeat("d", 250) }, []string{"duplicate"}},
		{"two outputs, one topic", func(p *sink.Params) { p.Rejected.Topic = p.Duplicate.Topic }, []string{"rejected"}},
		{"duplicates among the unique ones", func(p *sink.Params) { p.Duplicate.Topic = p.Unique.Topic }, nil},
		{"duplicates that are dropped", func(p *sink.Params) { p.Duplicate = sink.DuplicateOutput{Drop: true} }, nil},
		{"a word for no topic", func(p *sink.Params) { p.Unique.Topic, p.Duplicate.Topic = "None", "drop" }, []string{"unique", "duplicate"}},
		{"others", func(p *sink.Params) { p.Rejected.Topic, p.Verdicts.Topic, p.Clusters.Topic = "none", "false", "null" }, []string{"rejected", "verdicts", "clusters"}},
		{"verdicts among the rejected", func(p *sink.Params) { p.Verdicts.Topic = p.Rejected.Topic }, []string{"verdicts"}},
		{"clusters among the verdicts", func(p *sink.Params) { p.Verdicts.Topic, p.Clusters.Topic = "told", "told" }, []string{"clusters"}},
		{"no replicas", func(p *sink.Params) { p.Create.ReplicationFactor = 0 }, []string{"create.replication_factor"}},
		{"a configuration", func(p *sink.Params) {
			p.Create.Config = map[string]string{"retention.ms": "604800000", "max.message.bytes": "2000000", "cleanup.policy": "delete"}
		}, nil},
		{"compacted outputs", func(p *sink.Params) { p.Create.Config = map[string]string{"cleanup.policy": "compact,delete"} }, []string{"create.config"}},
		{"outputs that stamp", func(p *sink.Params) {
			p.Create.Config = map[string]string{"message.timestamp.type": "LogAppendTime"}
		}, []string{"create.config"}},
		{"outputs for small records", func(p *sink.Params) { p.Create.Config = map[string]string{"max.message.bytes": "1000"} }, []string{"create.config"}},
		{"more in sync than there are replicas", func(p *sink.Params) {
			p.Create.ReplicationFactor, p.Create.Config = 1, map[string]string{"min.insync.replicas": "2"}
		}, []string{"create.config"}},
		{"as many in sync as there are replicas", func(p *sink.Params) {
			p.Create.ReplicationFactor, p.Create.Config = 2, map[string]string{"min.insync.replicas": "2"}
		}, nil},
		{"no configuration", func(p *sink.Params) {
			p.Create.Config = map[string]string{"retention ms": "1", "retention.ms": ""}
		}, []string{"create.config", "create.config"}},
		{
			"all at once", func(p *sink.Params) { *p = sink.Params{} },
			[]string{
				"unique", "rejected", "create.replication_factor",
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := sink.DefaultParams()
			tt.change(&p)
			var got []string
			for _, m := range p.Validate() {
				got = append(got, strings.TrimSuffix(m.Key, ".topic"))
				if m.Problem == "" || m.Remedy == "" {
					t.Errorf("%q says no problem or no remedy", m)
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}
