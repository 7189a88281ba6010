package document

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/bufbuild/protocompile"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sr"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/unecho/unecho/sink"
)

const articleProto = `syntax = "proto3";
package news;
message Other { int32 n = 1; message Inner { string text = 1; } }
message Body { string body = 1; Body parent = 2; repeated string parts = 3; optional string note = 4; }
enum Kind { NEWS = 0; COMMENT = 1; }
message Article {
  int64 id = 1;
  string text = 2;
  Body article = 3;
  map<string, string> labels = 4;
  map<int32, Body> bodies = 5;
  repeated string parts = 6;
  Kind kind = 7;
  repeated Kind kinds = 8;
  oneof content { string plain = 9; Body rich = 10; bytes blob = 11; }
  repeated Body list = 12;
  repeated int32 numbers = 13;
  bool seen = 14;
  double score = 15;
  sint32 zig = 16;
  fixed64 fix = 17;
  uint64 big = 18;
  sfixed32 small = 19;
  bytes raw = 20;
}`

// protoFileOf compiles a text.
func protoFileOf(t testing.TB, text string) protoreflect.FileDescriptor {
	t.Helper()
	c := protocompile.Compiler{Resolver: protocompile.WithStandardImports(&protocompile.SourceResolver{
		Accessor: protocompile.SourceAccessorFromMap(map[string]string{"a.proto": text}),
	})}
	files, err := c.Compile(t.Context(), "a.proto")
	if err != nil {
		t.Fatal(err)
	}
	return files[0]
}

