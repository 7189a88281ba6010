package document

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sr"
	"github.com/twmb/franz-go/pkg/sr/srfake"

	"github.com/unecho/unecho/consumer/document/registry"
	"github.com/unecho/unecho/sink"
)

// standIn starts a stand-in for a registry, which can be made to answer nothing of use.
func standIn(t testing.TB) (r *srfake.Registry, away *atomic.Bool) {
	t.Helper()
	r, away = srfake.New(), &atomic.Bool{}
	t.Cleanup(r.Close)
	r.Intercept(func(w http.ResponseWriter, _ *http.Request) bool {
		if away.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		return away.Load()
	})
	return r, away
}

func registryParams(r *srfake.Registry, format string, edit func(*Params)) Params {
	return jsonParams(func(p *Params) {
		p.Format, p.Schema.Framing, p.Registry.URLs = format, "confluent", []string{r.URL()}
		if edit != nil {
			edit(p)
		}
	})
}

// framed puts Confluent's framing before a value.
func framed(id byte, value []byte) []byte { return append([]byte{0, 0, 0, 0, id}, value...) }

func TestAvroOfRegistry(t *testing.T) {
	registry, away := standIn(t)
	second := `{"type":"record","name":"R","fields":[{"name":"body","type":"news.Text","aliases":["text"]}]}`
	word := `{"type":"record","name":"Text","namespace":"news","fields":[{"name":"s","type":"string"}]}`
	registry.SeedSchema("a-value", 1, 7, sr.Schema{Schema: articleSchema})
	registry.SeedSchema("text", 1, 8, sr.Schema{Schema: word})
	registry.SeedSchema("b-value", 1, 9, sr.Schema{Schema: second, References: []sr.SchemaReference{{Name: "news.Text", Subject: "text", Version: 1}}})
	registry.SeedSchema("c-value", 1, 10, sr.Schema{Type: sr.TypeProtobuf, Schema: `syntax = "proto3"; message M {}`})
	first := avroValue(t, articleSchema, article(nil))
	guided, found := registry.GetSchema("a-value", 1)
	guid := unhex(t, "01"+strings.ReplaceAll(guided.GUID, "-", ""))
	if !found || len(guid) != 17 {
		t.Fatalf("the registry has the schema %+v (found: %t); want one with a GUID of 16 bytes", guided, found)
	}
	r := newReader(t, registryParams(registry, "avro", nil))
	nested := newReader(t, registryParams(registry, "avro", func(p *Params) { p.Fields = []string{"text.s"} }))
	away.Store(true)
	if _, bad, err := r.Reader.Read(t.Context(), Input{Value: framed(7, first)}, nil); bad != nil || !errors.As(err, new(*awayError)) {
		t.Errorf("registry away: %+v, %v", bad, err)
	}
	away.Store(false)
	tests := []struct {
		name   string
		reader reader
		in     Input
		text   string
		reason sink.Reason
		detail string
	}{
		{"known", r, Input{Value: framed(7, first)}, "Rain", "", ""},
		{"with references, renamed", nested, Input{Value: framed(9, []byte("\x02x"))}, "x", "", ""},
		{"by GUID", r, Input{Value: append(guid, first...)}, "Rain", "", ""},
		{"by GUID in a header", r, Input{Value: first, Headers: []kgo.RecordHeader{{Key: confluentHeader, Value: guid}}}, "Rain", "", ""},
		{"by number in a header", r, Input{Value: first, Headers: []kgo.RecordHeader{{Key: confluentHeader, Value: framed(7, nil)}}}, "Rain", "", ""},
		{"unknown", r, Input{Value: framed(99, first)}, "", sink.UnknownSchema, "the registry does not know schema 99"},
		{"of another type", r, Input{Value: framed(10, first)}, "", sink.UnknownSchema, "schema 10 cannot be used: it is of type PROTOBUF, not AVRO"},
		{"wrong magic byte", r, Input{Value: append([]byte{5}, first...)}, "", sink.Undecodable, "the first byte is no magic byte of Confluent's framing"},
		{"JSON", r, Input{Value: []byte(`{"text":"a"}`)}, "", sink.Undecodable, "the first byte is no magic byte of Confluent's framing"},
		{"only a beginning", r, Input{Value: []byte{0, 0, 0}}, "", sink.Undecodable, "the value ends before its content begins"},
		{"only half a GUID", r, Input{Value: guid[:16]}, "", sink.Undecodable, "the value ends before its content begins"},
		{"no name in the header", r, Input{Value: first, Headers: []kgo.RecordHeader{{Key: confluentHeader, Value: nil}}}, "", sink.Undecodable, "in the header __value_schema_id: the value ends before its content begins"},
		{"truncated", r, Input{Value: framed(7, first[:20])}, "", sink.Undecodable, "at byte 10: the value ends too early"},
		{"with another schema", r, Input{Value: framed(8, first)}, "", sink.Undecodable, "at byte 7: more after the end of the value"},
		{"a tombstone", r, Input{}, "", "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			doc, bad := test.reader.Read(test.in, nil)
			if test.reason == sink.Undecodable && bad != nil && strings.HasPrefix(test.detail, "at byte") {
				test.detail = bad.Detail // the very byte is TestAvroTruncated's business
			}
			check(t, doc, bad, test.text, test.reason, test.detail)
		})
	}
	away.Store(true)
	doc, bad := r.Read(Input{Value: framed(7, first)}, nil) // what is known needs no registry
	check(t, doc, bad, "Rain", "", "")
}

