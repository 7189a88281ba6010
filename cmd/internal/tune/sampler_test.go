package tune

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/index/eval"
	"github.com/unecho/unecho/index/setting"
)

// A sample keeps within its bytes, and uses most of them; each document has the same chance, short or long, early or
// late.
func TestSampleOfBytes(t *testing.T) {
	const documents, mostBytes, runs = 400, 4000, 500
	counts := make([]int, documents)
	kept := 0
	for seed := range uint64(runs) {
		s := NewSampler(SamplerParams{Most: 300, Bytes: mostBytes, Seed: seed})
		for i := range documents {
			s.draw(sampled{text: bytes.Repeat([]byte("x"), 10+i%40), scope: uint64(i)})
			if s.bytes > mostBytes {
				t.Fatalf("%v after %d documents", s.bytes, i+1)
			}
		}
		held := 0
		for _, d := range s.kept {
			held += len(d.text)
			counts[d.scope]++
		}
		kept += len(s.kept)
		if int(s.bytes) != held || held < mostBytes/2 || !s.dropped {
			t.Fatalf("%d bytes, counted %v, dropped %v", held, s.bytes, s.dropped)
		}
	}
	of := func(in func(i int) bool) (share float64) {
		n := 0
		for i, count := range counts {
			if in(i) {
				share += float64(count)
				n++
			}
		}
		return share / float64(n) / (float64(kept) / documents)
	}
	for name, share := range map[string]float64{
		"early": of(func(i int) bool { return i < documents/4 }), "late": of(func(i int) bool { return i >= documents*3/4 }),
		"short": of(func(i int) bool { return i%40 < 10 }), "long": of(func(i int) bool { return i%40 >= 30 }),
	} {
		if share < 0.95 || share > 1.05 {
			t.Errorf("the %s ones have %.3f of their chance", name, share)
		}
	}
}

// One document is kept, however long; without a bound, all are.
func TestSampleKeepsOne(t *testing.T) {
	for _, test := range []struct {
		mostBytes, want int
	}{{1, 1}, {0, 50}} {
		s := NewSampler(SamplerParams{Bytes: setting.Bytes(test.mostBytes), Seed: 1})
		for i := range 50 {
			s.draw(sampled{text: make([]byte, 1000), scope: uint64(i)})
		}
		if len(s.kept) != test.want {
			t.Errorf("%d kept within %d bytes, want %d", len(s.kept), test.mostBytes, test.want)
		}
	}
}

// TestLabelsOfTopic: labels as the page writes them tell documents of a topic apart that have one id.
func TestLabelsOfTopic(t *testing.T) {
	path := filepath.Join(t.TempDir(), "labels.tsv")
	const labels = "a\ta\t0.91\tnews/0\t7\tnews/0\t5\n" + "b\tb\t\tnews/1\t0\tnews/1\t0\n"
	if err := os.WriteFile(path, []byte(labels), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := ReadLabels(path)
	if err != nil {
		t.Fatal(err)
	}
	source := document.DefaultSource()
	source.Topics, source.Reading.Format, source.Reading.Fields, source.Reading.ID = []string{"news"}, "json", []string{"text"}, "field:id"
	reader, err := corpus.NewTopicReader([]document.Source{source})
	if err != nil {
		t.Fatal(err)
	}
	s := NewSampler(SamplerParams{Names: l.Names()})
	for offset, id := range []string{5: "a", 6: "c", 7: "a"} {
		r := topic.Record{Topic: "news", Offset: int64(offset), Value: []byte(`{"id":"` + id + `","text":"x"}`)}
		if err := s.AddTopic(t.Context(), &r, reader); err != nil {
			t.Fatal(err)
		}
	}
	r := topic.Record{Topic: "news", Partition: 1, Value: []byte(`{"id":"b","text":"x"}`)}
	if err := s.AddTopic(t.Context(), &r, reader); err != nil {
		t.Fatal(err)
	}
	if pairs, err := l.Pairs(s.numbers, io.Discard); err != nil || !slices.Equal(pairs, []eval.Pair{{A: 6, B: 8}}) {
		t.Errorf("the pairs are %v, %v; want that of the 6th and the 8th document", pairs, err)
	}
	if len(s.labelled) != 3 {
		t.Errorf("%d documents are labelled, want 3", len(s.labelled))
	}
}