// descriptors is what protoc writes for a text.
func descriptors(t testing.TB, text string) string {
	t.Helper()
	out, err := proto.Marshal(&descriptorpb.FileDescriptorSet{
		File: []*descriptorpb.FileDescriptorProto{protodesc.ToFileDescriptorProto(protoFileOf(t, text))},
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// protoValue writes a message, which is given as JSON.
func protoValue(t testing.TB, text, message, value string) []byte {
	t.Helper()
	m := dynamicpb.NewMessage(protoFileOf(t, text).Messages().ByName(protoreflect.Name(message)))
	if err := protojson.Unmarshal([]byte(value), m); err != nil {
		t.Fatal(err)
	}
	out, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func protoParams(t testing.TB, edit func(*Params)) Params {
	t.Helper()
	return jsonParams(func(p *Params) {
		p.Format, p.Schema.Message, p.Schema.File = "protobuf", "news.Article", schemaFile(t, descriptors(t, articleProto))
		if edit != nil {
			edit(p)
		}
	})
}

func TestProtobuf(t *testing.T) {
	const value = `{"id":"7","text":"Rain","article":{"body":"Sun","parent":{"body":"Wind","parts":["p","q"]},"note":"n"},
		"labels":{"lang":"en","other":""},"bodies":{"5":{"body":"Snow","parts":["r"]}},"parts":["a","b"],"kind":"COMMENT","kinds":["NEWS","COMMENT"],
		"plain":"ice","list":[{"body":"x"}],"numbers":[1,2],"seen":true,"score":1.5,"raw":"eA=="}`
	tests := []struct {
		fields, value, text string
		reason              sink.Reason
		detail              string
	}{
		{"text", value, "Rain", "", ""},
		{"labels.lang text", value, "en\nRain", "", ""},
		{"article.body article.parent.body", value, "Sun\nWind", "", ""},
		{"article.parent.parts", value, "p\nq", "", ""},
		{"bodies.5.body bodies.5.parts", value, "Snow\nr", "", ""},
		{"parts", value, "a\nb", "", ""},
		{"kind kinds", value, "COMMENT\nNEWS\nCOMMENT", "", ""},
		{"plain", value, "ice", "", ""},
		{"article.note", value, "n", "", ""},
		{"text", `{}`, "", "", ""},
		{"parts", `{}`, "", "", ""},
		{"kind", `{}`, "NEWS", "", ""},
		{"article.body", `{"article":{}}`, "", "", ""},
		{"article.body", `{}`, "", sink.MissingField, "no field article.body"},
		{"article.note", `{"article":{}}`, "", sink.MissingField, "no field article.note"},
		{"plain", `{}`, "", sink.MissingField, "no field plain"},
		{"plain", `{"rich":{"body":"x"}}`, "", sink.MissingField, "no field plain"},
		{"rich.body", `{"rich":{"body":"x"}}`, "x", "", ""},
		{"labels.none", value, "", sink.MissingField, "no field labels.none"},
		{"labels.other", value, "", "", ""},
		{"bodies.6.body", value, "", sink.MissingField, "no field bodies.6.body"},
		{"nothing", value, "", sink.MissingField, "no field nothing"},
		{"id", value, "", sink.WrongType, "field id is an integer, not a string"},
		{"seen", value, "", sink.WrongType, "field seen is a boolean, not a string"},
		{"score", value, "", sink.WrongType, "field score is a floating-point number, not a string"},
		{"raw", value, "", sink.WrongType, "field raw is bytes, not a string"},
		{"article", value, "", sink.WrongType, "field article is an object, not a string"},
		{"labels", value, "", sink.WrongType, "field labels is an object, not a string"},
		{"list", value, "", sink.WrongType, "element 0 of field list is an object, not a string"},
		{"numbers", value, "", sink.WrongType, "element 0 of field numbers is an integer, not a string"},
		{"list.body", value, "x", "", ""},
		{"text.x", value, "", sink.WrongType, "on the way to field text.x is a string, not an object"},
	}
	for _, test := range tests {
		t.Run(test.fields, func(t *testing.T) {
			r := newReader(t, protoParams(t, func(p *Params) { p.Fields = strings.Fields(test.fields) }))
			// A value without fields has no bytes, and would be a tombstone.
			in := Input{Value: append(protoValue(t, articleProto, "Article", test.value), protowire.AppendVarint(protowire.AppendTag(nil, 99, 0), 1)...)}
			doc, bad := r.Read(in, nil)
			check(t, doc, bad, test.text, test.reason, test.detail)
		})
	}
}

func TestProtobufNumbers(t *testing.T) {
	const value = `{"text":"a","id":"-7","zig":-9,"fix":"18446744073709551615","big":"18446744073709551614","small":-3,"kind":"COMMENT"}`
	for id, want := range map[string]string{
		"id": "-7", "zig": "-9", "fix": "18446744073709551615", "big": "18446744073709551614", "small": "-3", "kind": "COMMENT",
	} {
		r := newReader(t, protoParams(t, func(p *Params) { p.ID = "field:" + id }))
		doc, bad := r.Read(Input{Value: protoValue(t, articleProto, "Article", value)}, nil)
		check(t, doc, bad, "a", "", "")
		if string(doc.ID) != want {
			t.Errorf("%s: %q, want %q", id, doc.ID, want)
		}
	}
}

// TestProtobufInPieces: parts of a message that are written apart are merged, as the format demands.
func TestProtobufInPieces(t *testing.T) {
	str := func(out []byte, number protowire.Number, s string) []byte {
		return protowire.AppendString(protowire.AppendTag(out, number, protowire.BytesType), s)
	}
	body := func(s, part string) string { return string(str(str(nil, 1, s), 3, part)) }
	tests := []struct {
		name, fields string
		value        []byte
		text         string
		reason       sink.Reason
		detail       string
	}{
		{"the last string counts", "text", str(str(nil, 2, "old"), 2, "new"), "new", "", ""},
		{"messages are merged", "article.body article.parts", str(str(nil, 3, body("old", "a")), 3, body("new", "b")), "new\na\nb", "", ""},
		{"elements apart", "parts", str(str(str(nil, 6, "a"), 2, "x"), 6, "b"), "a\nb", "", ""},
		{
			"the last entry of a key counts", "bodies.0.body bodies.0.parts",
			str(str(nil, 5, string(str(nil, 2, body("old", "a")))), 5, string(str(nil, 2, body("new", "b")))), "new\nb", "", "",
		},
		{"the last member of a oneof counts", "plain", str(str(nil, 9, "old"), 11, "blob"), "", sink.MissingField, "no field plain"},
		{"a member that comes again begins anew", "rich.parts", str(str(str(nil, 10, body("x", "a")), 9, "plain"), 10, body("y", "b")), "b", "", ""},
		{"unknown fields", "text", str(str(nil, 77, "x"), 2, "a"), "a", "", ""},
		{"an unknown symbol", "kind", append(protowire.AppendTag(nil, 7, protowire.VarintType), 9), "9", "", ""},
		{"packed", "kinds", str(nil, 8, "\x00\x01"), "NEWS\nCOMMENT", "", ""},
		{"packed, truncated", "kinds", str(nil, 8, "\x00\xff"), "", sink.Undecodable, "at byte 3: the value ends too early"},
		{"another type", "text", append(protowire.AppendTag(nil, 2, protowire.VarintType), 1), "", sink.Undecodable, "at byte 1: field 2 is not written as the type that the schema has"},
		{"truncated", "text", str(nil, 2, "long")[:4], "", sink.Undecodable, "at byte 1: the value ends too early"},
		{"no tag", "text", []byte{0}, "", sink.Undecodable, "at byte 0: no field of Protobuf"},
		{"an end without a group", "text", []byte{0x0c}, "", sink.Undecodable, "at byte 1: no field of Protobuf"},
		{"truncated within", "article.body", str(nil, 3, "\x0a\x05x"), "", sink.Undecodable, "at byte 3: the value ends too early"},
		{"groups without end", "text", []byte(strings.Repeat("\xbb\x06", 100_000)), "", sink.Undecodable, "at byte 2: no field of Protobuf"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := newReader(t, protoParams(t, func(p *Params) { p.Fields = strings.Fields(test.fields) }))
			doc, bad := r.Read(Input{Value: test.value}, nil)
			check(t, doc, bad, test.text, test.reason, test.detail)
		})
	}
}

func TestProtobufOfRegistry(t *testing.T) {
	registry, _ := standIn(t)
	with := func(edit func(*Params)) reader {
		return newReader(t, registryParams(registry, "protobuf", edit))
	}
	imports := strings.Replace(articleProto, "package news;", `package news; import "lib/body.proto"; import "confluent/meta.proto";
		import "google/protobuf/timestamp.proto"; message Far { lib.Body far = 1 [(confluent.field_meta).doc = "x"]; google.protobuf.Timestamp at = 2; }`, 1)
	file := protodesc.ToFileDescriptorProto(protoFileOf(t, articleProto))
	binary, err := proto.Marshal(file)
	if err != nil {
		t.Fatal(err)
	}
	registry.SeedSchema("a", 1, 7, sr.Schema{Type: sr.TypeProtobuf, Schema: articleProto})
	registry.SeedSchema("lib", 1, 8, sr.Schema{Type: sr.TypeProtobuf, Schema: `syntax = "proto3"; package lib; message Body { string body = 1; }`})
	registry.SeedSchema("b", 1, 9, sr.Schema{Type: sr.TypeProtobuf, Schema: imports, References: []sr.SchemaReference{{Name: "lib/body.proto", Subject: "lib", Version: 1}}})
	registry.SeedSchema("c", 1, 10, sr.Schema{Type: sr.TypeProtobuf, Schema: base64.StdEncoding.EncodeToString(binary)})
	registry.SeedSchema("d", 1, 11, sr.Schema{Type: sr.TypeProtobuf, Schema: `syntax = "proto3"; import "none.proto";`})
	registry.SeedSchema("e", 1, 12, sr.Schema{Type: sr.TypeAvro, Schema: `"string"`})
	article := protoValue(t, articleProto, "Article", `{"text":"Rain"}`)
	far := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), "\x0a\x04Rain")
	named := with(func(p *Params) { p.Schema.Message = "news.Article" })
	tests := []struct {
		name   string
		reader reader
		value  []byte
		text   string
		reason sink.Reason
		detail string
	}{
		{"third message", named, append([]byte{2, 4}, article...), "Rain", "", ""},
		{"any message", with(nil), append([]byte{2, 4}, article...), "Rain", "", ""},
		{"nested message", with(nil), append([]byte{4, 0, 0}, "\x0a\x04Snow"...), "Snow", "", ""},
		{"first message", with(func(p *Params) { p.Fields = []string{"far.body"} }), append([]byte{0}, far...), "Rain", "", ""},
		{"a descriptor", named, append([]byte{2, 4}, article...), "Rain", "", ""},
		{"the wrong message", named, append([]byte{2, 2}, article...), "", sink.WrongType, "the value is a news.Body, not a news.Article"},
		{"no such message", named, append([]byte{2, 40}, article...), "", sink.Undecodable, "the schema has no message [20]"},
		{"a message below all", named, append([]byte{2, 1}, article...), "", sink.Undecodable, "the schema has no message [-1]"},
		{"a broken index", named, []byte{0xff}, "", sink.Undecodable, "the index of the message is broken"},
		{"a long index", named, []byte{0xfe, 0x01}, "", sink.Undecodable, "the index of the message is broken"},
		{"no index", named, nil, "", sink.Undecodable, "the index of the message is broken"},
		{"no schema", named, append([]byte{0}, article...), "", sink.UnknownSchema, "schema 11 cannot be used: read the schema: schema.proto:1:27: could not resolve path \"none.proto\": file does not exist"},
		{"another type", named, append([]byte{0}, article...), "", sink.UnknownSchema, "schema 12 cannot be used: it is of type AVRO, not PROTOBUF"},
	}
	ids := map[string]byte{"first message": 9, "a descriptor": 10, "no schema": 11, "another type": 12}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			id := byte(7)
			if other, is := ids[test.name]; is {
				id = other
			}
			doc, bad := test.reader.Read(Input{Value: framed(id, test.value)}, nil)
			check(t, doc, bad, test.text, test.reason, test.detail)
		})
	}
	guided, _ := registry.GetSchema("a", 1)
	header := append(unhex(t, "01"+strings.ReplaceAll(guided.GUID, "-", "")), 2, 4)
	doc, bad := named.Read(Input{Value: article, Headers: []kgo.RecordHeader{{Key: confluentHeader, Value: header}}}, nil)
	check(t, doc, bad, "Rain", "", "")
}

