package document

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/sink"
)

func TestTreatedFields(t *testing.T) {
	packed := base64.StdEncoding.EncodeToString
	html := func(p *Params) { p.HTML = []string{"text"} }
	based := func(p *Params) { p.Base64 = []string{"text"} }
	both := func(p *Params) { html(p); based(p) }
	strict := func(p *Params) { based(p); p.Reject = []string{"invalid_encoding", "missing_field"} }
	two := func(p *Params) {
		p.Fields, p.HTML, p.Base64 = []string{"title", "a.b"}, []string{"a.b"}, []string{"title"}
	}
	tests := []struct {
		name, value, text string
		edit              func(*Params)
		reason            sink.Reason
		detail            string
	}{
		{"HTML", `{"text":"<p>Caf&eacute; <b>bo</b>ld<br>x</p><!-- no --><script>no()</script><style>no</style>"}`, " Café bold x     ", html, "", ""},
		{"HTML that is not closed", `{"text":"a<b title=\"x"}`, "a<b title=\"x", html, "", ""},
		{"HTML that hides nothing", `{"text":"a<iframe/>b<script>c <![CDATA[<i>d</i>]]>"}`, "a b c d", html, "", ""},
		{"HTML without text is empty", `{"text":"<script>one()</script> "}`, "   ", html, "", ""},
		{"what text tells of tags is text", `{"text":"&lt;b&gt;"}`, "<b>", html, "", ""},
		{"each string of an array", `{"text":["<b>a</b>","b&amp;c"]}`, "a\nb&c", html, "", ""},
		{"base64", `{"text":"` + packed([]byte("Rain — sun?>")) + `"}`, "Rain — sun?>", based, "", ""},
		{"base64 for URLs", `{"text":"` + base64.URLEncoding.EncodeToString([]byte("a>?>~~")) + `"}`, "a>?>~~", based, "", ""},
		{"base64 without padding", `{"text":"` + base64.RawURLEncoding.EncodeToString([]byte("a>?>")) + `"}`, "a>?>", based, "", ""},
		{"base64 in lines", `{"text":" UmFp\r\nbg==\n"}`, "Rain", based, "", ""},
		{"base64 of nothing", `{"text":""}`, "", based, "", ""},
		{"no base64", `{"text":"Rain!"}`, "", based, sink.Undecodable, "no base64 in field text"},
		{"base64 that is cut", `{"text":"UmFpb"}`, "", based, sink.Undecodable, "no base64 in field text"},
		{"base64 with padding in it", `{"text":"Ug==aaaa"}`, "", based, sink.Undecodable, "no base64 in field text"},
		{"no base64 in an array", `{"text":["UmFpbg==","é"]}`, "", based, sink.Undecodable, "no base64 in field text"},
		{"what is not UTF-8 in base64", `{"text":["UmFpbg","` + packed([]byte("a\xff\xfeb")) + `"]}`, "Rain\na\xff\xfeb", based, "", ""},
		{"what is not UTF-8 in base64, strict", `{"text":"` + packed([]byte("a\xff")) + `"}`, "", strict, sink.InvalidEncoding, "not Unicode in the base64 of field text"},
		{"HTML in base64", `{"text":"` + packed([]byte("<p>a&nbsp;b</p>")) + `"}`, " a\u00a0b ", both, "", ""},
		{"some fields", `{"title":["UmFpbg","U3Vu"],"a":{"b":"<i>x</i>"}}`, "Rain\nSun\nx", two, "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := newReader(t, jsonParams(test.edit))
			in := Input{Value: []byte(test.value)}
			doc, bad := r.Read(in, nil)
			check(t, doc, bad, test.text, test.reason, test.detail)
			again, bad := r.Read(in, doc.Buffer)
			check(t, again, bad, test.text, test.reason, test.detail)
		})
	}
}

