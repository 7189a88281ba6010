package document_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/sink"
)

// Conditions are read in whatever spelling, and are shown in one form. What is wrong is named with its place.
func TestConditionsAreRead(t *testing.T) {
	for text, want := range map[string]string{
		"header:lang = en":          "header:lang = en",
		"  header:lang=en\t":        "header:lang = en",
		"header:lang!= en  us":      "header:lang != en  us",
		`header:lang = ""`:          `header:lang = ""`,
		`header:lang = " en"`:       `header:lang = " en"`,
		`header:lang = "en"`:        "header:lang = en",
		`header:lang = "= en"`:      `header:lang = "= en"`,
		`field:a\.b.c = "\u00e9\n"`: `field:a\.b.c = "é\n"`,
		"header:lang exists":        "header:lang exists",
		"field:draft missing ":      "field:draft missing",
		"field:kind = exists":       "field:kind = exists",
		"size>=200":                 "size >= 200",
		"size < 1MiB":               "size < 1048576",
		"size != 1KiB":              "size != 1024",
		"header:lang":               "at character 12: one of =, !=, exists, missing is expected",
		"header:lang is en":         "at character 13: one of =, !=, exists, missing is expected",
		"header: = en":              "at character 1: a condition begins with header:NAME, field:PATH or size",
		"  key = en":                "at character 3: a condition begins with header:NAME, field:PATH or size",
		"":                          "at character 1: a condition begins with header:NAME, field:PATH or size",
		"field:a..b exists":         "at character 1: a condition begins with header:NAME, field:PATH or size",
		"header:lang == en":         "at character 13: == is no operator: write one of =, !=, exists, missing; a value that begins with = stands in quotes",
		"header:lang =~ en.*":       "at character 13: =~ is no operator: write one of =, !=, exists, missing; a value that begins with ~ stands in quotes",
		"size == 3":                 "at character 6: == is no operator: write one of =, !=, <, <=, >, >=; a value that begins with = stands in quotes",
		"header:lang > en":          "at character 13: > says nothing here: write one of =, !=, exists, missing",
		"header:lang =":             `at character 14: a value is expected; "" is the empty one`,
		`header:lang = "en`:         "at character 15: the quotes do not close, or an escape is unknown",
		`header:lang = "\xff"`:      "at character 15: the value is not UTF-8",
		"header:lang exists not":    "at character 20: nothing stands behind exists",
		"size > many":               "at character 8: a size is expected, for example 200 or 1MiB",
		"size > -1":                 "at character 8: a size is expected, for example 200 or 1MiB",
		"size exists":               "at character 6: exists says nothing here: write one of =, !=, <, <=, >, >=",
		"size":                      "at character 5: one of =, !=, <, <=, >, >= is expected",
	} {
		p := document.DefaultParams()
		p.Format = "json"
		wrong, normal := p.WrongWhen([]string{text}), document.NormalWhen([]string{text})
		switch {
		case strings.HasPrefix(want, "at character"):
			if len(wrong) != 1 || wrong[0].Problem != want || wrong[0].Key != "when[0]" || wrong[0].Remedy == "" {
				t.Errorf("%q: %v, want %s", text, wrong, want)
			}
			if _, err := document.ParseWhen([]string{text}); !errors.Is(err, document.ErrParams) {
				t.Errorf("%q is read: %v", text, err)
			}
		case len(wrong) > 0 || normal[0] != want:
			t.Errorf("%q: %v, %q, want %q", text, wrong, normal, want)
		case document.NormalWhen(normal)[0] != want:
			t.Errorf("%q becomes %q", want, document.NormalWhen(normal))
		}
	}
	got := document.NormalWhen([]string{"size>1", "header:a=b", "size > 1", "no condition"})
	if want := []string{"header:a = b", "no condition", "size > 1"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestConditionsOfAFormat(t *testing.T) {
	p := document.DefaultParams()
	if wrong := p.WrongWhen([]string{"size > 1", "field:a exists"}); len(wrong) != 1 || wrong[0].Key != "when[1]" {
		t.Errorf("raw text has no fields: %v", wrong)
	}
	if wrong := p.WrongWhen(make([]string, 17)); len(wrong) != 1 || wrong[0].Key != "when" {
		t.Errorf("17 conditions: %v", wrong)
	}
	if _, err := document.New(p, "field:a exists"); !errors.Is(err, document.ErrParams) {
		t.Errorf("got %v", err)
	}
}

// A record is checked if all conditions hold of it.
func TestConditionsHold(t *testing.T) {
	headers := []document.Header{{"lang", []byte("de")}, {"lang", []byte("en")}, {"null", nil}}
	const value = `{"text":"a text","kind":"news","n":1.50,"draft":false,"none":null,"in":{"a":"b"},"list":["x"],"odd":"\ud800","kind2":"x","kind2":"y"}`
	size := len(value)
	for condition, checked := range map[string]bool{
		"header:lang = en": true, "header:lang = de": false, "header:lang != de": true, "header:lang exists": true,
		"header:lang missing": false, "header:Lang exists": false, "header:Lang missing": true, "header:Lang = en": false,
		"header:Lang != en": true, "header:null exists": true, `header:null = ""`: true, "header:null != x": true,
		"field:kind = news": true, "field:kind = new": false, "field:kind != news": false, "field:kind != x": true,
		"field:n = 1.50": true, "field:n = 1.5": false, "field:draft = false": true, "field:draft = true": false,
		"field:none exists": false, "field:none missing": true, "field:none != x": true, "field:in.a = b": true,
		"field:in exists": true, "field:in = b": false, "field:in != b": true, "field:list = x": false,
		"field:kind.a exists": false, "field:kind.a missing": true, "field:absent missing": true,
		"field:odd = \ufffd": true, "field:kind2 = y": true, "field:kind2 = x": false,
		fmt.Sprint("size = ", size): true, fmt.Sprint("size < ", size): false, fmt.Sprint("size <= ", size): true,
		fmt.Sprint("size > ", size): false, fmt.Sprint("size >= ", size): true, fmt.Sprint("size != ", size): false,
	} {
		p := document.DefaultParams()
		p.Format, p.ID, p.Scope = "json", "field:kind", "header:lang"
		r, err := document.New(p, "size > 3", condition)
		if err != nil {
			t.Fatal(err)
		}
		doc, bad, err := r.Read(context.Background(), document.Input{Value: []byte(value), Headers: headers}, []byte("used before"))
		switch {
		case err != nil || bad != nil || (doc.Unchecked == "") != checked:
			t.Errorf("%s: unchecked %q, %v, %v", condition, doc.Unchecked, bad, err)
		case checked && (string(doc.Text) != "a text" || string(doc.ID) != "news" || doc.Scope == 0):
			t.Errorf("%s: the document is %+v", condition, doc)
		}
	}
}

// What is not checked needs no text, no id and no scope, and may be as large as it likes. What cannot be read is
// rejected only if a field must be seen.
func TestConditionsComeFirst(t *testing.T) {
	p := document.DefaultParams()
	p.Format, p.Scope, p.MaxBytes = "json", "header:tenant", 30
	for _, c := range []struct {
		name, value string
		when        []string
		unchecked   sink.UncheckedReason
		reason      sink.Reason
	}{
		{"no text, and another kind", `{"kind":"x"}`, []string{"field:kind = news"}, sink.ByCondition, ""},
		{"no text, and the kind", `{"kind":"news"}`, []string{"field:kind = news"}, "", sink.MissingField},
		{"broken, and a field to see", `{"kind":`, []string{"field:kind = news"}, "", sink.InvalidJSON},
		{"no object, and a field to see", `["kind"]`, []string{"field:kind = news"}, "", sink.WrongType},
		{"broken, and a header decides", `{"kind":`, []string{"field:kind = news", "header:lang = en"}, sink.ByCondition, ""},
		{"large", strings.Repeat(" ", 31), []string{"size <= 30"}, sink.ByCondition, ""},
		{"large, and no condition of the size", `{"text":"` + strings.Repeat("x", 31) + `"}`, []string{"header:lang missing"}, "", sink.TooLarge},
		{"a tombstone is small", "", []string{"size > 0"}, sink.ByCondition, ""},
		{"a tombstone has no fields", "", []string{"field:kind exists"}, sink.ByCondition, ""},
		{"a tombstone lacks a field", "", []string{"field:kind missing"}, "", ""},
		{"a blank has no fields", "  ", []string{"field:kind exists"}, sink.ByCondition, ""},
	} {
		r, err := document.New(p, c.when...)
		if err != nil {
			t.Fatal(err)
		}
		doc, bad, err := r.Read(context.Background(), document.Input{Value: []byte(c.value)}, nil)
		if err != nil || doc.Unchecked != c.unchecked || (bad != nil) != (c.reason != "") || bad != nil && bad.Reason != c.reason {
			t.Errorf("%s: unchecked %q, %v, %v", c.name, doc.Unchecked, bad, err)
		}
	}
}

// Any text is a condition or is refused, and its one form is a condition of the same form.
func FuzzCondition(f *testing.F) {
	for _, text := range []string{"header:a = b", `field:a\.b != "x y "`, "size >= 1MiB", "header:a exists", `field:a = "\n"`, "header:=="} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := document.ParseWhen([]string{text}); err != nil {
			return
		}
		normal := document.NormalWhen([]string{text})
		if _, err := document.ParseWhen(normal); err != nil {
			t.Fatalf("%q becomes %q: %v", text, normal, err)
		}
		if again := document.NormalWhen(normal); again[0] != normal[0] {
			t.Fatalf("%q becomes %q, and that %q", text, normal, again)
		}
	})
}

