package sink_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/sink"
)

// TestTable compares the records with the table. A record has only our headers that the table lists, in its order, with
// no value longer than it says. Every row of the table is used by some record and described in the package comment.
func TestTable(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	b, met := encoder().NewBatch(), map[string]bool{}
	var dst kgo.Record
	for range 500 {
		b.Reset()
		b.RejectAt(source().Timestamp)
		src := random(r)
		detail := strings.Repeat("é", r.IntN(200))
		b.LeftOut(compare.Similarity{Num: r.Uint32N(2), Den: 3})
		b.Verdict(&dst, src, randomVerdict(r))
		checkTable(t, &dst, src.Topic, met)
		b.Verdict(&dst, src, &index.Verdict{Cut: true, Late: r.Int64()})
		checkTable(t, &dst, src.Topic, met)
		b.Unchecked(&dst, src, sink.ByCondition)
		checkTable(t, &dst, src.Topic, met)
		b.SetAside(&dst, src, sink.Reasons()[r.IntN(len(sink.Reasons()))], detail,
			sink.Sizes{Value: r.Int64(), Key: r.Int64(), Headers: r.Int64()})
		checkTable(t, &dst, src.Topic, met)
	}
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range sink.Headers() {
		if !met[h.Name] || !strings.HasPrefix(h.Name, sink.Prefix) || !strings.Contains(string(text), h.Name) {
			t.Errorf("%s: on a record: %v; or the package comment does not know it", h.Name, met[h.Name])
		}
	}
}

func checkTable(t *testing.T, r *kgo.Record, topic string, met map[string]bool) {
	t.Helper()
	table, at := sink.Headers(), 0
	names := sink.Names{Index: "articles", Algorithm: algorithm, Topic: topic}
	for _, h := range r.Headers {
		if !strings.HasPrefix(strings.ToLower(h.Key), sink.Prefix) {
			continue
		}
		for at < len(table) && table[at].Name != h.Key {
			at++
		}
		if at == len(table) {
			t.Fatalf("%s is not in the table, or not in its order: %s", h.Key, show(r))
		}
		if most := table[at].Most(names); len(h.Value) > most {
			t.Fatalf("%s has %d bytes, the table says %d at most", h.Key, len(h.Value), most)
		}
		met[h.Key] = true
	}
}

func teller() *sink.Batch {
	p := sink.DefaultParams()
	p.Verdicts.Topic = "{source}.verdicts"
	return sink.New(p, "articles", algorithm).MarkLate().NewBatch()
}

// said reads a record of verdicts as any program does: the texts of its fields by the names of the headers.
func said(t *testing.T, value []byte) map[string]string {
	t.Helper()
	from := json.NewDecoder(strings.NewReader(string(value)))
	from.UseNumber()
	var fields map[string]any
	if err := from.Decode(&fields); err != nil || from.More() {
		t.Fatalf("the record %s is not one JSON object: %v", value, err)
	}
	texts := map[string]string{}
	for name, v := range fields {
		text := fmt.Sprint(v)
		if plain, encoded := strings.CutSuffix(name, sink.EncodedSuffix); encoded {
			raw, err := base64.StdEncoding.DecodeString(text)
			if err != nil {
				t.Fatal(err)
			}
			name, text = plain, string(raw)
		}
		texts[sink.Prefix+strings.ReplaceAll(name, "_", "-")] = text
	}
	return texts
}

// A record of verdicts says what the headers of the output say, whatever stands in them, and is never too large.
func TestVerdictsAreTold(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	b := teller()
	var dst, told kgo.Record
	alphabets := []string{"i", "\"", "\\", "<", "\x00", "\xff", "é", "\u2028", "\u007f", "a\"\\\n\t\x1f\xc3😀"}
	for n := range 4000 {
		b.Reset()
		src, v := random(r), randomVerdict(r)
		v.Match.ID = strings.Repeat(alphabets[r.IntN(len(alphabets))], r.IntN(1200))
		switch n % 3 {
		case 0:
			v.Late, v.Reemitted = r.Int64N(9), r.IntN(2) == 0
			b.LeftOut(compare.Similarity{Num: r.Uint32N(2), Den: 3})
			b.Verdict(&dst, src, v)
		case 1:
			b.Reject(&dst, src, sink.TooLarge, strings.Repeat(alphabets[r.IntN(len(alphabets))], r.IntN(300)))
		default:
			b.RejectAt(time.UnixMilli(1767312000000))
			b.Withhold(&dst, src, sink.OutputRefused, "because")
			b.RejectAt(time.Time{})
		}
		b.VerdictRecord(&told, src)
		if size := sink.Size(&told); size > sink.MaxVerdictBytes {
			t.Fatalf("%d bytes: %s", size, told.Value)
		}
		texts := said(t, told.Value)
		ours := 0
		for _, h := range dst.Headers {
			if reserved := len(h.Key) > len(sink.Prefix) && strings.HasPrefix(h.Key, sink.Prefix); !reserved {
				continue
			}
			if ours++; texts[h.Key] != string(h.Value) {
				t.Fatalf("%s is %q, and told as %q", h.Key, h.Value, texts[h.Key])
			}
		}
		if year := src.Timestamp.UTC().Year(); 0 <= year && year <= 9999 {
			ours++ // the field of the time
		}
		if ours != len(texts) || string(told.Key) != texts[sink.HeaderSource] || told.Partition != src.Partition {
			t.Fatalf("%d headers, told are %v in partition %d, key %s", ours, texts, told.Partition, told.Key)
		}
	}
}

func BenchmarkTell(b *testing.B) {
	batch, src := teller(), source()
	dst := make([]kgo.Record, 1000)
	var out kgo.Record
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		if n%len(dst) == 0 {
			batch.Reset()
		}
		batch.Verdict(&out, src, duplicate())
		batch.VerdictRecord(&dst[n%len(dst)], src)
		n++
	}
}
