package document

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/unecho/unecho/sink"
)

// jsonSource is a source of JSON that names topics.
func jsonSource(edit func(*Source), topics ...string) Source {
	s := DefaultSource()
	s.Topics, s.Reading.Format = topics, "json"
	edit(&s)
	return s
}

// A topic is read by the source that names it, else by the first whose pattern fits its whole name.
func TestSources(t *testing.T) {
	made, err := NewSources([]Source{
		jsonSource(func(s *Source) { s.Pattern, s.Reading.Fields = ".*ads", []string{"headline", "body.text"} }),
		jsonSource(func(s *Source) { s.Pattern, s.Reading.ID = "ads|old", "field:n" }, "news"),
		jsonSource(func(s *Source) { s.Pattern, s.Reading.Format = `blogs\..+`, "raw"; s.Reading.MaxBytes = 40 }, "my.ads"),
	})
	if err != nil {
		t.Fatal(err)
	}
	r := reader{made}
	value := `{"text":"a","headline":"b","body":{"text":"c"},"n":7}`
	for _, c := range []struct{ topic, key, text, id string }{
		{"news", "sources[1]", "a", "7"},
		{"ads", "sources[0]", "b\nc", ""},
		{"old", "sources[1]", "a", "7"},
		{"blogs.a", "sources[2]", value[:40], ""},
		{"my.ads", "sources[2]", value[:40], ""},
		{"nobody's", "sources[0]", "b\nc", ""},
		{"news", "sources[1]", "a", "7"},
	} {
		in := Input{Topic: c.topic, Value: []byte(value)}
		if c.key == "sources[2]" {
			if _, bad := r.Read(in, nil); bad == nil || bad.Reason != sink.TooLarge {
				t.Errorf("%s: %+v, want too large", c.topic, bad)
			}
			in.Value = in.Value[:40]
		}
		doc, bad := r.Read(in, nil)
		if bad != nil || string(doc.Text) != c.text || string(doc.ID) != c.id || r.Key(c.topic) != c.key {
			t.Errorf("%s: %q, id %q, by %s, %+v", c.topic, doc.Text, doc.ID, r.Key(c.topic), bad)
		}
	}
}

// What may be missing or empty, and what is a scope, each source says of its topics, and names its setting.
func TestSourcesDiffer(t *testing.T) {
	made, err := NewSources([]Source{
		jsonSource(func(s *Source) { s.Reading.Fields, s.Reading.Reject = []string{"title", "text"}, []string{"empty"} }, "ads"),
		jsonSource(func(s *Source) { s.Reading.Fields, s.Reading.Scope = []string{"title", "text"}, "partition" }, "old"),
	})
	if err != nil {
		t.Fatal(err)
	}
	r, value := reader{made}, []byte(`{"text":"a"}`)
	if doc, bad := r.Read(Input{Topic: "ads", Value: value}, nil); bad != nil || string(doc.Text) != "a" {
		t.Errorf("a missing field of ads: %q, %+v, want a", doc.Text, bad)
	}
	if _, bad := r.Read(Input{Topic: "old", Value: value}, nil); bad == nil || bad.Detail != "no field title (sources[1].reject)" {
		t.Errorf("a missing field of old: %+v, want a rejection", bad)
	}
	if r.EmptyRejection("ads") == nil || r.EmptyRejection("old") != nil || r.ByPartition("ads") || !r.ByPartition("old") {
		t.Error("empty documents and partitions are not those of each topic's source")
	}
	if _, err := r.Scope("", "1"); !errors.Is(err, ErrScope) || !strings.Contains(err.Error(), "name the topic") {
		t.Errorf("a scope without a topic: %v", err)
	}
	if scope, err := r.Scope("old", "1"); err != nil || scope == 0 {
		t.Errorf("the scope of a topic is %d, %v", scope, err)
	}
}

// Only leaves each topic to the source that reads it, in its place.
func TestOnly(t *testing.T) {
	all := []Source{
		jsonSource(func(*Source) {}, "news", "blogs"),
		jsonSource(func(s *Source) { s.Pattern = `ads\..+` }),
	}
	only, unread, err := Only(all, []string{"ads.a", "blogs", "other"})
	if err != nil || !slices.Equal(unread, []string{"other"}) || len(only) != 2 || only[1].Pattern != "" ||
		!slices.Equal(only[0].Topics, []string{"blogs"}) || !slices.Equal(only[1].Topics, []string{"ads.a"}) {
		t.Errorf("Only = %+v, %q, %v", only, unread, err)
	}
	if only, unread, err := Only(all[:1], []string{"other"}); err != nil || len(unread) > 0 || only[0].Topics[0] != "other" {
		t.Errorf("the only source: %+v, %q, %v", only, unread, err)
	}
	if !slices.Equal(all[0].Topics, []string{"news", "blogs"}) {
		t.Errorf("the sources themselves are changed: %+v", all)
	}
}