type awayError = registry.AwayError

// TestFramedJSON: JSON names its own fields, so that nobody is asked for its schema.
func TestFramedJSON(t *testing.T) {
	r := newReader(t, jsonParams(func(p *Params) { p.Schema.Framing = "confluent" }))
	for value, want := range map[string]struct {
		text   string
		reason sink.Reason
		detail string
	}{
		"\x00\x00\x00\x00\x07{\"text\":\"Rain\"}": {"Rain", "", ""},
		"\x00\x00\x00\x00\x07{\"text\":":          {"", sink.InvalidJSON, "at byte 13: the value ends too early"},
		"\x00\x00\x00\x00\x07\ufeff{]":            {"", sink.InvalidJSON, "at byte 9: a key in quotes is expected"},
		"\x00\x00\x00\x00\x07 ":                   {"", "", ""},
		"{\"text\":\"Rain\"}":                     {"", sink.Undecodable, "the first byte is no magic byte of Confluent's framing"},
	} {
		doc, bad := r.Read(Input{Value: []byte(value)}, nil)
		check(t, doc, bad, want.text, want.reason, want.detail)
	}
}

// TestApicurio: the stand-in is this test's own, and answers as Apicurio 2.6 does.
func TestApicurio(t *testing.T) {
	answers := map[string]string{
		"/apis/registry/v2/ids/globalIds/300":                                   articleSchema,
		"/apis/registry/v2/ids/globalIds/300/references":                        `[]`,
		"/apis/registry/v2/ids/contentIds/5":                                    `{"type":"record","name":"R","fields":[{"name":"text","type":"Text"}]}`,
		"/apis/registry/v2/ids/contentIds/5/references":                         `[{"groupId":null,"artifactId":"text","version":"1","name":"Text"}]`,
		"/apis/registry/v2/groups/default/artifacts/text/versions/1":            `{"type":"enum","name":"Text","symbols":["RAIN","SUN"]}`,
		"/apis/registry/v2/groups/default/artifacts/text/versions/1/references": `[]`,
		"/apis/registry/v2/ids/globalIds/9":                                     `<html>Sign in</html>`,
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, is := answers[r.URL.Path]
		if !is {
			w.WriteHeader(http.StatusNotFound)
			answer = `{"message":"No artifact with ID","error_code":404,"detail":"ArtifactNotFoundException","name":"ArtifactNotFoundException"}`
		}
		_, _ = w.Write([]byte(answer)) // the client is there
	}))
	defer server.Close()
	r := newReader(t, jsonParams(func(p *Params) {
		p.Format, p.Schema.Framing, p.Registry.URLs = "avro", "apicurio", []string{server.URL + "/apis/registry/v2"}
	}))
	value := avroValue(t, articleSchema, article(nil))
	before := func(id uint64, value []byte) []byte {
		return append(binary.BigEndian.AppendUint64([]byte{0}, id), value...)
	}
	for name, test := range map[string]struct {
		in     Input
		text   string
		reason sink.Reason
		detail string
	}{
		"global id":        {Input{Value: before(300, value)}, "Rain", "", ""},
		"in a header":      {Input{Value: value, Headers: []kgo.RecordHeader{{Key: apicurioGlobal, Value: before(300, nil)[1:]}}}, "Rain", "", ""},
		"content id":       {Input{Value: []byte{2}, Headers: []kgo.RecordHeader{{Key: apicurioContent, Value: before(5, nil)[1:]}}}, "SUN", "", ""},
		"unknown":          {Input{Value: before(301, value)}, "", sink.UnknownSchema, "the registry does not know schema 301"},
		"a short header":   {Input{Value: value, Headers: []kgo.RecordHeader{{Key: apicurioGlobal, Value: []byte{1}}}}, "", sink.Undecodable, "the header apicurio.value.globalId is no number of 8 bytes"},
		"short":            {Input{Value: make([]byte, 8)}, "", sink.Undecodable, "the value ends before its content begins"},
		"wrong magic byte": {Input{Value: value[1:]}, "", sink.Undecodable, "the first byte is no magic byte of Apicurio's framing"},
	} {
		if name == "wrong magic byte" {
			test.in.Value = append([]byte{7}, value...)
		}
		doc, bad := r.Read(test.in, nil)
		t.Log(name)
		check(t, doc, bad, test.text, test.reason, test.detail)
	}
	if _, bad, err := r.Reader.Read(t.Context(), Input{Value: before(9, value)}, nil); !errors.As(err, new(*awayError)) {
		t.Errorf("a page: %+v, %v", bad, err)
	}
}

