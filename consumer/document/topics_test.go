package document

import (
	"slices"
	"strings"
	"testing"

	"github.com/unecho/unecho/sink"
)

func topical(items ...string) func(*Params) { return func(p *Params) { p.ByTopic = items } }

// The first pattern that fits a topic counts, with all its items; what they leave out is as for all.
func TestByTopic(t *testing.T) {
	r := newReader(t, jsonParams(topical(
		`blogs\..+ format = raw`, `(ads|old) fields = headline, body.text`, `.*ads id = field:n`,
		`(ads|old) id = field:n`,
	)))
	value := []byte(`{"text":"a","headline":"b","body":{"text":"c"},"n":7}`)
	for _, c := range []struct{ topic, text, id string }{
		{"news", "a", ""},
		{"ads", "b\nc", "7"},
		{"old", "b\nc", "7"},
		{"my.ads", "a", "7"},
		{"blogs", "a", ""},
		{"news", "a", ""},
	} {
		doc, bad := r.Read(Input{Topic: c.topic, Value: value}, nil)
		if bad != nil || string(doc.Text) != c.text || string(doc.ID) != c.id {
			t.Errorf("%s: %q, id %q, %+v", c.topic, doc.Text, doc.ID, bad)
		}
	}
	lax := newReader(t, jsonParams(topical(`ads fields = title, text`, `ads missing = empty`, `old fields = title, text`)))
	if doc, bad := lax.Read(Input{Topic: "ads", Value: value}, nil); bad != nil || string(doc.Text) != "a" {
		t.Errorf("missing = empty for one topic: %q, %+v, want a", doc.Text, bad)
	}
	if _, bad := lax.Read(Input{Topic: "old", Value: value}, nil); bad == nil || bad.Reason != sink.MissingField {
		t.Errorf("missing = empty for another topic: %+v, want %s", bad, sink.MissingField)
	}
	doc, bad := r.Read(Input{Topic: "blogs.a", Value: value[:40]}, nil)
	if bad != nil || string(doc.Text) != string(value[:40]) {
		t.Errorf("raw: %q, %+v", doc.Text, bad)
	}
}

func TestWrongByTopic(t *testing.T) {
	for _, c := range []struct {
		items []string
		want  []string
	}{
		{[]string{`a format = avro`}, []string{`by_topic[0]: "a format = avro": makes schema_file wrong there: `}},
		{[]string{`a format json`}, []string{`by_topic[0]: "a format json": is not of the form PATTERN KEY = VALUE; write for example`}},
		{[]string{`format=json`}, []string{`by_topic[0]: "format=json": is not of the form`}},
		{[]string{`( format = raw`}, []string{`by_topic[0]: "( format = raw": has no regular expression before its blank: `}},
		{[]string{`a)|(b format = raw`}, []string{`by_topic[0]: "a)|(b format = raw": has no regular expression before its blank: `}},
		{[]string{`a scope = key`}, []string{`by_topic[0]: "a scope = key": scope is no setting that a topic may have for itself; write one of format, fields`}},
		{[]string{`a format = prose`}, []string{`by_topic[0]: "a format = prose": format is not one of the choices; write raw`}},
		{[]string{`a id = key`, `b id = field:`}, []string{`by_topic[1]: "b id = field:": makes id wrong there: a path with an empty name`}},
		{[]string{`a format = raw`, `a id = field:n`}, []string{`by_topic[1]: "a id = field:n": makes id wrong there: raw text has no fields`}},
		{[]string{`a id = key`, `a id = field:n`}, []string{`by_topic[1]: "a id = field:n": id stands twice for a; keep one of the two`}},
	} {
		found := jsonParams(topical(c.items...)).Validate()
		if len(found) != len(c.want) {
			t.Errorf("Validate of %q finds %v, want %q", c.items, found, c.want)
			continue
		}
		for i, want := range c.want {
			if !strings.HasPrefix(found[i].String(), want) {
				t.Errorf("%q: %s, want %s", c.items, found[i].String(), want)
			}
		}
	}
	var many []string
	for i := range maxTopics + 1 {
		many = append(many, strings.Repeat("a", i+1)+" id = key")
	}
	if found := jsonParams(topical(many...)).Validate(); len(found) != 1 || found[0].Key != "by_topic" {
		t.Errorf("%d patterns: %v", len(many), found)
	}
	found := jsonParams(topical("a format = raw")).WrongWhen([]string{"field:kind exists"})
	if len(found) != 1 || !strings.Contains(found[0].String(), "raw text has no fields, in topics of a (document.by_topic)") {
		t.Errorf("a condition on a field of raw text: %v", found)
	}
}

// Schemas are set once, for the topics that need them.
func TestSchemasByTopic(t *testing.T) {
	for _, p := range []Params{
		jsonParams(func(p *Params) {
			p.Registry.URLs = []string{"http://localhost:1"}
			p.ByTopic = []string{"a format = avro", "a framing = confluent"}
		}),
		jsonParams(func(p *Params) {
			p.Registry.URLs, p.Format, p.Framing = []string{"http://localhost:1"}, "avro", "confluent"
			p.ByTopic = []string{"a format = raw", "a framing = none"}
		}),
	} {
		if found := p.Validate(); len(found) > 0 {
			t.Errorf("Validate of %q finds %v, want nothing", p.ByTopic, found)
		}
		if _, err := New(p); err != nil {
			t.Error(err)
		}
	}
	unused := jsonParams(func(p *Params) {
		p.Registry.URLs = []string{"http://localhost:1"}
		p.ByTopic = []string{"a format = raw"}
	})
	if found := unused.Validate(); len(found) != 1 || !strings.Contains(found[0].String(), "registry.urls") {
		t.Errorf("a registry that no topic needs: %v", found)
	}
}

func TestNormalByTopic(t *testing.T) {
	got := NormalByTopic([]string{"  a   format=json ", "b id = field:n", "nothing"})
	if want := []string{"a format = json", "b id = field:n", "nothing"}; !slices.Equal(got, want) {
		t.Errorf("NormalByTopic = %q, want %q", got, want)
	}
}
