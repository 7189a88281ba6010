package document

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twmb/avro"

	"github.com/unecho/unecho/consumer/document/registry"
	"github.com/unecho/unecho/sink"
)

const articleSchema = `{"type":"record","name":"Article","namespace":"news","fields":[
	{"name":"id","type":["null","long","string"]},
	{"name":"seen","type":"boolean"},{"name":"score","type":"double"},{"name":"hash","type":{"type":"fixed","name":"MD5","size":16}},
	{"name":"kind","type":{"type":"enum","name":"Kind","symbols":["NEWS","COMMENT"]}},
	{"name":"text","type":["null","string"]},
	{"name":"article","type":["null",{"type":"record","name":"Body","fields":[
		{"name":"body","type":"string"},{"name":"parent","type":["null","Body"]}]}]},
	{"name":"labels","type":{"type":"map","values":["string","Body","int"]}},
	{"name":"parts","type":{"type":"array","items":["null","string"]}},
	{"name":"kinds","type":{"type":"array","items":"Kind"}},
	{"name":"bodies","type":{"type":"array","items":"Body"}},
	{"name":"raw","type":"bytes"}]}`

// article is a value of articleSchema, changed by edit.
func article(edit func(object)) object {
	v := object{
		"id": int64(7), "seen": true, "score": 1.5, "hash": make([]byte, 16), "kind": "NEWS", "text": "Rain",
		"article": object{"body": "Sun", "parent": object{"body": "Wind", "parent": nil}},
		"labels":  object{"lang": "en", "of": object{"body": "Snow", "parent": nil}, "n": int32(3)}, "parts": []any{"a", "b"},
		"kinds": []any{"COMMENT", "NEWS"}, "bodies": []any{object{"body": "x", "parent": nil}}, "raw": []byte("xyz"),
	}
	if edit != nil {
		edit(v)
	}
	return v
}

// schemaFile writes a schema to a file.
func schemaFile(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "schema")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func avroParams(t testing.TB, schema string, edit func(*Params)) Params {
	t.Helper()
	return jsonParams(func(p *Params) {
		p.Format, p.Schema.File = "avro", schemaFile(t, schema)
		if edit != nil {
			edit(p)
		}
	})
}

func avroValue(t testing.TB, schema string, v any) []byte {
	t.Helper()
	s, err := avro.Parse(schema)
	if err != nil {
		t.Fatal(err)
	}
	out, err := s.Encode(v)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestAvro(t *testing.T) {
	tests := []struct {
		name   string
		fields string
		edit   func(object)
		text   string
		reason sink.Reason
		detail string
	}{
		{"one field, a union", "text", nil, "Rain", "", ""},
		{"several, in the order of the settings", "labels.lang text", nil, "en\nRain", "", ""},
		{"nested, and recursive", "article.body article.parent.body", nil, "Sun\nWind", "", ""},
		{"a record in a map", "labels.of.body", nil, "Snow", "", ""},
		{"an array", "parts", nil, "a\nb", "", ""},
		{"an empty array", "parts", func(v object) { v["parts"] = []any{} }, "", "", ""},
		{"symbols", "kind kinds", nil, "NEWS\nCOMMENT\nNEWS", "", ""},
		{"null", "text", func(v object) { v["text"] = nil }, "", sink.MissingField, "field text is null"},
		{"null on the way", "article.body", func(v object) { v["article"] = nil }, "", sink.MissingField, "no field article.body"},
		{"null deeper on the way", "article.parent.parent.body", nil, "", sink.MissingField, "no field article.parent.parent.body"},
		{"no such field", "texts", nil, "", sink.MissingField, "no field texts"},
		{"no such key", "labels.none", nil, "", sink.MissingField, "no field labels.none"},
		{"null in an array", "parts", func(v object) { v["parts"] = []any{"a", nil} }, "", sink.WrongType, "element 1 of field parts is null, not a string"},
		{"records in an array", "bodies", nil, "", sink.WrongType, "element 0 of field bodies is an object, not a string"},
		{"bytes", "raw", nil, "", sink.WrongType, "field raw is bytes, not a string"},
		{"fixed", "hash", nil, "", sink.WrongType, "field hash is bytes, not a string"},
		{"number", "id", nil, "", sink.WrongType, "field id is an integer, not a string"},
		{"boolean", "seen", nil, "", sink.WrongType, "field seen is a boolean, not a string"},
		{"double", "score", nil, "", sink.WrongType, "field score is a floating-point number, not a string"},
		{"record", "article", nil, "", sink.WrongType, "field article is an object, not a string"},
		{"map", "labels", nil, "", sink.WrongType, "field labels is an object, not a string"},
		{"no object on the way", "text.body", nil, "", sink.WrongType, "on the way to field text.body is a string, not an object"},
		{"an array on the way", "bodies.body", nil, "x", "", ""},
		{"invalid UTF-8", "text", func(v object) { v["text"] = "a\xffb" }, "a\xffb", "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := newReader(t, avroParams(t, articleSchema, func(p *Params) { p.Fields = strings.Fields(test.fields) }))
			doc, bad := r.Read(Input{Value: avroValue(t, articleSchema, article(test.edit))}, nil)
			check(t, doc, bad, test.text, test.reason, test.detail)
		})
	}
}

