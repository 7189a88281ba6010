package document

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sr"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/unecho/unecho/consumer/document/registry"
	"github.com/unecho/unecho/sink"
)

// realRegistry is the address of a real registry: an Apicurio, which has Confluent's interface, too.
func realRegistry(t *testing.T) string {
	t.Helper()
	address := os.Getenv("UNECHO_TEST_REGISTRY")
	if address == "" {
		t.Skip("needs a registry of schemas: set UNECHO_TEST_REGISTRY to its address, or run make test")
	}
	return address
}

// TestRealRegistry: values are read by the schemas of a real registry, through Confluent's interface.
func TestRealRegistry(t *testing.T) {
	address := realRegistry(t) + "/apis/ccompat/v7"
	client, err := sr.NewClient(sr.URLs(address), sr.HTTPClient(http.DefaultClient)) // without a time-out of its own
	if err != nil {
		t.Fatal(err)
	}
	prefix := fmt.Sprintf("t%x-", rand.Uint64())
	register := func(subject string, schema sr.Schema) uint32 {
		t.Helper()
		made, err := client.CreateSchema(t.Context(), prefix+subject, schema)
		if err != nil {
			t.Fatal(err)
		}
		return uint32(made.ID)
	}
	refer := func(name, subject string) []sr.SchemaReference {
		return []sr.SchemaReference{{Name: name, Subject: prefix + subject, Version: 1}}
	}
	plain := register("plain", sr.Schema{Schema: articleSchema})
	register("word", sr.Schema{Schema: `{"type":"record","name":"Word","namespace":"news","fields":[{"name":"s","type":"string"}]}`})
	nested := register("nested", sr.Schema{
		Schema:     `{"type":"record","name":"R","fields":[{"name":"word","type":"news.Word"}]}`,
		References: refer("news.Word", "word"),
	})
	proto := register("proto", sr.Schema{Type: sr.TypeProtobuf, Schema: articleProto})
	register("body", sr.Schema{Type: sr.TypeProtobuf, Schema: `syntax = "proto3"; package lib; message Body { string text = 1; }`})
	imports := register("imports", sr.Schema{
		Type: sr.TypeProtobuf, References: refer("lib/body.proto", "body"),
		Schema: `syntax = "proto3"; import "lib/body.proto"; message Far { lib.Body far = 1; }`,
	})
	before := func(id uint32, value []byte) []byte {
		return append(binary.BigEndian.AppendUint32([]byte{0}, id), value...)
	}
	news := avroValue(t, articleSchema, article(nil))
	message := protoValue(t, articleProto, "Article", `{"text":"Rain"}`)
	far := append([]byte{0}, protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), "\x0a\x04Rain")...)
	for name, test := range map[string]struct {
		format, field string
		value         []byte
		reason        sink.Reason
	}{
		"Avro":                     {"avro", "text", before(plain, news), ""},
		"Avro with a reference":    {"avro", "word.s", before(nested, []byte("\x08Rain")), ""},
		"Protobuf":                 {"protobuf", "text", before(proto, append([]byte{2, 4}, message...)), ""},
		"Protobuf with an import":  {"protobuf", "far.text", before(imports, far), ""},
		"unknown":                  {"avro", "text", before(1<<30, nil), sink.UnknownSchema},
		"Protobuf for Avro":        {"avro", "text", before(proto, nil), sink.UnknownSchema},
		"Protobuf that is another": {"protobuf", "text", before(proto, append([]byte{2, 0}, message...)), sink.MissingField},
	} {
		r := newReader(t, jsonParams(func(p *Params) {
			p.Format, p.Schema.Framing, p.Registry.URLs, p.Fields = test.format, "confluent", []string{address}, []string{test.field}
		}))
		doc, bad := r.Read(Input{Value: test.value}, nil)
		if bad == nil && string(doc.Text) != "Rain" || bad != nil && bad.Reason != test.reason || bad == nil && test.reason != "" {
			t.Errorf("%s: Read returns the text %q, rejection %+v; want Rain, or the reason %q", name, doc.Text, bad, test.reason)
		}
	}
}

func TestRealPing(t *testing.T) {
	p := registry.DefaultParams()
	p.URLs = []string{realRegistry(t) + "/apis/ccompat/v7"}
	asked, err := registry.New(p)
	if err != nil {
		t.Fatal(err)
	}
	if err := asked.Ping(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestRealApicurio: values are read by the schemas of a real Apicurio, through its own interface.
func TestRealApicurio(t *testing.T) {
	address := realRegistry(t) + "/apis/registry/v2"
	add := func(body, kind string) (ids struct{ GlobalID, ContentID int64 }) {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address+"/groups/default/artifacts", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", kind)
		request.Header.Set("X-Registry-ArtifactType", "AVRO")
		request.Header.Set("X-Registry-ArtifactId", fmt.Sprintf("a%x", rand.Uint64()))
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		if err := json.NewDecoder(answer.Body).Decode(&ids); err != nil || ids.GlobalID == 0 {
			t.Fatalf("the registry answers %s to a new schema, with %+v, error %v; want its global id", answer.Status, ids, err)
		}
		return ids
	}
	made := add(articleSchema, "application/json")
	r := newReader(t, jsonParams(func(p *Params) {
		p.Format, p.Schema.Framing, p.Registry.URLs = "avro", "apicurio", []string{address}
	}))
	value := avroValue(t, articleSchema, article(nil))
	number := func(n int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }
	for name, in := range map[string]Input{
		"before the value": {Value: append(append([]byte{0}, number(made.GlobalID)...), value...)},
		"global id":        {Value: value, Headers: []kgo.RecordHeader{{Key: apicurioGlobal, Value: number(made.GlobalID)}}},
		"content id":       {Value: value, Headers: []kgo.RecordHeader{{Key: apicurioContent, Value: number(made.ContentID)}}},
	} {
		if doc, bad := r.Read(in, nil); bad != nil || string(doc.Text) != "Rain" {
			t.Errorf("%s: Read returns the text %q, rejection %+v; want Rain, and none", name, doc.Text, bad)
		}
	}
	doc, bad := r.Read(Input{Value: append(append([]byte{0}, number(1<<40)...), value...)}, nil)
	check(t, doc, bad, "", sink.UnknownSchema, fmt.Sprintf("the registry does not know schema %d", int64(1<<40)))
}
