package document

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/sink"
)

// jsonParams are the defaults for JSON, changed by edit.
func jsonParams(edit func(*Params)) Params {
	p := DefaultParams()
	p.Format = "json"
	if edit != nil {
		edit(&p)
	}
	return p
}

// reader is a Reader of formats that do not ask others.
type reader struct{ *Reader }

func newReader(t testing.TB, p Params) reader {
	t.Helper()
	r, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	return reader{r}
}

func (r reader) Read(in Input, buf []byte) (Document, *Rejection) {
	doc, bad, err := r.Reader.Read(context.Background(), in, buf) // a fuzz target cannot ask f for another context
	if err != nil {
		panic(err)
	}
	return doc, bad
}

func TestRawText(t *testing.T) {
	replace := DefaultParams()
	strict := DefaultParams()
	strict.Reject = []string{"invalid_encoding"}
	small := DefaultParams()
	small.MaxBytes = 4
	tests := []struct {
		name   string
		params Params
		value  string
		text   string
		reason sink.Reason
		detail string
	}{
		{"plain", replace, "Rain, then sun.", "Rain, then sun.", "", ""},
		{"as long as allowed", small, "four", "four", "", ""},
		{"too long", small, "fives", "", sink.TooLarge, "the value has 5 bytes, the limit is 4 (advanced.max_document_bytes)"},
		{"invalid bytes stay", replace, "a\xff\xfe\x80b\xffc", "a\xff\xfe\x80b\xffc", "", ""},
		{"cut rune", replace, "caf\xc3", "caf\xc3", "", ""},
		{"strict", strict, "ab\xffc", "", sink.InvalidEncoding, "not UTF-8 at byte 2 of the value"},
		{"strict and valid", strict, "caf\u00e9 \ufffd", "caf\u00e9 \ufffd", "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			doc, bad := newReader(t, test.params).Read(Input{Value: []byte(test.value)}, nil)
			check(t, doc, bad, test.text, test.reason, test.detail)
		})
	}
}

func check(t *testing.T, doc Document, bad *Rejection, text string, reason sink.Reason, detail string) {
	t.Helper()
	if reason != "" {
		if bad == nil || bad.Reason != reason || bad.Detail != detail {
			t.Fatalf("got %+v, %+v\nwant rejection %s: %s", doc, bad, reason, detail)
		}
		return
	}
	if bad != nil {
		t.Fatalf("rejected %+v, want text %q", bad, text)
	}
	if string(doc.Text) != text {
		t.Fatalf("text %q, want %q", doc.Text, text)
	}
}