func TestGlue(t *testing.T) {
	value := avroValue(t, articleSchema, article(nil))
	name := append([]byte{3, 0}, make([]byte, 16)...)
	deflated := func(content []byte) []byte {
		var b bytes.Buffer
		z := zlib.NewWriter(&b)
		_, _ = z.Write(content) // into memory
		_ = z.Close()
		return append(append([]byte{3, 5}, make([]byte, 16)...), b.Bytes()...)
	}
	r := newReader(t, avroParams(t, articleSchema, func(p *Params) { p.Schema.Framing = "glue" }))
	for name, test := range map[string]struct {
		value  []byte
		text   string
		reason sink.Reason
		detail string
	}{
		"plain":             {append(name, value...), "Rain", "", ""},
		"compressed":        {deflated(value), "Rain", "", ""},
		"a bomb":            {deflated(make([]byte, 2<<20)), "", sink.TooLarge, "the content has more than 1048576 bytes when decompressed"},
		"truncated":         {deflated(value)[:40], "", sink.Undecodable, "the content cannot be decompressed"},
		"no compression":    {append([]byte{3, 5}, append(make([]byte, 16), value...)...), "", sink.Undecodable, "the content cannot be decompressed"},
		"other compression": {append([]byte{3, 4}, make([]byte, 16)...), "", sink.Undecodable, "Glue's framing has no such compression"},
		"short":             {name[:17], "", sink.Undecodable, "the value ends before its content begins"},
		"wrong magic byte":  {framed(7, append(value, value...)), "", sink.Undecodable, "the first byte is no magic byte of Glue's framing"},
	} {
		doc, bad := r.Read(Input{Value: test.value}, nil)
		t.Log(name)
		check(t, doc, bad, test.text, test.reason, test.detail)
	}
	j := newReader(t, jsonParams(func(p *Params) { p.Schema.Framing = "glue" }))
	doc, bad := j.Read(Input{Value: deflated([]byte(`{"text":"Rain"}`))}, nil)
	check(t, doc, bad, "Rain", "", "")
}

