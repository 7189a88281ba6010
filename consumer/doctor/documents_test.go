package doctor

import (
	"fmt"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/document"
)

// seenDocuments is a configuration, documents, and the finding.
type seenDocuments struct {
	document func(*document.Params)
	when     []document.Condition
	value    string // of each document; a verb becomes its number
	want     string
}

func documentsSeen() map[string]seenDocuments {
	const article = `{"id":"a%d","title":"Rain","body":"and then sun","lang":"en"}`
	json := func(p *document.Params) { p.Format, p.Fields = "json", []string{"title", "body"} }
	return map[string]seenDocuments{
		"all is well": {
			func(p *document.Params) { json(p); p.ID, p.Scope = "field:id", "field:lang" }, nil, article,
			"ok documents: the newest of posts: 20 judged, as posts/0/10 (17 characters, 20 ids, 1 scope) |  | ",
		},
		"a field that no document has": {
			func(p *document.Params) { json(p); p.Fields[0] = "titel" }, nil, article,
			"problem documents: the newest of posts: 20 rejected (missing_field), as posts/0/10: no field titel (sources[0].reject) | " +
				"no document would be judged: all that are checked go to the rejected topic | correct titel (sources[0].text), perhaps to title; " +
				"the documents have body, id, lang, title",
		},
		"such a field where fields may be missing": {
			func(p *document.Params) { json(p); p.Fields[0], p.Reject = "titel", nil }, nil, article,
			"note documents: the newest of posts: 20 judged, as posts/0/10 (12 characters, no id, no scope, 20 without titel) | " +
				"a field that is looked up is in no document | correct titel (sources[0].text), perhaps to title; " +
				"the documents have body, id, lang, title",
		},
		"an id that no document has": {
			func(p *document.Params) { json(p); p.ID = "field:uid" }, nil, article,
			"note documents: the newest of posts: 20 judged, as posts/0/10 (17 characters, no id, no scope) | " +
				"a field that is looked up is in no document | correct uid (sources[0].id); " +
				"the documents have body, id, lang, title",
		},
		"objects that are compared as they are written": {
			func(p *document.Params) { p.ByDefault = true }, nil, article,
			"problem documents: the newest of posts: 20 judged, as posts/0/10 (61 characters, no id, no scope) | " +
				"all are JSON objects, and no sources[0].format says so: their braces, names, ids and times are compared, too | " +
				"set sources[0].format: json, and sources[0].text to those that hold the text; the documents have body, id, lang, title. If the whole value is meant, write sources[0].format: raw",
		},
		"text that is read as JSON": {
			json, nil, "The bridge was closed, part %d",
			"problem documents: the newest of posts: 20 rejected (invalid_json), as posts/0/10: at byte 0: a value is expected | " +
				"no document would be judged: all that are checked go to the rejected topic | correct sources[0].format or sources[0].schema",
		},
		"conditions that nothing meets": {
			json,
			[]document.Condition{{Header: "lang", Equals: "en"}},
			article,
			"note documents: the newest of posts: 30 unchecked by sources[0].when, as posts/0/0 | " +
				"no document meets sources[0].when: they go to the unique topic unchecked (a new group stops where 100 are there and none " +
				"does); of one header lang is missing, and field lang is there, where equals: en is asked | correct sources[0].when",
		},
		"a value that no document has": {
			json,
			[]document.Condition{{Field: "lang", Equals: "de"}, {Header: "kind", Exists: "true"}, {Field: "id", Exists: "true"}},
			article,
			"of one header kind is missing, where exists: true is asked | correct sources[0].when",
		},
		"a condition on a field that no document has": {
			json,
			[]document.Condition{{Field: "language", Equals: "en"}},
			article,
			"note documents: the newest of posts: 30 unchecked by sources[0].when, as posts/0/0 | " +
				"no document meets sources[0].when: they go to the unique topic unchecked (a new group stops where 100 are there and none " +
				"does); of one field language is missing, where equals: en is asked | correct language " +
				"(sources[0].when), perhaps to lang; the documents have body, id, lang, title",
		},
	}
}

// findings are of so many documents.
func (c *seenDocuments) findings(t *testing.T, documents int) string {
	t.Helper()
	w := newWard(t)
	w.well()
	w.in.Sources[0].Topics, w.in.Sources[0].Reading.When = []string{"posts"}, c.when
	c.document(&w.in.Sources[0].Reading)
	_, err := w.admin.CreateTopics(t.Context(), 1, 3, insync(), "posts")
	w.must(err)
	for i := range documents {
		w.produce(&kgo.Record{Topic: "posts", Value: fmt.Appendf(nil, c.value, i)})
	}
	return lines(w.run())
}

// What a configuration makes of the newest documents is told before any is forwarded, with an example, and what was probably
// meant.
func TestDocuments(t *testing.T) {
	for name, c := range documentsSeen() {
		t.Run(name, func(t *testing.T) {
			if got := c.findings(t, 30); !strings.Contains(got, c.want+"\n") {
				t.Errorf("the findings are\n%s\nwant among them\n%s", got, c.want)
			}
		})
	}
}

// Conditions that no document meets are a problem where there are as many documents as stop a new group, and a note below. One
// that meets them is looked for among more than the newest.
func TestDocumentsUnmet(t *testing.T) {
	const none = " unchecked by sources[0].when, as posts/0/0 | no document meets sources[0].when: they go to the unique topic unchecked"
	for _, c := range []struct {
		documents    int
		equals, want string
	}{
		{99, "b", "note documents: the newest of posts: 99" + none + " (a new group stops where 100 are there and none does); of one field id is "},
		{100, "b", "problem documents: the newest of posts: 100" + none + ", and a new group stops before that; of one field id is "},
		{100, "b", " | correct sources[0].when; where these documents are to be forwarded unchecked, start once with --accept-unchecked posts\n"},
		{150, "a0", "ok documents: the newest of posts: 1 judged, as posts/0/0 (17 characters, no id, no scope); 149 unchecked by "},
	} {
		of := seenDocuments{
			document: func(p *document.Params) { p.Format, p.Fields = "json", []string{"title", "body"} },
			when:     []document.Condition{{Field: "id", Equals: c.equals}},
			value:    `{"id":"a%d","title":"Rain","body":"and then sun"}`,
		}
		if got := of.findings(t, c.documents); !strings.Contains(got, c.want) {
			t.Errorf("the findings of %d documents are\n%s\nwant among them\n%s", c.documents, got, c.want)
		}
	}
}