// Fields of other formats are compared as those of JSON.
func TestConditionsOfOtherFormats(t *testing.T) {
	schema := filepath.Join(t.TempDir(), "article.avsc")
	err := os.WriteFile(schema, []byte(`{"type":"record","name":"Article","fields":[{"name":"text","type":"string"},`+
		`{"name":"draft","type":"boolean"},{"name":"old","type":"boolean"},{"name":"n","type":"int"}]}`), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	for format, value := range map[string]string{
		"json":    `{"text":"a","draft":true,"old":false,"n":5}`,
		"msgpack": "\x84\xa4text\xa1a\xa5draft\xc3\xa3old\xc2\xa1n\x05",
		"cbor":    "\xa4\x64text\x61a\x65draft\xf5\x63old\xf4\x61n\x05",
		"avro":    "\x02a\x01\x00\x0a",
	} {
		for condition, checked := range map[string]bool{
			"field:draft = true": true, "field:draft = false": false, "field:old = false": true, "field:old != false": false,
			"field:n = 5": true, "field:n != 5": false, "field:text = a": true, "field:text exists": true, "field:x missing": true,
		} {
			p := document.DefaultParams()
			if p.Format = format; format == "avro" {
				p.SchemaFile = schema
			}
			r, err := document.New(p, condition)
			if err != nil {
				t.Fatal(err)
			}
			doc, bad, err := r.Read(t.Context(), document.Input{Value: []byte(value)}, nil)
			if err != nil || bad != nil || (doc.Unchecked == "") != checked || checked && string(doc.Text) != "a" {
				t.Errorf("%s, %s: unchecked %q, text %q, %v, %v", format, condition, doc.Unchecked, doc.Text, bad, err)
			}
		}
	}
}
