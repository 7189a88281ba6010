package document_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/sink"
)

type condition = document.Condition

// What is wrong with a condition is named, with its key and a remedy.
func TestWrongConditions(t *testing.T) {
	for _, c := range []struct {
		is   condition
		want string
	}{
		{condition{Header: "lang", Equals: "en"}, ""},
		{condition{Field: `a\.b.c`, Exists: "false"}, ""},
		{condition{Field: "a", Exists: "True"}, ""},
		{condition{SizeBelow: 1}, ""},
		{condition{}, "when[0]: looks at no header, no field and no size; write for example {header: lang, equals: en}"},
		{condition{Equals: "en"}, "when[0]: equals: looks at no header, no field and no size; "},
		{condition{Header: "a", Field: "b", Equals: "en"}, "when[0].field: b: stands beside header: a condition looks at one of them; write two conditions"},
		{condition{Header: "lang"}, "when[0]: lang: does not say what must hold; add equals, not or exists"},
		{condition{Header: "lang", Equals: "en", Exists: "true"}, "when[0]: equals and exists: are two tests; write a condition for each"},
		{condition{SizeAtLeast: 1, SizeBelow: 2}, "when[0]: size_at_least and size_below: are two tests"},
		{condition{Field: "kind", SizeBelow: 2}, "when[0].size_below: is of the value of the record, and stands beside a header or a field"},
		{condition{Header: "lang", Exists: "yes"}, "when[0].exists: yes: is neither true nor false; write true or false"},
		{condition{Field: "a..b", Exists: "true"}, `when[0].field: "a..b": a path with an empty name; write a name`},
	} {
		p := document.DefaultParams()
		p.Format, p.When = "json", []condition{c.is}
		wrong := p.Validate()
		if c.want == "" && len(wrong) > 0 || c.want != "" && (len(wrong) != 1 || !strings.HasPrefix(wrong[0].String(), c.want)) {
			t.Errorf("%+v: %v, want %s", c.is, wrong, c.want)
		}
	}
}

func TestConditionsOfAFormat(t *testing.T) {
	p := document.DefaultParams()
	p.When = []condition{{SizeAtLeast: 1}, {Field: "a", Exists: "true"}}
	if wrong := p.Validate(); len(wrong) != 1 || wrong[0].Key != "when[1].field" {
		t.Errorf("raw text has no fields: %v", wrong)
	}
	if _, err := document.New(p); !errors.Is(err, document.ErrParams) {
		t.Errorf("got %v", err)
	}
	p.When = make([]condition, 17)
	if wrong := p.Validate(); len(wrong) != 1 || wrong[0].Key != "when" {
		t.Errorf("17 conditions: %v", wrong)
	}
}

// Conditions that mean the same are the same in normal form, whatever their order and spelling.
func TestNormal(t *testing.T) {
	p, q := document.DefaultParams(), document.DefaultParams()
	p.Reject, q.Reject = []string{"missing_field", "empty"}, []string{"empty", "missing_field"}
	p.When = []condition{{Header: "a", Equals: "b"}, {Field: `\$a`, Exists: "TRUE"}, {Header: "a", Equals: "b"}}
	q.When = []condition{{Field: `\$a`, Exists: "true"}, {Header: "a", Equals: "b"}}
	if a, b := p.Normal(), q.Normal(); !reflect.DeepEqual(a, b) || len(a.When) != 2 {
		t.Errorf("%+v and %+v differ", a, b)
	}
	if len(p.When) != 3 || p.Reject[0] != "missing_field" {
		t.Errorf("the settings themselves are changed: %+v", p)
	}
}

