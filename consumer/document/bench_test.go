package document

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/sr"
)

// BenchmarkReadFormats reads the same document of 2 kB in each format: a text, an id, and what most documents have
// beside them.
func BenchmarkReadFormats(b *testing.B) {
	text := strings.Repeat("Rain, then sun, said the \u201cforecast\u201d. ", 50)
	v := object{
		"id": "a1", "title": "Rain", "author": object{"name": "Anna", "mail": "anna@example.com"}, "tags": []any{"a", "b", "c"},
		"seen": int64(1764097200000), "score": 0.75, "text": text, "lang": "en",
	}
	const schema = `{"type":"record","name":"Article","fields":[{"name":"id","type":"string"},{"name":"title","type":["null","string"]},
		{"name":"author","type":{"type":"record","name":"Author","fields":[{"name":"name","type":"string"},{"name":"mail","type":"string"}]}},
		{"name":"tags","type":{"type":"array","items":"string"}},{"name":"seen","type":"long"},{"name":"score","type":"double"},
		{"name":"text","type":"string"},{"name":"lang","type":"string"}]}`
	const message = `syntax = "proto3"; message Article { string id = 1; string title = 2; Author author = 3; repeated string tags = 4;
		int64 seen = 5; double score = 6; string text = 7; string lang = 8; } message Author { string name = 1; string mail = 2; }`
	values := encoded(b, v)
	values["avro"] = avroValue(b, schema, v)
	asJSON, err := json.Marshal(v)
	if err != nil {
		b.Fatal(err)
	}
	values["protobuf"] = protoValue(b, message, "Article", string(asJSON))
	registry, _ := standIn(b)
	registry.SeedSchema("a", 1, 7, sr.Schema{Schema: schema})
	values["avro of a registry"] = framed(7, values["avro"])
	for _, name := range []string{"json", "avro", "avro of a registry", "protobuf", "msgpack", "cbor"} {
		b.Run(name, func(b *testing.B) {
			p := jsonParams(func(p *Params) { p.ID, p.Format = "field:id", strings.Fields(name)[0] })
			switch name {
			case "avro":
				p.Schema.File = schemaFile(b, schema)
			case "avro of a registry":
				p.Schema.Framing, p.Registry.URLs = "confluent", []string{registry.URL()}
			case "protobuf":
				p.Schema.File, p.Schema.Message = schemaFile(b, descriptors(b, message)), "Article"
			}
			r := newReader(b, p)
			in := Input{Value: values[name]}
			var buf []byte
			doc, bad := r.Read(in, buf)
			if bad != nil || string(doc.Text) != text || string(doc.ID) != "a1" {
				b.Fatalf("Read returns the text %q, the id %q and rejection %+v; want the text %q, a1 and none", doc.Text, doc.ID, bad, text)
			}
			b.ReportAllocs()
			for b.Loop() {
				doc, _ := r.Read(in, buf)
				buf = doc.Buffer
			}
		})
	}
}
