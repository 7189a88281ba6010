package document

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/unecho/unecho/sink"
)

const bodiesSchema = `{"type":"record","name":"Page","fields":[{"name":"blocks","type":["null",{"type":"array","items":["null",
	{"type":"record","name":"Block","fields":[
		{"name":"text","type":["null","string",{"type":"array","items":"string"}]},
		{"name":"inner","type":["null",{"type":"array","items":"Block"}]}]}]}]}]}`

const bodiesProto = `syntax = "proto3"; package news;
message Block { optional string text = 1; repeated Block inner = 2; repeated string words = 3; }
message Article { repeated Block blocks = 1; int32 other = 2; }`

// block is an object as Avro wants it: with all fields.
func block(v any) any {
	switch v := v.(type) {
	case object:
		out := object{"text": nil, "inner": nil}
		for name, value := range v {
			out[name] = block(value)
		}
		return out
	case []any:
		out := make([]any, 0, len(v))
		for _, element := range v {
			out = append(out, block(element))
		}
		return out
	}
	return v
}

// TestThroughArrays: the path of a text leads through arrays of objects, in every format, to the text of each in their order. What
// has none is passed over; where no element has one, the field is missing.
func TestThroughArrays(t *testing.T) {
	list := func(all ...any) object { return object{"blocks": append([]any{}, all...)} }
	text := func(s string) object { return object{"text": s} }
	for name, c := range map[string]struct {
		path   string
		value  object
		text   string
		reason sink.Reason
		detail string
	}{
		"each":           {"blocks.text", list(text("a"), text("b"), text("c")), "a\nb\nc", "", ""},
		"some":           {"blocks.text", list(text("a"), object{"text": nil}, object{}, text("c")), "a\nc", "", ""},
		"a null":         {"blocks.text", list(nil, text("a"), nil), "a", "", ""},
		"arrays of text": {"blocks.text", list(object{"text": []any{"a", "b"}}, object{"text": []any{}}, text("c")), "a\nb\nc", "", ""},
		"empty ones":     {"blocks.text", list(text(""), text("")), "\n", "", ""},
		"nested":         {"blocks.inner.text", list(object{"inner": []any{text("a"), text("b")}}, text("no"), object{"inner": []any{text("c")}}), "a\nb\nc", "", ""},
		"nested and gone": {
			"blocks.inner.text",
			list(object{"inner": []any{object{}}}, object{"inner": []any{text("a")}}, object{"inner": []any{}}, object{"inner": []any{object{}, text("b")}}),
			"a\nb", "", "",
		},
		"none":           {"blocks.text", list(object{}, nil), "", sink.MissingField, "no field blocks.text in any element"},
		"nothing":        {"blocks.text", list(), "", sink.MissingField, "no field blocks.text in any element"},
		"none nested":    {"blocks.inner.text", list(object{"inner": []any{object{}}}), "", sink.MissingField, "no field blocks.inner.text in any element"},
		"null":           {"blocks.text", object{"blocks": nil}, "", sink.MissingField, "no field blocks.text"},
		"another object": {"blocks.inner", list(object{"inner": []any{text("a")}}), "", sink.WrongType, "element 0 of field blocks.inner is an object, not a string"},
	} {
		values := encoded(t, c.value)
		values["avro"] = avroValue(t, bodiesSchema, object{"blocks": block(c.value["blocks"])})
		for format, value := range values {
			t.Run(name+" "+format, func(t *testing.T) {
				edit := func(p *Params) { p.Fields = []string{c.path} }
				p := jsonParams(edit)
				if format == "avro" {
					p = avroParams(t, bodiesSchema, edit)
				} else {
					p.Format = format
				}
				doc, bad := newReader(t, p).Read(Input{Value: value}, nil)
				check(t, doc, bad, c.text, c.reason, c.detail)
				if format != "json" || bad != nil {
					return
				}
				var parts []string
				for _, at := range newReader(t, p).Strings(nil, value) {
					parts = append(parts, string(value[at.Start:at.End]))
				}
				if got := strings.Join(parts, "\n"); got != c.text {
					t.Errorf("strings of the text %q; want %q", got, c.text)
				}
			})
		}
	}
}

// TestThroughLists: so in Protobuf, whose lists may lie anywhere, and whose absent fields may be empty.
func TestThroughLists(t *testing.T) {
	edit := func(path string) func(*Params) {
		return func(p *Params) {
			p.Schema.File, p.Fields = schemaFile(t, descriptors(t, bodiesProto)), []string{path}
		}
	}
	value := func(json string) []byte { return protoValue(t, bodiesProto, "Article", json) }
	other := protowire.AppendVarint(protowire.AppendTag(nil, 2, 0), 1)
	for _, c := range []struct {
		path   string
		value  []byte
		text   string
		reason sink.Reason
		detail string
	}{
		{"blocks.text", value(`{"blocks":[{"text":"a"},{},{"text":"b"}]}`), "a\nb", "", ""},
		{"blocks.words", value(`{"blocks":[{"words":["a","b"]},{"words":["c"]}]}`), "a\nb\nc", "", ""},
		{"blocks.inner.text", value(`{"blocks":[{"inner":[{"text":"a"},{"text":"b"}]},{"text":"no"},{"inner":[{"text":"c"}]}]}`), "a\nb\nc", "", ""},
		{"blocks.inner.words", value(`{"blocks":[{"inner":[{"words":["a"]},{}]},{"inner":[{"words":["b","c"]}]}]}`), "a\nb\nc", "", ""},
		{
			"blocks.text", append(append(value(`{"blocks":[{"text":"a"}]}`), other...), value(`{"blocks":[{"text":"b"}]}`)...),
			"a\nb", "", "",
		},
		{"blocks.text", value(`{"blocks":[{},{"words":["a"]}]}`), "", sink.MissingField, "no field blocks.text in any element"},
		{"blocks.text", other, "", sink.MissingField, "no field blocks.text"},
		{"blocks.words.x", value(`{"blocks":[{"words":["a"]}]}`), "", sink.WrongType, "on the way to field blocks.words.x, element 0 is a string, not an object"},
		{"blocks.text", []byte{1<<3 | 2, 2, 1<<3 | 2, 9}, "", sink.Undecodable, "at byte 3: the value ends too early"},
	} {
		doc, bad := newReader(t, protoParams(t, edit(c.path))).Read(Input{Value: c.value}, nil)
		check(t, doc, bad, c.text, c.reason, c.detail)
	}
}

// TestOneValueLeadsThroughNoArray: an id, a scope or a condition is one value.
func TestOneValueLeadsThroughNoArray(t *testing.T) {
	p := jsonParams(func(p *Params) { p.ID = "field:blocks.id" })
	_, bad := newReader(t, p).Read(Input{Value: []byte(`{"text":"a","blocks":[{"id":"x"}]}`)}, nil)
	check(t, Document{}, bad, "", sink.WrongType, "on the way to the id in field blocks.id is an array, not an object")
}