// TestProtobufFramedWithFile: a value whose framing says that it is another message is not read as the one in the file.
func TestProtobufFramedWithFile(t *testing.T) {
	r := newReader(t, protoParams(t, func(p *Params) { p.Schema.Framing = "confluent" }))
	value := protoValue(t, articleProto, "Article", `{"text":"Rain"}`)
	doc, bad := r.Read(Input{Value: framed(1, append([]byte{2, 4}, value...))}, nil)
	check(t, doc, bad, "Rain", "", "")
	doc, bad = r.Read(Input{Value: framed(1, append([]byte{0}, value...))}, nil)
	check(t, doc, bad, "", sink.WrongType, "the value is message [0] of its file, not news.Article")
}

// TestProtobufLarge: ten thousand fields, and an array of a million elements.
func TestProtobufLarge(t *testing.T) {
	var fields strings.Builder
	var value []byte
	for i := 1; i <= 10_000; i++ {
		fmt.Fprintf(&fields, "string f%d = %d;\n", i, i)
		if i < 19_000 {
			value = protowire.AppendString(protowire.AppendTag(value, protowire.Number(i), protowire.BytesType), "x")
		}
	}
	wide := `syntax = "proto3"; message Wide { ` + fields.String() + `repeated string text = 20000; }`
	for range 1_000_000 {
		value = protowire.AppendString(protowire.AppendTag(value, 20000, protowire.BytesType), "")
	}
	r := newReader(t, protoParams(t, func(p *Params) {
		p.Schema.Message, p.Schema.File, p.MaxBytes = "Wide", schemaFile(t, descriptors(t, wide)), 64<<20
		p.Fields = []string{"f10000", "text", "f1"}
	}))
	doc, bad := r.Read(Input{Value: value}, nil)
	check(t, doc, bad, "x\n"+strings.Repeat("\n", 999_999)+"\nx", "", "")
}