func TestJSONText(t *testing.T) {
	two := func(p *Params) { p.Fields = []string{"title", "article.body"} }
	strict := func(p *Params) { p.Reject = []string{"invalid_encoding", "missing_field"} }
	dotted := func(p *Params) { p.Fields = []string{`a\.b.c\\d`} }
	tests := []struct {
		name   string
		edit   func(*Params)
		value  string
		text   string
		reason sink.Reason
		detail string
	}{
		{"one field", nil, `{"id":7,"text":"Rain","more":[{"text":"no"}]}`, "Rain", "", ""},
		{"white space around", nil, " \r\n{ \"text\" :\t\"Rain\" } \n", "Rain", "", ""},
		{"byte order mark", nil, "\ufeff{\"text\":\"Rain\"}", "Rain", "", ""},
		{"two fields, nested, in the order of the settings", two, `{"article":{"body":"Sun"},"title":"Rain"}`, "Rain\nSun", "", ""},
		{"array of strings", nil, `{"text":[ "a" ,"b", "", "c" ]}`, "a\nb\n\nc", "", ""},
		{"array without strings", nil, `{"text":[]}`, "", "", ""},
		{"escapes", nil, `{"text":"\"\\\/\b\f\n\r\t\u00e9\u65E5\ud83d\ude00"}`, "\"\\/\b\f\n\r\té日😀", "", ""},
		{"escaped key", nil, `{"t\u0065xt":"Rain"}`, "Rain", "", ""},
		{"dots and backslashes in a name", dotted, `{"a.b":{"c\\d":"Rain"}}`, "Rain", "", ""},
		{"last of two keys", nil, `{"text":"old","text":"new"}`, "new", "", ""},
		{"last of two keys, nested", two, `{"title":"t","article":{"body":"old"},"article":{"body":"new"}}`, "t\nnew", "", ""},
		{"the last of two keys takes the first away", two, `{"title":"t","article":{"body":"old"},"article":{}}`, "", sink.MissingField, "no field article.body (sources.reject)"},
		{"lone surrogate", nil, `{"text":"a\ud800b\udc00\ud800\ud800c\ud800\u0041"}`, "a\ufffdb\ufffd\ufffd\ufffdc\ufffdA", "", ""},
		{"lone surrogate, strict", strict, `{"text":"a\ud800"}`, "", sink.InvalidEncoding, "not Unicode in field text"},
		{"invalid bytes", nil, "{\"text\":\"a\xff\xfeb\\n\"}", "a\xff\xfeb\n", "", ""},
		{"invalid bytes, strict", strict, "{\"text\":\"a\xff\"}", "", sink.InvalidEncoding, "not Unicode in field text"},
		{"invalid bytes elsewhere, strict", strict, "{\"other\":\"\xff\",\"text\":\"a\"}", "a", "", ""},
		{"invalid bytes in an array, strict", strict, "{\"text\":[\"a\",\"\xff\"]}", "", sink.InvalidEncoding, "not Unicode in field text"},
		{"missing", nil, `{"texts":"a"}`, "", sink.MissingField, "no field text"},
		{"null", nil, `{"text":null}`, "", sink.MissingField, "field text is null"},
		{"one of two missing", two, `{"title":"a","article":null}`, "", sink.MissingField, "no field article.body (sources.reject)"},
		{"number", nil, `{"text":12}`, "", sink.WrongType, "field text is a number, not a string"},
		{"boolean", nil, `{"text":true}`, "", sink.WrongType, "field text is a boolean, not a string"},
		{"object", nil, `{"text":{"text":"a"}}`, "", sink.WrongType, "field text is an object, not a string"},
		{"array of more", nil, `{"text":["a",["b"]]}`, "", sink.WrongType, "element 1 of field text is an array, not a string"},
		{"array with null", nil, `{"text":[null]}`, "", sink.WrongType, "element 0 of field text is null, not a string"},
		{"no object on the way", two, `{"title":"a","article":"b"}`, "", sink.WrongType, "on the way to field article.body is a string, not an object"},
		{"an array on the way", two, `{"title":"a","article":[{"body":"b"},["c"]]}`, "", sink.WrongType, "on the way to field article.body, element 1 is an array, not an object"},
		{"not an object", nil, `"text"`, "", sink.WrongType, "the value is a string, not an object"},
		{"not an object but null", nil, `null`, "", sink.WrongType, "the value is null, not an object"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			doc, bad := newReader(t, jsonParams(test.edit)).Read(Input{Value: []byte(test.value)}, nil)
			check(t, doc, bad, test.text, test.reason, test.detail)
		})
	}
}

