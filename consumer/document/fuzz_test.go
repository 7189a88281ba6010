package document

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/sink"
)

// FuzzReadJSON compares the scanner with encoding/json: which values are JSON, and what the text is.
func FuzzReadJSON(f *testing.F) {
	for _, seed := range []string{
		`{"text":"a"}`, `{"text":["a","b"],"a":{"b":"c"}}`, `{"a":{"b":"x"},"a":{},"text":""}`,
		`{"t\u0065xt":"\ud800\udc00\ud800"}`,
		"{\"text\":\"\xff\xfe\"}", `[1.5e-3,-0,true,null]`, `{"text":"a","a":[[[{}]]]}`, `{"a.b":1}`, "", " ", "\ufeff{}",
	} {
		f.Add([]byte(seed))
	}
	p := DefaultParams()
	p.Format, p.Fields, p.ID = "json", []string{"text", "a.b"}, "field:id"
	r := newReader(f, p)
	f.Fuzz(func(t *testing.T, value []byte) {
		doc, bad := r.Read(Input{Value: value}, nil)
		if len(bytes.TrimSpace(value)) == 0 {
			if !doc.Empty || bad != nil {
				t.Fatalf("white space: %+v, %+v", doc, bad)
			}
			return
		}
		if bad != nil && strings.HasSuffix(bad.Detail, "nested too deeply") {
			return
		}
		data := bytes.TrimPrefix(value, []byte("\ufeff"))
		if bytes.Contains(data, []byte("NaN")) || bytes.Contains(data, []byte("Infinity")) { // which encoding/json does not take
			return
		}
		if valid := json.Valid(data); valid == (bad != nil && bad.Reason == sink.InvalidJSON) {
			t.Fatalf("valid JSON: %v, but %+v", valid, bad)
		}
		if bad == nil {
			compare(t, data, doc)
		}
	})
}

// compare checks the text and the id of an accepted document.
func compare(t *testing.T, data []byte, doc Document) {
	t.Helper()
	var object map[string]any
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if err := decoder.Decode(&object); err != nil {
		t.Fatal(err)
	}
	nested, _ := object["a"].(map[string]any)
	want := strings.Join(slices.DeleteFunc([]string{joined(object["text"]), joined(nested["b"])}, func(s string) bool { return s == "" }), "\n")
	if marks(valid(doc.Text)) != marks(want) {
		t.Fatalf("text %q, want %q", doc.Text, want)
	}
	id := ""
	switch v := object["id"].(type) {
	case string:
		id = v
	case json.Number:
		id = v.String()
	}
	if marks(string(doc.ID)) != marks(id) {
		t.Fatalf("id %q, want %q", doc.ID, id)
	}
}

func joined(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		words := make([]string, 0, len(v))
		for _, word := range v {
			words = append(words, joined(word))
		}
		return strings.Join(words, "\n")
	}
	return "not text"
}

// marks replaces each run of replacement marks with one mark: encoding/json writes one for each byte, this package one
// for each run.
func marks(s string) string { return regexp.MustCompile("\ufffd+").ReplaceAllString(s, "\ufffd") }

func valid(text []byte) string { return strings.ToValidUTF8(string(text), "\ufffd") }

// FuzzReadRaw: any bytes are a document, and its text.
func FuzzReadRaw(f *testing.F) {
	f.Add([]byte("a\xffb"), []byte("t"))
	p := DefaultParams()
	p.Scope = "header:t"
	r := newReader(f, p)
	f.Fuzz(func(t *testing.T, value, scope []byte) {
		in := Input{Value: value, Headers: []kgo.RecordHeader{{Key: "t", Value: scope}}}
		doc, bad := r.Read(in, make([]byte, 0, 8))
		if bad != nil || !doc.Empty && !bytes.Equal(doc.Text, value) {
			t.Fatalf("Read returns the text %q, rejection %+v; want %q, and none", doc.Text, bad, value)
		}
		again, _ := r.Read(in, doc.Buffer[:0:0])
		if again.Scope != doc.Scope || !bytes.Equal(again.Text, doc.Text) {
			t.Fatal("not the same twice")
		}
	})
}