func TestAvroLabels(t *testing.T) {
	for id, want := range map[string]string{"field:id": "7", "field:kind": "NEWS", "field:labels.n": "3", "field:text": "Rain"} {
		r := newReader(t, avroParams(t, articleSchema, func(p *Params) { p.ID, p.Scope = id, "field:labels.lang" }))
		doc, bad := r.Read(Input{Value: avroValue(t, articleSchema, article(nil))}, nil)
		check(t, doc, bad, "Rain", "", "")
		scope, _ := r.Scope("", "en")
		if string(doc.ID) != want || doc.Scope != scope {
			t.Errorf("%s: id %q, scope %x", id, doc.ID, doc.Scope)
		}
	}
	r := newReader(t, avroParams(t, articleSchema, func(p *Params) { p.ID = "field:score" }))
	doc, bad := r.Read(Input{Value: avroValue(t, articleSchema, article(nil))}, nil)
	check(t, doc, bad, "", sink.WrongType, "the id in field score is a floating-point number, neither a string nor a number")
}

// TestAvroTruncated: no value that lacks its end is read, and none with more behind it.
func TestAvroTruncated(t *testing.T) {
	value := avroValue(t, articleSchema, article(nil))
	r := newReader(t, avroParams(t, articleSchema, nil))
	for n := 1; n < len(value); n++ {
		_, bad := r.Read(Input{Value: value[:n]}, nil)
		if bad == nil || bad.Reason != sink.Undecodable || !strings.HasSuffix(bad.Detail, "the value ends too early") {
			t.Errorf("%d of %d bytes: %+v", n, len(value), bad)
		}
	}
	doc, bad := r.Read(Input{Value: append(value, 0)}, nil)
	check(t, doc, bad, "", sink.Undecodable, fmt.Sprintf("at byte %d: more after the end of the value", len(value)))
}

func TestAvroHostile(t *testing.T) {
	record := func(fields string) string { return `{"type":"record","name":"R","fields":[` + fields + `]}` }
	text := `{"name":"text","type":"string"}`
	nulls := record(`{"name":"x","type":{"type":"array","items":"null"}},` + text)
	recursive := record(`{"name":"next","type":["null","R"]},` + text)
	longs := record(`{"name":"x","type":{"type":"array","items":"long"}},` + text)
	doubles := record(`{"name":"x","type":{"type":"array","items":"double"}},` + text)
	lists := `{"type":"record","name":"R","fields":[{"name":"x","type":{"type":"array","items":{"type":"record","name":"L",
		"fields":[{"name":"l","type":{"type":"array","items":"L"}}]}}},` + text + `]}`
	endless := record(`{"name":"x","type":"R"},` + text)
	const most = "ffffffffffffffffff01" // the least and the largest of 64 bits, with their last bit
	tests := []struct{ name, schema, value, text, detail string }{
		{"as many nulls as a number can count", nulls, "feffffffffffffffff01 00 0278", "x", ""},
		{"as many numbers", longs, "feffffffffffffffff01 00 0278", "", "at byte 13: the value ends too early"},
		{"as many of eight bytes", doubles, "feffffffffffffffff01 00 0278", "", "at byte 10: the value ends too early"},
		{"the least count", longs, most + "02 00 0278", "", "at byte 0: a block of impossible size"},
		{"a block with a size", longs, "01 02 0e 00 0278", "x", ""},
		{"a block with another size", longs, "01 04 0e 00 0278", "x", ""},
		{"a block with a size below zero", longs, "01 01 0e 00 0278", "", "at byte 0: a block of impossible size"},
		{"a length below zero", record(text), "03", "", "at byte 0: a length below zero"},
		{"a length that no value has", record(text), "feffffffffffffffff01 78", "", "at byte 10: the value ends too early"},
		{"too long a number", record(text), "ffffffffffffffffffff01", "", "at byte 0: a number of more than 64 bits"},
		{"a size that says nothing", record(`{"name":"x","type":{"type":"boolean","size":7}},` + text), "01 0278", "x", ""},
		{"no branch", recursive, "04", "", "at byte 0: no symbol or branch of the schema has this number"},
		{"a branch below zero", recursive, "01", "", "at byte 0: no symbol or branch of the schema has this number"},
		{"recursion", recursive, strings.Repeat("02", 100_000), "", "at byte 512: nested too deeply"},
		{"recursion that ends", recursive, "02 00 0279 0278", "x", ""},
		{"lists of lists", lists, strings.Repeat("02", 100_000), "", "at byte 256: nested too deeply"},
		{"a record without end", endless, strings.Repeat("02", 100_000), "", "at byte 0: nested too deeply"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			doc, bad := newReader(t, avroParams(t, test.schema, nil)).Read(Input{Value: unhex(t, test.value)}, nil)
			reason := sink.Undecodable
			if test.detail == "" {
				reason = ""
			}
			check(t, doc, bad, test.text, reason, test.detail)
		})
	}
}