// A record is checked if all conditions hold of it.
func TestConditionsHold(t *testing.T) {
	headers := []kgo.RecordHeader{{Key: "lang", Value: []byte("de")}, {Key: "lang", Value: []byte("en")}, {Key: "null", Value: nil}}
	const value = `{"text":"a text","kind":"news","n":1.50,"draft":false,"none":null,"in":{"a":"b"},"list":["x"],"odd":"\ud800","kind2":"x","kind2":"y"}`
	const size = setting.Bytes(len(value))
	header := func(name, equals, not, exists string) condition {
		return condition{Header: name, Equals: equals, Not: not, Exists: exists}
	}
	field := func(name, equals, not, exists string) condition {
		return condition{Field: name, Equals: equals, Not: not, Exists: exists}
	}
	for is, checked := range map[condition]bool{
		header("lang", "en", "", ""): true, header("lang", "de", "", ""): false, header("lang", "", "de", ""): true, header("lang", "", "", "true"): true,
		header("lang", "", "", "True"): true, header("lang", "", "", "FALSE"): false,
		header("lang", "", "", "false"): false, header("Lang", "", "", "true"): false, header("Lang", "", "", "false"): true,
		header("Lang", "en", "", ""): false, header("Lang", "", "en", ""): true, header("null", "", "", "true"): true, header("null", "", "x", ""): true,
		field("kind", "news", "", ""): true, field("kind", "new", "", ""): false, field("kind", "", "news", ""): false, field("kind", "", "x", ""): true,
		field("n", "1.50", "", ""): true, field("n", "1.5", "", ""): false, field("draft", "false", "", ""): true, field("draft", "true", "", ""): false,
		field("none", "", "", "true"): false, field("none", "", "", "false"): true, field("none", "", "x", ""): true, field("in.a", "b", "", ""): true,
		field("in", "", "", "true"): true, field("in", "b", "", ""): false, field("in", "", "b", ""): true, field("list", "x", "", ""): false,
		field("kind.a", "", "", "true"): false, field("kind.a", "", "", "false"): true, field("absent", "", "", "false"): true,
		field("odd", "\ufffd", "", ""): true, field("kind2", "y", "", ""): true, field("kind2", "x", "", ""): false,
		{SizeAtLeast: size}: true, {SizeAtLeast: size + 1}: false, {SizeBelow: size}: false, {SizeBelow: size + 1}: true,
	} {
		p := document.DefaultParams()
		p.Format, p.ID, p.Scope, p.When = "json", "field:kind", "header:lang", []condition{{SizeAtLeast: 4}, is}
		r, err := document.New(p)
		if err != nil {
			t.Fatal(err)
		}
		doc, bad, err := r.Read(context.Background(), document.Input{Value: []byte(value), Headers: headers}, []byte("used before"))
		switch {
		case err != nil || bad != nil || (doc.Unchecked == "") != checked:
			t.Errorf("%+v: unchecked %q, %v, %v", is, doc.Unchecked, bad, err)
		case checked && (string(doc.Text) != "a text" || string(doc.ID) != "news" || doc.Scope == 0):
			t.Errorf("%+v: the document is %+v", is, doc)
		}
	}
}

// Whoever asks is told which condition is not met, and what the record has instead: little of a value, and nothing where it does
// not matter.
func TestUnmetIsTold(t *testing.T) {
	long := strings.Repeat("x", 41)
	for is, want := range map[condition]string{
		{Header: "lang", Equals: "en"}:    `header lang is "EN", where equals: en is asked`,
		{Header: "Lang", Exists: "true"}:  "header Lang is missing, where exists: true is asked",
		{Field: "kind", Not: "news"}:      `field kind is "news", where not: news is asked`,
		{Field: "kind", Exists: "false"}:  "field kind is there, where exists: false is asked",
		{Field: "list", Equals: "x"}:      "field list is there, where equals: x is asked",
		{Field: "draft", Equals: "false"}: `field draft is "true", where equals: false is asked`,
		{Field: "long", Equals: "x"}:      `field long is "` + long[:40] + `", where equals: x is asked`,
		{SizeAtLeast: 200}:                "the value has 92 bytes, where size_at_least: 200 is asked",
		{SizeBelow: 20}:                   "the value has 92 bytes, where size_below: 20 is asked",
		{Field: "kind", Equals: "news"}:   "",
	} {
		p := document.DefaultParams()
		p.Format, p.When = "json", []condition{is}
		r, err := document.New(p)
		if err != nil {
			t.Fatal(err)
		}
		unmet := ""
		doc, _, err := r.Read(t.Context(), document.Input{
			Value:   []byte(`{"kind":"news","list":["x"],"draft":true,"long":"` + long + `"}`),
			Headers: []kgo.RecordHeader{{Key: "lang", Value: []byte("EN")}},
			Unmet:   &unmet,
		}, nil)
		if err != nil || unmet != want || (doc.Unchecked == "") != (want == "") {
			t.Errorf("%+v: told %q, want %q (%v)", is, unmet, want, err)
		}
	}
}