// FuzzReadProtobuf: what another reader decodes is read here, with the same text.
func FuzzReadProtobuf(f *testing.F) {
	f.Add(protoValue(f, articleProto, "Article", `{"text":"Rain","article":{"parent":{"body":"Wind"}},"parts":["a","b"],"plain":"x","id":"7"}`))
	f.Add(protoValue(f, articleProto, "Article", `{"article":{"parent":{}},"rich":{"parts":["a"]},"bodies":{"5":{"body":"x"}}}`))
	r := newReader(f, protoParams(f, func(p *Params) {
		p.Fields, p.ID = []string{"text", "article.parent.body", "parts", "kinds"}, "field:id"
	}))
	hard := newReader(f, protoParams(f, func(p *Params) {
		p.Fields, p.Scope = []string{"rich.parts", "plain", "bodies.5.parts", "labels.a", "list"}, "field:labels.b"
	}))
	m := protoFileOf(f, articleProto).Messages().ByName("Article")
	f.Fuzz(func(t *testing.T, value []byte) {
		doc, bad := r.Read(Input{Value: value}, nil)
		if _, worse := hard.Read(Input{Value: value}, nil); worse != nil && worse.Reason == "" {
			t.Fatalf("a value is rejected without a reason: %+v", worse)
		}
		got := dynamicpb.NewMessage(m)
		if len(value) == 0 || !decodes(value, got) {
			return
		}
		if bad != nil {
			if bad.Reason != sink.MissingField && !strings.Contains(bad.Detail, "not written as the type") {
				t.Fatalf("valid, but %+v", bad)
			}
			return
		}
		if want := protoText4(got); marks(string(doc.Text)) != marks(want) {
			t.Fatalf("text %q, want %q", doc.Text, want)
		}
	})
}

