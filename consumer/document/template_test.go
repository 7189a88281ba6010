package document

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/sink"
)

func TestTemplateParams(t *testing.T) {
	const id = "; write key, header:NAME, field:PATH, or several in braces, as {header:NAME}/{field:PATH}"
	const scope = "; write key, topic, partition, header:NAME, field:PATH, or several in braces, as {header:NAME}/{field:PATH}"
	many := strings.Repeat("{key}/", maxParts+1)
	var tests []paramsTest
	add := func(template, wrongID, wrongScope string) {
		test := paramsTest{name: template, edit: func(p *Params) { p.ID, p.Scope = template, template }}
		if wrongID != "" {
			test.want = append(test.want, "id: "+template+": "+wrongID+id)
		}
		if wrongScope != "" {
			test.want = append(test.want, "scope: "+template+": "+wrongScope+scope)
		}
		tests = append(tests, test)
	}
	both := func(template, wrong string) { add(template, wrong, wrong) }
	both("{header:tenant}/{field:a.b}", "")
	both("{key}", "")
	both("tenant {key} of <{header:h}>.", "")
	both(many[:len(many)-len("{key}/")], "")
	add("{partition}-{key}", "partition is not possible here", "")
	add("{topic}-{key}", "topic is not possible here", "")
	both(many, "more than 8 parts")
	both("{key}{header:h}", "between two parts stands nothing that tells them apart")
	both("{key", "a brace that does not close")
	both("{key}/}", `what stands beside the parts is printable ASCII without } and \`)
	both(`{key}\{key}`, `what stands beside the parts is printable ASCII without } and \`)
	both("{key}é{key}", `what stands beside the parts is printable ASCII without } and \`)
	both("{}/{key}", "nothing of a record stands in braces")
	both("{{key}}", `"{key" in braces: a brace that does not close`)
	both("{topics}", `"topics" in braces: unknown word`)
	both("{header:}", `"header:" in braces: the header has no name`)
	both("{field:a..b}", `"field:a..b" in braces: a path with an empty name`)
	both("header:tenant/{field:language}", "each part of several stands in braces, the first too")
	tests = append(tests, paramsTest{"raw", func(p *Params) { p.Format, p.ID, p.Scope = "raw", "{key}/{field:a}", "{key}/{header:a}" }, []string{
		"id: {key}/{field:a}: raw has no fields; set format: json, or take a header",
	}})
	for _, test := range tests {
		t.Run(test.name, test.run)
	}
}

// labels reads a record with a template as id and as scope.
func labels(t testing.TB, template string, in Input) (id string, scope uint64, bad *Rejection) {
	t.Helper()
	ids := newReader(t, jsonParams(func(p *Params) { p.ID = template }))
	scopes := newReader(t, jsonParams(func(p *Params) { p.Scope = template }))
	doc, bad := ids.Read(in, nil)
	if bad != nil {
		return "", 0, bad
	}
	scoped, bad := scopes.Read(in, doc.Buffer[:0:0])
	if bad == nil {
		want, err := scopes.Scope("", string(doc.ID))
		if scoped.Scope == 0 || len(doc.ID) > 0 && (err != nil || want != scoped.Scope) {
			t.Errorf("the scope called %q is not that of the record: %v", doc.ID, err)
		}
	}
	return string(doc.ID), scoped.Scope, bad
}

func TestTemplates(t *testing.T) {
	in := Input{
		Key: []byte("k/1"), Headers: []kgo.RecordHeader{{Key: "tenant", Value: []byte("old")}, {Key: "tenant", Value: []byte(`a\b`)}, {Key: "none", Value: nil}}, Partition: 3,
		Value: []byte(`{"text":"x","lang":"en","n":7,"nil":null,"e":"","o":{"id":"i-1"},"list":[]}`),
	}
	for _, test := range []struct{ template, id, missing string }{
		{"{header:tenant}/{field:lang}", `a\\b/en`, ""},
		{"{header:tenant}", `a\b`, ""},
		{"{key}/{field:lang}", `k\/1/en`, ""},
		{"{key}-{field:o.id}", `k/1-i\-1`, ""},
		{"<{key}> of {field:n}.", "<k/1> of 7.", ""},
		{"{field:n}/{header:absent}", "", "no header absent, from which the scope is read"},
		{"{field:n}/{field:nil}", "", "no field nil, from which the scope is read"},
		{"{field:o.none}/{field:n}", "", "no field o.none, from which the scope is read"},
		{"{field:n}/{field:lang}/{field:o.id}/{key}", `7/en/i-1/k\/1`, ""},
	} {
		id, _, bad := labels(t, test.template, in)
		detail := ""
		if bad != nil {
			detail = bad.Detail
		}
		if id != test.id && test.missing == "" || detail != test.missing || bad != nil && bad.Reason != sink.MissingField {
			t.Errorf("%s: id %q, %v, want %q, %q", test.template, id, bad, test.id, test.missing)
		}
	}
	if _, _, bad := labels(t, "{field:list}/{key}", in); bad == nil || bad.Reason != sink.WrongType ||
		bad.Detail != "the id in field list is an array, neither a string nor a number" {
		t.Errorf("an array in a template: %v", bad)
	}
}

// An id of which a part is missing or empty is none, as an id alone; a scope may have empty parts, as a scope alone.
func TestTemplatesWithMissingParts(t *testing.T) {
	for _, part := range []string{"header:none", "header:absent", "field:e", "field:nil", "key"} {
		for _, template := range []string{"{" + part + "}/{field:n}", "{field:n}/{" + part + "}"} {
			in := Input{Value: []byte(`{"text":"x","n":7,"e":"","nil":null}`), Headers: []kgo.RecordHeader{{Key: "none", Value: nil}}}
			r := newReader(t, jsonParams(func(p *Params) { p.ID = template }))
			if doc, bad := r.Read(in, nil); bad != nil || len(doc.ID) != 0 {
				t.Errorf("%s: id %q, %v", template, doc.ID, bad)
			}
			empty := part == "header:none" || part == "field:e"
			r = newReader(t, jsonParams(func(p *Params) { p.Scope = template }))
			if doc, bad := r.Read(in, nil); (bad == nil) != empty || (doc.Scope != 0) != empty {
				t.Errorf("%s: scope %d, %v", template, doc.Scope, bad)
			}
		}
	}
}

// What has no fields has the id of a template without fields, and a tombstone keeps its id.
func TestTemplatesOfRawText(t *testing.T) {
	p := DefaultParams()
	p.ID, p.Scope = "{header:a}:{key}", "{partition}:{topic}:{header:a}"
	r := newReader(t, p)
	in := Input{Key: []byte("k"), Headers: []kgo.RecordHeader{{Key: "a", Value: []byte("h")}}, Topic: "news", Partition: 2}
	for value, text := range map[string]string{"": "", " ": "", "text": "text", "bad \xff bytes": "bad \xff bytes"} {
		in.Value = []byte(value)
		doc, bad := r.Read(in, make([]byte, 0, 4))
		want, _ := r.Scope("", "2:news:h")
		if doc.Empty {
			want = 0
		}
		if bad != nil || string(doc.ID) != "h:k" || doc.Scope != want || string(doc.Text) != text {
			t.Errorf("%q: text %q, id %q, scope %d, want %d, %v", value, doc.Text, doc.ID, doc.Scope, want, bad)
		}
	}
}

// TestScopesByTopic: a topic in a template is a topic, too.
func TestScopesByTopic(t *testing.T) {
	for scope, want := range map[string]bool{
		"": false, "topic": true, "{topic}/{field:a}": true, "{field:topic}/{key}": false, "field:topic": false, "{": false,
	} {
		if got := ScopeIsTopic([]Source{{Reading: Params{Scope: scope}}}); got != want {
			t.Errorf("ScopeIsTopic of %q = %t, want %t", scope, got, want)
		}
	}
}

// TestScopeByKey: documents are compared with those of their key; a record without one has no scope.
func TestScopeByKey(t *testing.T) {
	p := DefaultParams()
	p.Scope = "key"
	r := newReader(t, p)
	one, _ := r.Read(Input{Key: []byte("1"), Value: []byte("a")}, nil)
	two, _ := r.Read(Input{Key: []byte("2"), Value: []byte("a")}, nil)
	if want, err := r.Scope("", "1"); err != nil || one.Scope != want || one.Scope == two.Scope {
		t.Errorf("scopes %d and %d, want %d: %v", one.Scope, two.Scope, want, err)
	}
	doc, bad := r.Read(Input{Value: []byte("a")}, nil)
	check(t, doc, bad, "", sink.MissingField, "no key, from which the scope is read")
}

// TestFormatsAreLabelledAlike: a template of fields is the same of each format.
func TestFormatsAreLabelledAlike(t *testing.T) {
	v := object{"text": "x", "lang": "en", "id": int64(7)}
	values := encoded(t, v)
	const schema = `{"type":"record","name":"A","fields":[{"name":"text","type":"string"},{"name":"lang","type":"string"},{"name":"id","type":"long"}]}`
	const message = `syntax = "proto3"; message A { string text = 1; string lang = 2; int64 id = 3; }`
	asJSON, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	values["avro"], values["protobuf"] = avroValue(t, schema, v), protoValue(t, message, "A", string(asJSON))
	for name, value := range values {
		r := newReader(t, jsonParams(func(p *Params) {
			p.Format, p.ID, p.Scope = name, "{field:lang}-{key}-{field:id}", "{header:t}/{field:id}/{field:lang}"
			switch name {
			case "avro":
				p.Schema.File = schemaFile(t, schema)
			case "protobuf":
				p.Schema.File, p.Schema.Message = schemaFile(t, descriptors(t, message)), "A"
			}
		}))
		doc, bad := r.Read(Input{Key: []byte("k"), Value: value, Headers: []kgo.RecordHeader{{Key: "t", Value: []byte("t1")}}}, nil)
		want, _ := r.Scope("", "t1/7/en")
		if bad != nil || string(doc.ID) != "en-k-7" || doc.Scope != want || string(doc.Text) != "x" {
			t.Errorf("%s: text %q, id %q, scope %d, want %d, %v", name, doc.Text, doc.ID, doc.Scope, want, bad)
		}
	}
}

// TestAllPathsAtOnce: the most fields, parts and conditions that are possible are all followed.
func TestAllPathsAtOnce(t *testing.T) {
	value := map[string]any{}
	var id, scope, texts []string
	p := jsonParams(func(p *Params) { p.Fields = nil })
	for i := range maxFields {
		name := fmt.Sprint("f", i)
		value[name], p.Fields, texts = name, append(p.Fields, name), append(texts, name)
	}
	for i := range maxParts {
		value[fmt.Sprint("i", i)], value[fmt.Sprint("s", i)] = i, -i
		id, scope = append(id, fmt.Sprintf("{field:i%d}", i)), append(scope, fmt.Sprintf("{field:s%d}", i))
	}
	for i := range maxConditions {
		value[fmt.Sprint("w", i)] = "y"
		p.When = append(p.When, Condition{Field: fmt.Sprint("w", i), Equals: "y"})
	}
	p.ID, p.Scope = strings.Join(id, "."), strings.Join(scope, ".")
	made, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	text, _ := json.Marshal(value)
	doc, bad := reader{made}.Read(Input{Value: text}, nil)
	want, _ := made.Scope("", "0.-1.-2.-3.-4.-5.-6.-7")
	if bad != nil || doc.Unchecked != "" || string(doc.ID) != "0.1.2.3.4.5.6.7" || doc.Scope != want || string(doc.Text) != strings.Join(texts, "\n") {
		t.Errorf("Read returns %+v, rejection %v; want the text of all %d fields, all %d parts in the id and in the scope, %d conditions met",
			doc, bad, maxFields, maxParts, maxConditions)
	}
	value["w15"] = "n"
	text, _ = json.Marshal(value)
	if doc, bad := (reader{made}).Read(Input{Value: text}, nil); bad != nil || doc.Unchecked != sink.ByCondition {
		t.Errorf("a condition that does not hold: %+v, %v", doc, bad)
	}
}

// A part of which each character is escaped costs no more than its length.
func TestHostileParts(t *testing.T) {
	p := DefaultParams()
	p.Scope = "{header:a}/{key}"
	r := newReader(t, p)
	in := Input{Key: []byte("k"), Value: []byte("x"), Headers: []kgo.RecordHeader{{Key: "a", Value: bytes.Repeat([]byte("/"), 4<<20)}}}
	doc, bad := r.Read(in, nil) // if the time were quadratic, this would take an hour
	if want, _ := r.Scope("", strings.Repeat(`\/`, 4<<20)+"/k"); bad != nil || doc.Scope != want {
		t.Errorf("scope %d, %v", doc.Scope, bad)
	}
}

// FuzzTemplate: any text is a template or says why not; and what a template becomes tells its parts.
func FuzzTemplate(f *testing.F) {
	for _, seed := range [][3]string{
		{"{key}/{header:b}", "a/b", "c"},
		{"{key}/{header:b}", "a", "b/c"},
		{"<{key}--{header:b}>", "-", `\`},
		{"{key}", "", ""},
		{"{key}{header:b}", "a", "b"},
		{"{key} }", "", ""},
		{`{header:b}\{key}`, `\`, `\\`},
		{"{field:a.b}.{field:a}", "", ""},
	} {
		f.Add(seed[0], []byte(seed[1]), []byte(seed[2]))
	}
	f.Fuzz(func(t *testing.T, text string, key, b []byte) {
		s, err := parseSelector(text)
		if err != nil || s.kind != selectTemplate {
			return
		}
		in := Input{Key: append([]byte{}, key...), Headers: []kgo.RecordHeader{{Key: "b", Value: b}}}
		c := composer{}
		if missing, bad := c.pick("id", &s, &in, nil); missing != nil || bad != nil {
			return
		}
		left := c.buf
		for i := range s.parts {
			var want composer
			_, _ = want.pick("id", &s.parts[i].selector, &in, nil)
			behind := s.end
			if i+1 < len(s.parts) {
				behind = s.parts[i+1].before
			}
			if i == 0 {
				left = left[len(s.parts[0].before):]
			}
			var got []byte
			if got, left = unfilled(left, behind, s.escaped, i+1 == len(s.parts)); !bytes.Equal(got, want.buf) {
				t.Fatalf("%q is %q: part %d is read as %q, want %q", text, c.buf, i, got, want.buf)
			}
		}
	})
}

// unfilled reads a part back, and what follows what stands behind it.
func unfilled(text []byte, behind, escaped string, last bool) (part, rest []byte) {
	end := len(text)
	if last {
		end -= len(behind)
	}
	i := 0
	for ; i < end && (last || text[i] != behind[0]); i++ {
		if escaped != "" && text[i] == '\\' {
			i++
		}
		part = append(part, text[i])
	}
	return part, text[i+len(behind):]
}