// What is not checked needs no text, no id and no scope, and may be as large as it likes. What cannot be read is
// rejected only if a field must be seen.
func TestConditionsComeFirst(t *testing.T) {
	p := document.DefaultParams()
	p.Format, p.Scope, p.MaxBytes = "json", "header:tenant", 30
	news := condition{Field: "kind", Equals: "news"}
	there, missing := condition{Field: "kind", Exists: "true"}, condition{Field: "kind", Exists: "false"}
	for _, c := range []struct {
		name, value string
		when        []condition
		unchecked   sink.UncheckedReason
		reason      sink.Reason
	}{
		{"no text, and another kind", `{"kind":"x"}`, []condition{news}, sink.ByCondition, ""},
		{"no text, and the kind", `{"kind":"news"}`, []condition{news}, "", sink.MissingField},
		{"broken, and a field to see", `{"kind":`, []condition{news}, "", sink.InvalidJSON},
		{"no object, and a field to see", `["kind"]`, []condition{news}, "", sink.WrongType},
		{"broken, and a header decides", `{"kind":`, []condition{news, {Header: "lang", Equals: "en"}}, sink.ByCondition, ""},
		{"large", strings.Repeat(" ", 31), []condition{{SizeBelow: 31}}, sink.ByCondition, ""},
		{"large, and no condition of the size", `{"text":"` + strings.Repeat("x", 31) + `"}`, []condition{{Header: "lang", Exists: "false"}}, "", sink.TooLarge},
		{"a tombstone is small", "", []condition{{SizeAtLeast: 1}}, sink.ByCondition, ""},
		{"a tombstone has no fields", "", []condition{there}, sink.ByCondition, ""},
		{"a tombstone lacks a field", "", []condition{missing}, "", ""},
		{"a blank has no fields", "  ", []condition{there}, sink.ByCondition, ""},
	} {
		p.When = c.when
		r, err := document.New(p)
		if err != nil {
			t.Fatal(err)
		}
		doc, bad, err := r.Read(context.Background(), document.Input{Value: []byte(c.value)}, nil)
		if err != nil || doc.Unchecked != c.unchecked || (bad != nil) != (c.reason != "") || bad != nil && bad.Reason != c.reason {
			t.Errorf("%s: unchecked %q, %v, %v", c.name, doc.Unchecked, bad, err)
		}
	}
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
		for is, checked := range map[condition]bool{
			{Field: "draft", Equals: "true"}: true, {Field: "draft", Equals: "false"}: false, {Field: "old", Equals: "false"}: true,
			{Field: "old", Not: "false"}: false, {Field: "n", Equals: "5"}: true, {Field: "n", Not: "5"}: false, {Field: "text", Equals: "a"}: true,
			{Field: "text", Exists: "true"}: true, {Field: "x", Exists: "false"}: true,
		} {
			p := document.DefaultParams()
			if p.Format, p.When = format, []condition{is}; format == "avro" {
				p.Schema.File = schema
			}
			r, err := document.New(p)
			if err != nil {
				t.Fatal(err)
			}
			doc, bad, err := r.Read(t.Context(), document.Input{Value: []byte(value)}, nil)
			if err != nil || bad != nil || (doc.Unchecked == "") != checked || checked && string(doc.Text) != "a" {
				t.Errorf("%s, %+v: unchecked %q, text %q, %v, %v", format, is, doc.Unchecked, doc.Text, bad, err)
			}
		}
	}
}
