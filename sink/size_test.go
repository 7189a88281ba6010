package sink_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/sink"
)

// onWire returns the length of a request's records field that holds only r, by Kafka's own message definitions, as the
// last of very many records and a long time after the first.
func onWire(r *kgo.Record) int {
	rec := kmsg.Record{TimestampDelta64: math.MinInt64, OffsetDelta: math.MaxInt32, Key: r.Key, Value: r.Value}
	for _, h := range r.Headers {
		rec.Headers = append(rec.Headers, kmsg.Header{Key: h.Key, Value: h.Value})
	}
	rec.Length = int32(len(rec.AppendTo(nil)) - 1)
	batch := kmsg.RecordBatch{Magic: 2, NumRecords: 1, Records: rec.AppendTo(nil)}
	return 5 + len(batch.AppendTo(nil))
}

func random(r *rand.Rand) *kgo.Record {
	blob := func(n int) []byte {
		if r.IntN(8) == 0 {
			return nil
		}
		return make([]byte, r.IntN(n+1))
	}
	rec := &kgo.Record{
		Topic: strings.Repeat("t", 1+r.IntN(249)), Partition: r.Int32() >> r.IntN(32), Offset: r.Int64() >> r.IntN(64),
		Key: blob(300), Value: blob(1 << r.IntN(18)), Timestamp: time.UnixMilli(r.Int64() >> r.IntN(64)),
	}
	for range r.IntN(5) << r.IntN(6) {
		name := []string{"", "trace", "unecho-copy", "UNECHO-", strings.Repeat("h", 200)}[r.IntN(5)]
		rec.Headers = append(rec.Headers, kgo.RecordHeader{Key: name, Value: blob(200)})
	}
	return rec
}

func randomVerdict(r *rand.Rand) *index.Verdict {
	return &index.Verdict{Match: index.Match{
		Source: entry.Source{Partition: r.Int32() >> r.IntN(32)}, Topic: strings.Repeat("m", 1+r.IntN(249)),
		Offset: r.Int64() >> r.IntN(64), Time: int64(r.Uint64()), ID: strings.Repeat("i", r.IntN(1200)), // any bits
		Similarity: compare.Similarity{Num: r.Uint32(), Den: r.Uint32()}, Method: compare.Method(r.IntN(6)), // 0 to 5
		Copy: r.Uint64() >> r.IntN(64),
	}}
}

// Whatever the verdict, an output record is no larger than the worst case computed before it. A rejected one is no
// larger than MaxRecordBytes, whatever the document. Size equals what Kafka's own definitions give, or a few bytes
// more.
func TestWorstCaseHolds(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	p := sink.DefaultParams()
	p.MaxRecordBytes = sink.MinRecordBytes
	e := sink.New(p, "articles", algorithm)
	b := e.NewBatch()
	var dst kgo.Record
	for range 4000 {
		b.Reset()
		src := random(r)
		worst := e.WorstCase(src)
		b.Verdict(&dst, src, randomVerdict(r))
		check(t, &dst, worst, "a verdict")
		reason := sink.Reasons()[r.IntN(len(sink.Reasons()))]
		detail := strings.Repeat("d", r.IntN(400))
		b.Reject(&dst, src, reason, detail)
		check(t, &dst, int(p.MaxRecordBytes), "a rejection")
		if e.Fits(src) && header(&dst, sink.HeaderValueBytes) != "absent" {
			t.Fatalf("a value was withheld from a record that fits: %d bytes", worst)
		}
		b.Withhold(&dst, src, reason, detail)
		check(t, &dst, int(p.MaxRecordBytes), "a withheld record")
	}
}

// What is not checked needs room for its own headers only, and has it.
func TestUncheckedFits(t *testing.T) {
	p := sink.DefaultParams()
	p.MaxRecordBytes = sink.MinRecordBytes
	e := sink.New(p, "articles", algorithm)
	b, src, most := e.NewBatch(), source(), 0
	var dst kgo.Record
	for n := range int(p.MaxRecordBytes) {
		src.Value = make([]byte, n)
		if !e.FitsUnchecked(src) {
			break
		}
		most = n
	}
	src.Value = make([]byte, most)
	b.Unchecked(&dst, src, sink.ByCondition)
	if size := sink.Size(&dst); size > int(p.MaxRecordBytes) || size < int(p.MaxRecordBytes)-64 || e.Fits(src) {
		t.Errorf("a value of %d bytes becomes a record of %d of %d; it fits when checked: %v", most, size, p.MaxRecordBytes, e.Fits(src))
	}
}

// Where documents may be late the worst case has room for saying so, and elsewhere it has none: it is as it was.
func TestWorstCaseOfLateDocuments(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	plain, late := encoder(), encoder().MarkLate()
	b := late.NewBatch()
	var dst kgo.Record
	for range 1000 {
		b.Reset()
		src, v := random(r), randomVerdict(r)
		v.Late = math.MaxInt64
		b.Verdict(&dst, src, v)
		check(t, &dst, late.WorstCase(src), "a late document")
		if v.Unique() && v.Forgotten != (header(&dst, sink.HeaderLate) == "absent") {
			t.Fatalf("a unique document is not marked: %s", show(&dst))
		}
		if more := late.WorstCase(src) - plain.WorstCase(src); more < len(sink.HeaderLate) || more > 64 {
			t.Fatalf("%d bytes more", more)
		}
	}
}

