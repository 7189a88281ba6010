package main

import (
	"bytes"
	"encoding/binary"
	"os"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sr"
	"github.com/twmb/franz-go/pkg/sr/srfake"

	"github.com/unecho/unecho/sink"
)

// recipe is the file of a recipe in operations.md, with addresses and names of the scene.
func (s *scene) recipe(file, registry string) string {
	s.t.Helper()
	page, err := os.ReadFile("../../deploy/docs/operations.md")
	check(s.t, err)
	_, text, found := strings.Cut(string(page), "<!-- file: "+file+" -->\n```yaml\n")
	text, _, closed := strings.Cut(text, "```")
	if lines := strings.Count(text, "\n"); !found || !closed || lines > 10 {
		s.t.Fatalf("operations.md has no %s of ten lines: %d", file, lines)
	}
	return strings.NewReplacer(
		"localhost:9092", os.Getenv("UNECHO_TEST_KAFKA"), "topics: [news]", "topics: ["+s.source+"]",
		"news-filter", s.name, "http://localhost:8081", registry,
	).Replace(text)
}

// TestAvroTopicWithRegistry: the ten lines of the recipe filter an Avro topic. Values of two versions of the schema are
// compared, each output has the value byte for byte, and what cannot be read is rejected with its reason.
func TestAvroTopicWithRegistry(t *testing.T) {
	t.Parallel()
	t.Run("a stand-in", func(t *testing.T) {
		t.Parallel()
		registry := srfake.New()
		t.Cleanup(registry.Close)
		filtersAvro(t, registry.URL())
	})
	t.Run("Apicurio", func(t *testing.T) {
		t.Parallel()
		address := os.Getenv("UNECHO_TEST_REGISTRY")
		if address == "" {
			t.Skip("needs a registry of schemas: set UNECHO_TEST_REGISTRY to its address, or run make test")
		}
		filtersAvro(t, address+"/apis/ccompat/v7")
	})
}

// avroCase is a value, and what becomes of it.
type avroCase struct {
	value   []byte
	verdict string
}

// avroCases are values of two versions of a schema, good and bad.
func avroCases(first, second uint32) []avroCase {
	const text = "the harbour bridge was closed on monday after inspectors found cracks in two of its cables and the mayor said so"
	value := func(schema uint32, id int64, title, body, more string) []byte {
		out := binary.BigEndian.AppendUint32([]byte{0}, schema)
		out = binary.AppendVarint(out, id)
		for _, s := range []string{title, body} {
			out = append(binary.AppendVarint(out, int64(len(s))), s...)
		}
		return append(out, more...)
	}
	whole := value(first, 1, "Bridge", text, "")
	return []avroCase{
		{whole, "unique"},
		{value(second, 2, "Bridge", text, "\x00"), "duplicate of 1"},
		{value(second, 3, "Another", strings.Repeat("something else that nobody has said before ", 3), "\x02\x04en"), "unique"},
		{value(1<<30, 4, "Bridge", text, ""), "unknown_schema"},
		{whole[:len(whole)-3], "undecodable"},
		{append(whole[:len(whole):len(whole)], 0), "undecodable"},
		{value(second, 5, "Bridge", text, "\x06"), "undecodable"},
		{[]byte(`{"title":"Bridge"}`), "undecodable"},
		{append([]byte{5}, whole[1:]...), "undecodable"},
	}
}

func filtersAvro(t *testing.T, registry string) {
	s := newScene(t, 1)
	client, err := sr.NewClient(sr.URLs(registry))
	check(t, err)
	register := func(text string) uint32 {
		made, err := client.CreateSchema(s.bounded(), s.source+"-value", sr.Schema{Schema: text})
		check(t, err)
		return uint32(made.ID)
	}
	const body = `{"name":"article","type":{"type":"record","name":"Article","fields":[{"name":"body","type":"string"}]}}`
	first := register(`{"type":"record","name":"News","fields":[{"name":"id","type":"int"},{"name":"title","type":"string"},` + body + `]}`)
	second := register(`{"type":"record","name":"News","fields":[{"name":"id","type":"long"},` +
		`{"name":"headline","type":"string","aliases":["title"]},` + body + `,{"name":"lang","type":["null","string"],"default":null}]}`)
	wants := avroCases(first, second)
	var records []*kgo.Record
	for _, w := range wants {
		records = append(records, &kgo.Record{Value: w.value})
	}
	s.send(records...)
	check(t, os.WriteFile(s.file, []byte(s.recipe("avro.yaml", registry)+"log: {format: json}\n"+noOps+"\n"), 0o600))
	p := s.run()
	s.settled()
	stopAll(t, startBound, p)
	reader := s.connect(kgo.ConsumeTopics(s.source+".unique", s.source+".duplicate", s.source+".rejected"),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	for seen := 0; seen < len(wants); {
		fetches := reader.PollFetches(s.bounded())
		check(t, fetches.Err())
		fetches.EachRecord(func(r *kgo.Record) {
			seen++
			want, got := wants[s.place(r)], strings.TrimPrefix(r.Topic, s.source+".")
			switch got {
			case "duplicate":
				got += " of " + said(r, sink.HeaderMatchID)
			case "rejected":
				got = said(r, sink.HeaderReason)
			}
			if same := bytes.Equal(r.Value, want.value); got != want.verdict || !same {
				t.Errorf("document %d is %s, want %s; its value is unchanged: %v", s.place(r), got, want.verdict, same)
			}
		})
	}
}

// said is the value of one of our headers.
func said(r *kgo.Record, name string) string {
	for _, h := range r.Headers {
		if h.Key == name {
			return string(h.Value)
		}
	}
	return ""
}