// TestAvroEvolved: what other versions of a schema wrote.
func TestAvroEvolved(t *testing.T) {
	record := func(fields string) string { return `{"type":"record","name":"R","fields":[` + fields + `]}` }
	tests := []struct {
		name, schema string
		value        object
		text, id     string
		reason       sink.Reason
		detail       string
	}{
		{"as it was", record(`{"name":"id","type":"int"},{"name":"text","type":"string"}`), object{"id": 7, "text": "a"}, "a", "7", "", ""},
		{"promoted", record(`{"name":"id","type":"long"},{"name":"text","type":"string"}`), object{"id": 7, "text": "a"}, "a", "7", "", ""},
		{"may be null", record(`{"name":"id","type":["null","int"]},{"name":"text","type":["null","string"]}`), object{"id": 7, "text": "a"}, "a", "7", "", ""},
		{"more fields, in another order", record(`{"name":"text","type":"string"},{"name":"new","type":"float"},{"name":"id","type":"int"}`), object{"id": 7, "text": "a", "new": float32(1)}, "a", "7", "", ""},
		{"renamed", record(`{"name":"body","type":"string","aliases":["text"]},{"name":"id","type":"int"}`), object{"id": 7, "body": "a"}, "a", "7", "", ""},
		{"removed", record(`{"name":"id","type":"int"}`), object{"id": 7}, "", "7", sink.MissingField, "no field text"},
		{"to bytes", record(`{"name":"id","type":"int"},{"name":"text","type":"bytes"}`), object{"id": 7, "text": []byte("a")}, "", "7", sink.WrongType, "field text is bytes, not a string"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := newReader(t, avroParams(t, test.schema, func(p *Params) { p.ID = "field:id" }))
			doc, bad := r.Read(Input{Value: avroValue(t, test.schema, test.value)}, nil)
			check(t, doc, bad, test.text, test.reason, test.detail)
			if string(doc.ID) != test.id {
				t.Errorf("id %q, want %q", doc.ID, test.id)
			}
		})
	}
}

// TestAvroLarge: a schema of ten thousand fields, and an array of a million elements.
func TestAvroLarge(t *testing.T) {
	var fields strings.Builder
	v := object{"text": "a"}
	for i := range 10_000 {
		fmt.Fprintf(&fields, `{"name":"f%d","type":["null","string"]},`, i)
		v[fmt.Sprint("f", i)] = "x"
	}
	wide := `{"type":"record","name":"R","fields":[` + fields.String() + `{"name":"text","type":"string"}]}`
	r := newReader(t, avroParams(t, wide, func(p *Params) { p.Fields = []string{"text", "f9999", "f0"} }))
	doc, bad := r.Read(Input{Value: avroValue(t, wide, v)}, nil)
	check(t, doc, bad, "a\nx\nx", "", "")

	long := `{"type":"record","name":"R","fields":[{"name":"text","type":{"type":"array","items":"string"}}]}`
	r = newReader(t, avroParams(t, long, func(p *Params) { p.MaxBytes = 64 << 20 }))
	doc, bad = r.Read(Input{Value: avroValue(t, long, object{"text": make([]string, 1_000_000)})}, nil)
	check(t, doc, bad, strings.Repeat("\n", 999_999), "", "")
}

