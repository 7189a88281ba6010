package sink_test

import (
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/index"
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