func TestSchemaParams(t *testing.T) {
	url := []string{"http://registry:8081"}
	for name, c := range map[string]struct {
		edit func(*Params)
		want string
	}{
		"a file":               {func(p *Params) { p.Format, p.Schema.File = "avro", "x" }, ""},
		"a registry":           {func(p *Params) { p.Format, p.Schema.Framing, p.Registry.URLs = "avro", "confluent", url }, ""},
		"a framing and a file": {func(p *Params) { p.Format, p.Schema.Framing, p.Schema.File = "avro", "confluent", "x" }, ""},
		"JSON with a framing":  {func(p *Params) { p.Schema.Framing = "confluent" }, ""},
		"no schema":            {func(p *Params) { p.Format = "avro" }, "schema.file"},
		"no registry":          {func(p *Params) { p.Format, p.Schema.Framing = "avro", "confluent" }, "schema.framing"},
		"no framing":           {func(p *Params) { p.Format, p.Registry.URLs = "avro", url }, "schema.framing"},
		"a file, and a registry": {func(p *Params) {
			p.Format, p.Schema.Framing, p.Schema.File, p.Registry.URLs = "avro", "confluent", "x", url
		}, ""},
		"a file for JSON":     {func(p *Params) { p.Schema.File = "x" }, "schema.file"},
		"a registry for JSON": {func(p *Params) { p.Schema.Framing, p.Registry.URLs = "confluent", url }, ""},
		"a framing of raw":    {func(p *Params) { p.Format, p.Schema.Framing = "raw", "confluent" }, "schema.framing"},
		"Glue and a registry": {func(p *Params) { p.Format, p.Schema.Framing, p.Registry.URLs = "avro", "glue", url }, "schema.framing"},
		"Glue without a file": {func(p *Params) { p.Format, p.Schema.Framing = "avro", "glue" }, "schema.file"},
		"no message":          {func(p *Params) { p.Format, p.Schema.File = "protobuf", "x" }, "schema.message"},
		"any message":         {func(p *Params) { p.Format, p.Schema.Framing, p.Registry.URLs = "protobuf", "confluent", url }, ""},
		"a message of Avro":   {func(p *Params) { p.Format, p.Schema.File, p.Schema.Message = "avro", "x", "M" }, "schema.message"},
		"Protobuf of Glue": {func(p *Params) {
			p.Format, p.Schema.Framing, p.Schema.File, p.Schema.Message = "protobuf", "glue", "x", "M"
		}, "schema.framing"},
		"a framing that is none": {func(p *Params) { p.Schema.Framing = "other" }, "schema.framing"},
	} {
		wrong := jsonParams(c.edit).Validate()
		if c.want == "" && len(wrong) > 0 || c.want != "" && (len(wrong) != 1 || wrong[0].Key != c.want) {
			t.Errorf("%s: Validate finds %v; want one mistake, of %q, or none if that is empty", name, wrong, c.want)
		}
	}
}

// FuzzReadFramed: no framing makes a reader fail.
func FuzzReadFramed(f *testing.F) {
	value := avroValue(f, articleSchema, article(nil))
	f.Add(framed(7, value), []byte(nil))
	f.Add(value, framed(7, nil))
	var all []reader
	for _, framing := range framings() {
		all = append(all, newReader(f, avroParams(f, articleSchema, func(p *Params) { p.Schema.Framing = framing.name })),
			newReader(f, jsonParams(func(p *Params) { p.Schema.Framing = framing.name })))
	}
	all = append(all, newReader(f, protoParams(f, func(p *Params) { p.Schema.Framing = "confluent" })))
	f.Fuzz(func(t *testing.T, value, named []byte) {
		in := Input{Value: value}
		if len(named) > 0 {
			in.Headers = []kgo.RecordHeader{{Key: confluentHeader, Value: named}, {Key: apicurioGlobal, Value: named}}
		}
		for _, one := range all {
			doc, bad := one.Read(in, nil)
			if bad != nil && bad.Reason == "" {
				t.Fatalf("Read returns %+v, rejection %+v; want a rejection with a reason, or a text", doc, bad)
			}
		}
	})
}