// Ids, scopes and conditions are read as they stand, also if they are in a field that is treated.
func TestOnlyTheTextIsTreated(t *testing.T) {
	r := newReader(t, jsonParams(func(p *Params) {
		p.HTML, p.ID, p.When = []string{"text"}, "field:text", []Condition{{Field: "text", Equals: "<b>a</b>"}}
	}))
	doc, bad := r.Read(Input{Value: []byte(`{"text":"<b>a</b>"}`)}, nil)
	if bad != nil || doc.Unchecked != "" || string(doc.Text) != "a" || string(doc.ID) != "<b>a</b>" {
		t.Errorf("text %q, id %q, unchecked %q, %v", doc.Text, doc.ID, doc.Unchecked, bad)
	}
}

// TestFormatsAreTreatedAlike: HTML and base64 are those of the strings, whatever the format.
func TestFormatsAreTreatedAlike(t *testing.T) {
	v := object{"text": []any{"PGI+YTwvYj4", "Yg=="}, "lang": "en", "id": int64(7)}
	values := encoded(t, v)
	const schema = `{"type":"record","name":"A","fields":[{"name":"text","type":{"type":"array","items":"string"}},
		{"name":"lang","type":"string"},{"name":"id","type":"long"}]}`
	const message = `syntax = "proto3"; message A { repeated string text = 1; string lang = 2; int64 id = 3; }`
	asJSON, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	values["avro"], values["protobuf"] = avroValue(t, schema, v), protoValue(t, message, "A", string(asJSON))
	for name, value := range values {
		r := newReader(t, jsonParams(func(p *Params) {
			p.Format, p.HTML, p.Base64 = name, []string{"text"}, []string{"text"}
			switch name {
			case "avro":
				p.Schema.File = schemaFile(t, schema)
			case "protobuf":
				p.Schema.File, p.Schema.Message = schemaFile(t, descriptors(t, message)), "A"
			}
		}))
		doc, bad := r.Read(Input{Value: value}, nil)
		if bad != nil || string(doc.Text) != "a\nb" {
			t.Errorf("%s: Read returns the text %q, rejection %v; want a and b, and none", name, doc.Text, bad)
		}
	}
}

// TestTreatsWithoutAllocation: base64 and templates need no more memory than the buffer that has grown once.
func TestTreatsWithoutAllocation(t *testing.T) {
	r := newReader(t, jsonParams(func(p *Params) {
		p.Base64, p.ID, p.Scope = []string{"text"}, "{key}/{field:id}", "{header:tenant}/{field:id}"
	}))
	text := strings.Repeat("Rain, then sun & wind. ", 40)
	in := Input{
		Key: []byte("a/b"), Headers: []kgo.RecordHeader{{Key: "tenant", Value: []byte("t/1")}},
		Value: []byte(`{"id":"a1","text":"` + base64.StdEncoding.EncodeToString([]byte(text)) + `"}`),
	}
	var buf []byte
	allocs := testing.AllocsPerRun(100, func() {
		doc, bad := r.Read(in, buf)
		if bad != nil || string(doc.Text) != text || string(doc.ID) != `a\/b/a1` {
			t.Fatalf("Read returns the text %q, the id %q, rejection %v; want the words, the id a\\/b/a1, and none", doc.Text, doc.ID, bad)
		}
		buf = doc.Buffer
	})
	if allocs > 0 {
		t.Errorf("%v allocations a document", allocs)
	}
}

// hostileHTML returns texts that are made to cost time or memory: a million tags, and what never ends.
func hostileHTML(size int) map[string]string {
	of := func(unit string) string { return strings.Repeat(unit, size/len(unit)) }
	return map[string]string{
		"tags": of("<b>"), "deep": of("<div>") + of("</div>"), "brackets": of("<"), "no end": "<a " + of("b='"),
		"comments that do not end": of("<!--"), "scripts": of("<script>"), "CDATA": of("<![CDATA["), "references": of("&amp"),
		"one reference": "&" + of("a"), "titles": of("<title>x</title "), "NUL": of("\\u0000<b>"), "styles": of("<style><"),
	}
}