// TestSchemaBomb: a schema that names more and more of itself costs no more than it has text.
func TestSchemaBomb(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"type":"record","name":"R0","fields":[{"name":"n","type":"null"}]}`)
	inner := b.String()
	for i := 1; i <= 60; i++ {
		inner = fmt.Sprintf(`{"type":"record","name":"R%d","fields":[{"name":"a","type":%s},{"name":"b","type":"R%d"}]}`, i, inner, i-1)
	}
	schema := `{"type":"record","name":"T","fields":[{"name":"bomb","type":` + inner + `},{"name":"text","type":"string"}]}`
	r := newReader(t, avroParams(t, schema, func(p *Params) { p.Fields = []string{"text", "bomb.a.b.a.b"} }))
	_, bad := r.Read(Input{Value: []byte("\x02x")}, nil)
	check(t, Document{}, bad, "", sink.WrongType, "field bomb.a.b.a.b is an object, not a string")
}

// FuzzReadAvro: what another reader decodes is read here, with the same text, and no other value.
func FuzzReadAvro(f *testing.F) {
	f.Add(avroValue(f, articleSchema, article(nil)))
	f.Add(avroValue(f, articleSchema, article(func(v object) { v["id"], v["article"], v["parts"] = "x", nil, []any{} })))
	schema := avro.MustParse(articleSchema)
	r := newReader(f, avroParams(f, articleSchema, func(p *Params) {
		p.Fields, p.ID = []string{"text", "article.parent.body", "parts", "kinds", "labels.of.body"}, "field:id"
	}))
	f.Fuzz(func(t *testing.T, value []byte) {
		doc, bad := r.Read(Input{Value: value}, nil)
		if len(value) == 0 || bad != nil && strings.HasSuffix(bad.Detail, "nested too deeply") {
			return
		}
		var v object
		rest, err := schema.Decode(value, &v)
		switch valid := err == nil && len(rest) == 0; {
		case bad == nil && valid:
			compareAvro(t, v, doc)
		case valid && bad.Reason == sink.Undecodable:
			t.Fatalf("valid, but %+v", bad)
		}
	})
}

func compareAvro(t *testing.T, v object, doc Document) {
	t.Helper()
	article, _ := v["article"].(object)
	parent, _ := article["parent"].(object)
	labels, _ := v["labels"].(object)
	of, _ := labels["of"].(object)
	want := joined(v["text"]) + "\n" + joined(parent["body"]) + "\n" + joined(v["parts"]) + "\n" + joined(v["kinds"]) + "\n" +
		joined(of["body"])
	if string(doc.Text) != want {
		t.Fatalf("text %q, want %q", doc.Text, want)
	}
}

// FuzzAvroSchema: any schema that is one can be walked with any value.
func FuzzAvroSchema(f *testing.F) {
	f.Add(articleSchema, avroValue(f, articleSchema, article(nil)))
	f.Add(`["null",{"type":"record","name":"R","fields":[{"name":"a","type":"R"},{"name":"text","type":{"type":"map","values":"R"}}]}]`, []byte{2, 2})
	p := jsonParams(func(p *Params) { p.Fields, p.ID = []string{"text", "a.text", "article.parent.body"}, "field:id" })
	r := newReader(f, p)
	f.Fuzz(func(t *testing.T, schema string, value []byte) {
		s, err := compileAvro(registry.Schema{Text: schema}, r.paths)
		if err != nil {
			return
		}
		if _, bad := r.walked(Input{Value: value}, s, 0, s.root, nil); bad != nil && bad.Reason == "" {
			t.Fatalf("a value is rejected without a reason: %+v", bad)
		}
	})
}

func TestSchemaFile(t *testing.T) {
	p := avroParams(t, articleSchema, nil)
	if mistakes := p.Pin(); mistakes != nil || !strings.HasPrefix(p.Schema.Fingerprint, "sha256:") {
		t.Fatalf("Pin finds mistakes %v and sets the fingerprint %q; want none, and a sha256", mistakes, p.Schema.Fingerprint)
	}
	if mistakes := p.Pin(); mistakes != nil {
		t.Errorf("pinned twice: %v", mistakes)
	}
	if err := os.WriteFile(p.Schema.File, []byte(`"string"`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := New(p); err == nil || !strings.Contains(err.Error(), "schema.file has changed") {
		t.Errorf("another file: %v", err)
	}
	before := p.Schema.Fingerprint
	if mistakes := p.Pin(); mistakes != nil || p.Schema.Fingerprint == before {
		t.Errorf("another file has the fingerprint %s, %v", p.Schema.Fingerprint, mistakes)
	}
	p.Schema.Fingerprint, p.Schema.File = "", p.Schema.File+".none"
	if mistakes := p.Pin(); len(mistakes) != 1 || mistakes[0].Key != "schema.file" {
		t.Errorf("no file: %v", mistakes)
	}
	p.Schema.File = schemaFile(t, `{"type":"record"`)
	if _, err := New(p); err == nil || !strings.Contains(err.Error(), "read the schema") {
		t.Errorf("no schema: %v", err)
	}
}