func TestBrokenJSON(t *testing.T) {
	deep := func(n int) string {
		return `{"text":"a","x":` + strings.Repeat("[", n) + strings.Repeat("]", n) + "}"
	}
	tests := []struct{ value, detail string }{
		{`{"text":"a"`, "at byte 11: the value ends too early"},
		{`{"text":"a`, "at byte 10: the value ends too early"},
		{`{"text":"a\`, "at byte 11: the value ends too early"},
		{`{"text":"a"} x`, "at byte 13: more after the end of the value"},
		{`{"text":"a"}{}`, "at byte 12: more after the end of the value"},
		{`{"text":"a",}`, "at byte 12: a key in quotes is expected"},
		{`{"text" "a"}`, "at byte 8: a colon is expected"},
		{`{"text":"a" "b"}`, "at byte 12: a comma or closing brace is expected"},
		{`{"text":[1 2]}`, "at byte 11: a comma or closing bracket is expected"},
		{`{"text":[1,]}`, "at byte 11: a value is expected"},
		{`{"text":'a'}`, "at byte 8: a value is expected"},
		{`{"text":nul}`, "at byte 11: unknown word"},
		{`{"text":"\x"}`, "at byte 10: unknown escape sequence"},
		{`{"text":"\u12g4"}`, "at byte 13: four hexadecimal digits are expected"},
		{"{\"text\":\"a\nb\"}", "at byte 10: a control character in a string"},
		{`{"n":01}`, "at byte 6: a comma or closing brace is expected"},
		{`{"n":-}`, "at byte 6: a digit is expected"},
		{`{"n":1.}`, "at byte 7: a digit is expected"},
		{`{"n":1e+}`, "at byte 8: a digit is expected"},
		{"\ufeff{]", "at byte 4: a key in quotes is expected"},
		{"hello", "at byte 0: a value is expected"},
		{"\x00", "at byte 0: a value is expected"},
		{deep(maxNesting), "at byte 527: nested too deeply"},
		{strings.Repeat("[", 1<<20), "at byte 512: nested too deeply"},
		{strings.Repeat(`{"text":`, 1<<17), "at byte 4096: nested too deeply"},
	}
	r := newReader(t, jsonParams(nil))
	for _, test := range tests {
		t.Run(test.detail, func(t *testing.T) {
			doc, bad := r.Read(Input{Value: []byte(test.value)}, nil)
			check(t, doc, bad, "", sink.InvalidJSON, test.detail)
		})
	}
	if _, bad := r.Read(Input{Value: []byte(deep(maxNesting - 1))}, nil); bad != nil {
		t.Errorf("%d levels: %+v, want none", maxNesting, bad)
	}
}

func TestID(t *testing.T) {
	in := Input{
		Key: []byte("k1"), Value: []byte(`{"text":"a","id":"x\n\u00e9","n":-1.50,"nil":null,"b":true,"o":{"id":"in"}}`),
		Headers: []kgo.RecordHeader{{Key: "id", Value: []byte("first")}, {Key: "ID", Value: []byte("other")}, {Key: "id", Value: []byte("last")}},
	}
	tests := []struct {
		id, want, detail string
	}{
		{"", "", ""},
		{"key", "k1", ""},
		{"header:id", "last", ""},
		{"header:none", "", ""},
		{"field:id", "x\né", ""},
		{"field:n", "-1.50", ""},
		{"field:nil", "", ""},
		{"field:o.id", "in", ""},
		{"field:none", "", ""},
		{"field:b", "", "the id in field b is a boolean, neither a string nor a number"},
		{"field:o", "", "the id in field o is an object, neither a string nor a number"},
		{"field:id.x", "", "on the way to the id in field id.x is a string, not an object"},
	}
	for _, test := range tests {
		t.Run(test.id, func(t *testing.T) {
			r := newReader(t, jsonParams(func(p *Params) { p.ID = test.id }))
			doc, bad := r.Read(in, nil)
			if test.detail != "" {
				check(t, doc, bad, "", sink.WrongType, test.detail)
				return
			}
			check(t, doc, bad, "a", "", "")
			if string(doc.ID) != test.want {
				t.Errorf("id %q, want %q", doc.ID, test.want)
			}
		})
	}
}

func TestScope(t *testing.T) {
	scope := func(selector string, in Input) uint64 {
		t.Helper()
		in.Value = []byte(`{"text":"a","tenant":"t1","n":1,"s":"1","e":""}`)
		doc, bad := newReader(t, jsonParams(func(p *Params) { p.Scope, p.ID = selector, "field:n" })).Read(in, nil)
		if bad != nil {
			t.Fatalf("%s: the document is rejected: %+v", selector, bad)
		}
		if string(doc.Text) != "a" || string(doc.ID) != "1" {
			t.Fatalf("%s: text %q, id %q", selector, doc.Text, doc.ID)
		}
		return doc.Scope
	}
	in := Input{Headers: []kgo.RecordHeader{{Key: "h", Value: []byte("t1")}, {Key: "e", Value: nil}}}
	if scope("", in) != 0 {
		t.Error("no scope is not 0")
	}
	all := []uint64{
		0, scope("partition", Input{}), scope("partition", Input{Partition: 1}), scope("header:h", in), scope("header:e", in),
		scope("field:tenant", in), scope("field:n", in), scope("field:e", in),
		scope("topic", Input{Topic: "t1"}), scope("topic", Input{Topic: "t2"}),
	}
	for i, a := range all {
		for j, b := range all[:i] {
			if a == b {
				t.Errorf("scopes %d and %d are equal", i, j)
			}
		}
	}
	if scope("field:n", in) != scope("field:s", in) {
		t.Error("a number and the string of the same digits differ")
	}
}

func TestScopeMissing(t *testing.T) {
	for selector, want := range map[string]string{
		"header:tenant": "no header tenant, from which the scope is read",
		"field:tenant":  "no field tenant, from which the scope is read",
	} {
		r := newReader(t, jsonParams(func(p *Params) { p.Scope = selector }))
		doc, bad := r.Read(Input{Value: []byte(`{"text":"a","tenant":null}`)}, nil)
		check(t, doc, bad, "", sink.MissingField, want)
		if _, bad := r.Read(Input{Value: []byte(`{"text":" \n"}`)}, nil); bad != nil {
			t.Errorf("%s: an empty document without scope: %+v, want none", selector, bad)
		}
	}
	r := newReader(t, jsonParams(func(p *Params) { p.Scope = "field:tenant" }))
	doc, bad := r.Read(Input{Value: []byte(`{"text":"a","tenant":[]}`)}, nil)
	check(t, doc, bad, "", sink.WrongType, "the scope in field tenant is an array, neither a string nor a number")
}

func TestEmpty(t *testing.T) {
	for _, params := range []Params{DefaultParams(), jsonParams(nil)} {
		for _, value := range [][]byte{nil, {}, []byte(" \r\n\t ")} {
			doc, bad := newReader(t, params).Read(Input{Value: value}, nil)
			if bad != nil || !doc.Empty || len(doc.Text) != 0 {
				t.Errorf("%s %q: %+v, %+v, want an empty document", params.Format, value, doc, bad)
			}
		}
	}
	for _, value := range []string{`{"text":""}`, `{"text":" \n\u2003"}`, `{"text":[]}`, `{"text":["",""]}`} {
		doc, bad := newReader(t, jsonParams(nil)).Read(Input{Value: []byte(value)}, nil)
		if bad != nil || !doc.Empty {
			t.Errorf("%s: %+v, %+v, want an empty document", value, doc, bad)
		}
	}
	if bad := newReader(t, DefaultParams()).EmptyRejection(""); bad != nil {
		t.Errorf("policy unique: %+v", bad)
	}
	bad := newReader(t, jsonParams(func(p *Params) { p.Reject = []string{"empty"} })).EmptyRejection("")
	check(t, Document{}, bad, "", sink.Empty, "the document has no text to compare")
}

func TestTombstoneKeepsItsID(t *testing.T) {
	r := newReader(t, jsonParams(func(p *Params) { p.ID = "key" }))
	if doc, bad := r.Read(Input{Key: []byte("k")}, nil); bad != nil || string(doc.ID) != "k" {
		t.Errorf("%+v, %+v, want id k", doc, bad)
	}
}

// TestLongID: an id that is longer than headers have room for is refused, wherever it comes from.
func TestLongID(t *testing.T) {
	for _, value := range []string{"", `{"text":"a"}`} {
		r := newReader(t, jsonParams(func(p *Params) { p.ID = "key" }))
		in := Input{Key: bytes.Repeat([]byte("k"), sink.MaxIDBytes), Value: []byte(value)}
		if doc, bad := r.Read(in, nil); bad != nil || len(doc.ID) != sink.MaxIDBytes {
			t.Errorf("%q: %+v, want the id", value, bad)
		}
		in.Key = append(in.Key, 'k')
		doc, bad := r.Read(in, nil)
		check(t, doc, bad, "", sink.TooLarge, "the id has 1025 bytes, the limit is 1024")
	}
}

func TestDetailIsBoundedAndPrintable(t *testing.T) {
	name := strings.Repeat("é", 300) + "\n\x1b[31m\u202e"
	for _, field := range []string{name, "\x1b[31m\n\u202e"} {
		_, bad := newReader(t, jsonParams(func(p *Params) { p.Fields = []string{field} })).
			Read(Input{Value: []byte("{}")}, nil)
		if bad == nil || len(bad.Detail) > maxDetail || !utf8.ValidString(bad.Detail) ||
			strings.ContainsFunc(bad.Detail, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Errorf("detail %+v", bad)
		}
	}
}

// TestReadsWithoutAllocation: a buffer that has grown once suffices, and raw text needs none.
func TestReadsWithoutAllocation(t *testing.T) {
	text := strings.Repeat("Rain, then sun. ", 128)
	in := Input{Headers: []kgo.RecordHeader{{Key: "tenant", Value: []byte("t1")}}}
	raw, structured := DefaultParams(), jsonParams(func(p *Params) { p.ID = "field:id" })
	raw.Scope, structured.Scope = "header:tenant", "header:tenant"
	for name, params := range map[string]Params{text: raw, `{"id":"a1","text":"` + text + `\n"}`: structured} {
		r := newReader(t, params)
		in.Value = []byte(name)
		var buf []byte
		allocs := testing.AllocsPerRun(100, func() {
			doc, bad := r.Read(in, buf)
			if bad != nil || !bytes.Contains(doc.Text, []byte("sun")) {
				t.Fatalf("Read returns the text %q, rejection %+v; want a text with sun in it, and none", doc.Text, bad)
			}
			buf = doc.Buffer
		})
		if allocs != 0 {
			t.Errorf("%s: %v allocations a document", params.Format, allocs)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	text := strings.Repeat("Rain, then sun, said the \u201cforecast\u201d. ", 50)
	raw, structured := DefaultParams(), jsonParams(func(p *Params) { p.ID = "field:id" })
	for value, params := range map[string]Params{text: raw, `{"id":"a1","text":"` + text +
		`\n","tags":["a","b"]}`: structured} {
		b.Run(params.Format, func(b *testing.B) {
			r := newReader(b, params)
			in := Input{Value: []byte(value)}
			b.SetBytes(int64(len(value)))
			b.ReportAllocs()
			var buf []byte
			for b.Loop() {
				doc, _ := r.Read(in, buf)
				buf = doc.Buffer
			}
		})
	}
}
