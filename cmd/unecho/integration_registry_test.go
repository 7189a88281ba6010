package main

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sr"
	"github.com/twmb/franz-go/pkg/sr/srfake"

	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/sink"
)

// recipe is the file of a recipe in start.md, of so many lines, with addresses and names of the scene.
func (s *scene) recipe(file, registry string, lines int) string {
	s.t.Helper()
	page, err := os.ReadFile("../../deploy/docs/start.md")
	check(s.t, err)
	_, text, found := strings.Cut(string(page), "<!-- file: "+file+" -->\n```yaml\n")
	text, _, closed := strings.Cut(text, "```")
	if n := strings.Count(text, "\n"); !found || !closed || n != lines {
		s.t.Fatalf("start.md has no %s of %d lines: %d", file, lines, n)
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

// valueCase is a value, and what becomes of it.
type valueCase struct {
	value   []byte
	verdict string
	headers []kgo.RecordHeader
}

// avroCases are values of two versions of a schema, good and bad.
func avroCases(first, second uint32) []valueCase {
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
	return []valueCase{
		{value: whole, verdict: "unique"},
		{value: value(second, 2, "Bridge", text, "\x00"), verdict: "duplicate of 1"},
		{value: value(second, 3, "Another", strings.Repeat("something else that nobody has said before ", 3), "\x02\x04en"), verdict: "unique"},
		{value: value(1<<30, 4, "Bridge", text, ""), verdict: "unknown_schema"},
		{value: whole[:len(whole)-3], verdict: "undecodable"},
		{value: append(whole[:len(whole):len(whole)], 0), verdict: "undecodable"},
		{value: value(second, 5, "Bridge", text, "\x06"), verdict: "undecodable"},
		{value: []byte(`{"title":"Bridge"}`), verdict: "undecodable"},
		{value: append([]byte{5}, whole[1:]...), verdict: "undecodable"},
	}
}

func filtersAvro(t *testing.T, registry string) {
	s := newScene(t, 1)
	client, err := sr.NewClient(sr.URLs(registry), sr.HTTPClient(http.DefaultClient)) // the scene bounds the wait
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
	s.become(wants, s.recipe("avro.yaml", registry, 10))
}

// become sends values, runs a configuration, and checks what becomes of each.
func (s *scene) become(wants []valueCase, config string) {
	s.t.Helper()
	var records []*kgo.Record
	for _, w := range wants {
		records = append(records, &kgo.Record{Value: w.value, Headers: w.headers})
	}
	s.send(records...)
	check(s.t, os.WriteFile(s.file, []byte(config+"log: {format: json}\n"+noOps+"\n"), 0o600))
	p := s.run()
	s.settled()
	stopAll(s.t, startBound, p)
	seen := 0
	for _, output := range []string{"unique", "duplicate", "rejected"} {
		s.read(s.source+"."+output, func(r *topic.Record) {
			seen++
			want, got := wants[s.place(r)], output
			switch output {
			case "duplicate":
				got += " of " + r.Header(sink.HeaderMatchID)
			case "rejected":
				got = r.Header(sink.HeaderReason)
			}
			if same := bytes.Equal(r.Value, want.value); got != want.verdict || !same {
				s.t.Errorf("document %d is %s, want %s; its value is unchanged: %v", s.place(r), got, want.verdict, same)
			}
		})
	}
	if seen != len(wants) {
		s.t.Errorf("%d of %d documents came out", seen, len(wants))
	}
}

// TestPagesOfTenants: the recipe with HTML in base64 and with parts of ids and scopes. A tenant whose name is made to look
// like that of another and its language is not compared with it.
func TestPagesOfTenants(t *testing.T) {
	t.Parallel()
	const text = "the harbour bridge was closed on monday after inspectors found cracks in two of its cables and the mayor said so"
	value := func(tenant, id, language, body, verdict string) valueCase {
		w := valueCase{verdict: verdict, value: []byte(`{"id":"` + id + `","title":"Bridge",` + language + `"article":{"body":"` + body + `"}}`)}
		if tenant != "" {
			w.headers = []kgo.RecordHeader{{Key: "tenant", Value: []byte(tenant)}}
		}
		return w
	}
	const en, de, slash = `"language":"en",`, `"language":"de",`, `"language":"b/en",`
	plain := base64.StdEncoding.EncodeToString([]byte(text))
	marked := base64.RawURLEncoding.EncodeToString([]byte("<script>x()</script><div class=\"a\"><p>" + strings.ReplaceAll(text, " ", " <i>") + "</p>"))
	s := newScene(t, 1)
	s.become([]valueCase{
		value("a", "1", en, plain, "unique"),
		value("a", "2", en, marked, "duplicate of a/1"),
		value("a", "3", de, plain, "unique"),
		value("b", "4", en, plain, "unique"),
		value("a/b", "5", en, marked, "unique"),
		value("a", "6", slash, plain, "unique"),
		value("a/b", "7", en, plain, `duplicate of a\/b/5`),
		value("", "8", en, plain, "missing_field"),
		value("a", "9", "", plain, "missing_field"),
		value("a", "10", en, "no base64", "undecodable"),
	}, s.recipe("pages.yaml", "", 11))
}