func TestValidateSources(t *testing.T) {
	plain := func(*Source) {}
	many := make([]Source, maxSources+1)
	for _, c := range []struct {
		sources []Source
		want    string
	}{
		{[]Source{jsonSource(plain, "news")}, ""},
		{nil, "sources.topics: is missing; "},
		{many, "sources: 65 sources: out of range"},
		{[]Source{jsonSource(plain)}, "sources[0].topics: is missing; "},
		{[]Source{jsonSource(plain, "a", "a")}, "sources[0].topics: a: is named twice"},
		{[]Source{jsonSource(plain, "a"), jsonSource(plain, "b", "a")}, "sources[1].topics: a: is named in sources[0], too"},
		{[]Source{jsonSource(plain, "a,b")}, "sources[0].topics: a,b: is not a name of a topic"},
		{[]Source{jsonSource(plain, ".")}, "sources[0].topics: .: is not a name of a topic"},
		{[]Source{jsonSource(func(s *Source) { s.Pattern = "a)|(b" })}, "sources[0].pattern: a)|(b: is not a regular expression: "},
		{[]Source{jsonSource(func(s *Source) { s.Pattern = strings.Repeat("a", maxPattern+1) })}, "sources[0].pattern: aaa"},
		{[]Source{jsonSource(func(s *Source) { s.Pattern, s.Start = "a", "latest" })}, "sources[0].start: latest: has no effect on topics"},
		{
			[]Source{jsonSource(plain, "a"), jsonSource(func(s *Source) { s.Reading.Fields = []string{"$.title"} }, "b")},
			`sources[1].text[0]: "$.title": a path begins with a name`,
		},
		{
			[]Source{jsonSource(func(s *Source) { s.Reading.Registry.URLs = []string{"http://localhost:1"} }, "a")},
			"schema_registry.urls: http://localhost:1: has no effect: no source has values that name their schemas",
		},
	} {
		wrong := ValidateSources(c.sources)
		if c.want == "" && len(wrong) > 0 || c.want != "" && (len(wrong) != 1 || !strings.HasPrefix(wrong[0].String(), c.want)) {
			t.Errorf("%+v: %v, want %s", c.sources, wrong, c.want)
		}
	}
}

// The registry is one, for the sources that need it.
func TestSchemasOfSources(t *testing.T) {
	sources := []Source{
		jsonSource(func(*Source) {}, "a"),
		jsonSource(func(s *Source) { s.Reading.Format, s.Reading.Schema.Framing = "avro", "confluent" }, "b"),
	}
	for i := range sources {
		sources[i].Reading.Registry.URLs = []string{"http://localhost:1"}
	}
	if wrong := ValidateSources(sources); len(wrong) > 0 {
		t.Errorf("found %v", wrong)
	}
	if _, err := NewSources(sources); err != nil {
		t.Error(err)
	}
}

// TestHTMLValues: of a value that is a page the text counts.
func TestHTMLValues(t *testing.T) {
	p := DefaultParams()
	p.Format, p.ID, p.Reject, p.MaxBytes = "html", "key", []string{"invalid_encoding"}, 40
	r := newReader(t, p)
	for _, c := range []struct {
		value, text string
		reason      sink.Reason
		detail      string
	}{
		{"<p>Caf&eacute; <b>bo</b>ld</p>", " Café bold ", "", ""},
		{"a < b & c", "a < b & c", "", ""},
		{"<p>\xff</p>", "", sink.InvalidEncoding, "not UTF-8 at byte 3 of the value"},
		{strings.Repeat("<b>", 14), "", sink.TooLarge, "the value has 42 bytes, the limit is 40 (advanced.max_document_bytes)"},
	} {
		doc, bad := r.Read(Input{Key: []byte("k"), Value: []byte(c.value)}, nil)
		check(t, doc, bad, c.text, c.reason, c.detail)
	}
	if doc, bad := r.Read(Input{Value: []byte("<script>x</script>")}, nil); bad != nil || !doc.Empty {
		t.Errorf("a page without text: %+v, %+v", doc, bad)
	}
}