// decodes says whether another reader makes something of a value. It panics for a map whose key is written as another
// type than the schema has.
func decodes(value []byte, into proto.Message) (is bool) {
	defer func() {
		if recover() != nil {
			is = false
		}
	}()
	return proto.Unmarshal(value, into) == nil
}

// protoText4 is the text of the fields that FuzzReadProtobuf reads.
func protoText4(m protoreflect.Message) string {
	get := func(m protoreflect.Message, name string) protoreflect.Value {
		return m.Get(m.Descriptor().Fields().ByName(protoreflect.Name(name)))
	}
	var parts, kinds []string
	for i, list := 0, get(m, "parts").List(); i < list.Len(); i++ {
		parts = append(parts, list.Get(i).String())
	}
	symbols := m.Descriptor().ParentFile().Enums().ByName("Kind").Values()
	for i, list := 0, get(m, "kinds").List(); i < list.Len(); i++ {
		kind := fmt.Sprint(list.Get(i).Enum())
		if v := symbols.ByNumber(list.Get(i).Enum()); v != nil {
			kind = string(v.Name())
		}
		kinds = append(kinds, kind)
	}
	texts := []string{
		get(m, "text").String(), get(get(get(m, "article").Message(), "parent").Message(), "body").String(),
		strings.Join(parts, "\n"), strings.Join(kinds, "\n"),
	}
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), "\n")
}