// TestHostileHTML: time and memory are linear. If the time were not, the test would take minutes.
func TestHostileHTML(t *testing.T) {
	const size = 3 << 20
	r := newReader(t, jsonParams(func(p *Params) { p.MaxBytes, p.HTML = 8<<20, []string{"text"} }))
	for name, html := range hostileHTML(size) {
		in := Input{Value: []byte(`{"text":"` + html + `end"}`)}
		doc, bad := r.Read(in, nil)
		if bad != nil || len(doc.Text) > len(in.Value) || len(doc.Buffer) > 3*len(in.Value) {
			t.Errorf("%s: %d bytes of text of %d, %v", name, len(doc.Text), len(in.Value), bad)
		}
	}
}

// What stands between strings that take no room must not take memory.
func TestTextIsBounded(t *testing.T) {
	p := jsonParams(func(p *Params) { p.MaxBytes = 1 << 20 })
	const strs = 1<<20 + 5
	value := `{"text":[` + strings.Repeat(`"",`, strs) + `""]}`
	_, bad := newReader(t, p).Read(Input{Value: []byte(value)}, nil)
	check(t, Document{}, bad, "", sink.TooLarge, "the text is longer than 1048576 bytes, the limit (advanced.max_document_bytes)")
	p.MaxBytes = strs
	if doc, bad := newReader(t, p).Read(Input{Value: []byte(value)}, nil); bad != nil || len(doc.Text) != strs {
		t.Errorf("with a higher limit: %d bytes, %v", len(doc.Text), bad)
	}
}

// FuzzTreated: any string of a treated field is a text of UTF-8 or refused, whatever it says, and twice the same. What
// is base64 is what the standard library makes of it.
func FuzzTreated(f *testing.F) {
	for _, s := range []string{
		"<p>a<b>c</b></p>", "PHA+YTxiPmM8L2I+PC9wPg==", "PHA-", "YQ", "Y Q", "", "=", "a\xff", "<", "&#0;", "<script>", "YQ==\r\n", "\x00",
	} {
		f.Add(s)
	}
	html := newReader(f, jsonParams(func(p *Params) { p.HTML = []string{"text"} }))
	packed := newReader(f, jsonParams(func(p *Params) { p.Base64 = []string{"text"} }))
	both := newReader(f, jsonParams(func(p *Params) { p.HTML, p.Base64 = []string{"text"}, []string{"text"} }))
	f.Fuzz(func(t *testing.T, s string) {
		plain, err := json.Marshal(map[string]string{"text": s})
		if err != nil {
			t.Fatal(err)
		}
		wrapped, _ := json.Marshal(map[string]string{"text": base64.StdEncoding.EncodeToString([]byte(s))})
		marked := fuzzRead(t, html, plain)
		if fuzzRead(t, packed, plain) == nil && len(s) > 0 {
			if _, err := base64.StdEncoding.DecodeString(s); err == nil {
				t.Fatalf("%q is base64", s)
			}
		}
		if got := fuzzRead(t, packed, wrapped); utf8.ValidString(s) && string(got) != s {
			t.Fatalf("%q from base64, want %q", got, s)
		}
		if got := fuzzRead(t, both, wrapped); utf8.ValidString(s) && !bytes.Equal(got, marked) {
			t.Fatalf("%q from base64, %q without", got, marked)
		}
	})
}

// fuzzRead returns the text of a value, or nil if it is refused.
func fuzzRead(t *testing.T, r reader, value []byte) []byte {
	t.Helper()
	doc, bad := r.Read(Input{Value: value}, nil)
	if bad != nil {
		if bad.Reason != sink.Undecodable {
			t.Fatalf("%q is rejected as %v; want undecodable as the only reason", value, bad)
		}
		return nil
	}
	again, bad := r.Read(Input{Value: value}, make([]byte, 0, 3))
	if bad != nil || !bytes.Equal(doc.Text, again.Text) {
		t.Fatalf("%q: %q, then %q, %v", value, doc.Text, again.Text, bad)
	}
	if doc.Text == nil {
		return []byte{}
	}
	return doc.Text
}