// The same is true where a part of documents may not count.
func TestWorstCaseOfIgnoredText(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	plain, ignoring := encoder(), encoder().MarkIgnored()
	b := ignoring.NewBatch()
	var dst kgo.Record
	for n := range uint32(1000) {
		b.Reset()
		src, v := random(r), randomVerdict(r)
		b.LeftOut(compare.Similarity{Num: n % 3, Den: 2 * (n % 3)})
		b.Verdict(&dst, src, v)
		check(t, &dst, ignoring.WorstCase(src), "a document with a template")
		want := "0.5000"
		if n%3 == 0 || v.Unique() && v.Forgotten {
			want = "absent"
		}
		if got := header(&dst, sink.HeaderIgnored); got != want {
			t.Fatalf("%s is %s, want %s: %s", sink.HeaderIgnored, got, want, show(&dst))
		}
		if more := ignoring.WorstCase(src) - plain.WorstCase(src); more < len(sink.HeaderIgnored) || more > 64 {
			t.Fatalf("%d bytes more", more)
		}
	}
}

func check(t *testing.T, dst *kgo.Record, bound int, what string) {
	t.Helper()
	wire, size := onWire(dst), sink.Size(dst)
	if size > bound {
		t.Fatalf("%s has %d bytes, the bound is %d: %s", what, size, bound, show(dst))
	}
	if wire > size || size-wire > 26 {
		t.Fatalf("%s has %d bytes on the wire, Size says %d", what, wire, size)
	}
}

// The worst case is reached, or nearly: a bound far too high would reject documents that fit.
func TestWorstCaseIsTight(t *testing.T) {
	e := encoder()
	src := source()
	src.Partition, src.Offset = math.MaxInt32, math.MaxInt64
	v := &index.Verdict{Match: index.Match{
		Source: entry.Source{Partition: math.MaxInt32}, Topic: strings.Repeat("m", 249), Offset: math.MaxInt64,
		ID: strings.Repeat("i", sink.MaxIDBytes), Method: compare.Levenshtein, Copy: math.MaxUint64,
		Similarity: compare.Similarity{Num: 1, Den: 1},
	}}
	var dst kgo.Record
	e.NewBatch().Verdict(&dst, src, v)
	if got, worst := sink.Size(&dst), e.WorstCase(src); worst-got > 16 {
		t.Errorf("the largest record has %d bytes, the worst case is %d", got, worst)
	}
}

func BenchmarkEncode(b *testing.B) {
	e := encoder()
	src := source()
	src.Headers = src.Headers[:1]
	src.Value = make([]byte, 2000)
	verdicts := map[string]*index.Verdict{"unique": {}, "duplicate": duplicate()}
	for _, name := range []string{"unique", "duplicate"} {
		b.Run(name, func(b *testing.B) {
			batch, dst := e.NewBatch(), make([]kgo.Record, 1000)
			n := 0
			b.ReportAllocs()
			for b.Loop() {
				if n%len(dst) == 0 {
					batch.Reset()
				}
				batch.Verdict(&dst[n%len(dst)], src, verdicts[name])
				n++
			}
		})
	}
	b.Run("worst case", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if !e.Fits(src) {
				b.Fatal("it fits")
			}
		}
	})
}

// The worst case decides which documents are rejected, on every member alike. Whoever changes it, by a header or a
// reason, raises index.SettingsVersion, and then this number.
func TestWorstCaseIsPinned(t *testing.T) {
	const settingsVersion2 = 2705
	e := sink.New(sink.DefaultParams(), "unecho", "minhash/2:0123456789abcdef")
	src := &kgo.Record{Topic: "news", Key: []byte("key"), Value: make([]byte, 1000)}
	if got := e.WorstCase(src); got != settingsVersion2 {
		t.Errorf("the worst case is %d bytes, and was %d: members of both would reject other documents; raise "+
			"index.SettingsVersion", got, settingsVersion2)
	}
}

// Writable tells what the library keeps: a number of nanoseconds that is the timestamp again.
func TestWritable(t *testing.T) {
	for _, ms := range []int64{
		-1, 0, 1, 1_767_225_600_123, math.MinInt64, math.MaxInt64, -62135596800000, 253402300799999, 1_767_225_600_000_000,
		-9223372036854, 9223372036854, -9223372036855, 9223372036855, 1 << 58, -1 << 58,
	} {
		kept := time.UnixMilli(ms).UnixNano()/1e6 == ms
		if got := sink.Writable(ms); got != kept {
			t.Errorf("%d is writable: %v, and the library keeps it: %v", ms, got, kept)
		}
	}
}

// Rejected documents of any time tell it in milliseconds, in the header and in the record of verdicts. That has a date
// too, where there is one.
func TestTrueMilliseconds(t *testing.T) {
	now := time.UnixMilli(1_767_312_000_000)
	for ms, date := range map[int64]string{
		math.MinInt64: "", math.MaxInt64: "", 1_767_225_600_000_000: "", -1: "1969-12-31T23:59:59.999Z",
		-62135596800000: "0001-01-01T00:00:00.000Z", 253402300799999: "9999-12-31T23:59:59.999Z",
	} {
		b, src := teller(), source()
		src.Timestamp = time.UnixMilli(ms)
		b.RejectAt(now)
		var dst, told kgo.Record
		b.Reject(&dst, src, sink.BadTimestamp, "")
		b.VerdictRecord(&told, src)
		var said struct {
			Timestamp int64  `json:"timestamp"`
			Time      string `json:"time"`
		}
		if err := json.Unmarshal(told.Value, &said); err != nil {
			t.Fatalf("the record of a verdict %s cannot be read: %v", told.Value, err)
		}
		text, err := json.Marshal(ms)
		if err != nil {
			t.Fatal(err)
		}
		if got := header(&dst, sink.HeaderTimestamp); got != string(text) || !dst.Timestamp.Equal(now) {
			t.Errorf("the header of %d says %q, and the record has %v", ms, got, dst.Timestamp)
		}
		if said.Timestamp != ms || said.Time != date {
			t.Errorf("the verdict of %d says %+v, want the date %q", ms, said, date)
		}
	}
}
