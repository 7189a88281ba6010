package document_test

import (
	"slices"
	"testing"

	"github.com/unecho/unecho/consumer/document"
)

// Strings finds what Read joins, between the quotes.
func TestStrings(t *testing.T) {
	p := document.DefaultParams()
	p.Format, p.Fields = "json", []string{"title", "body.text"}
	r, err := document.New(p)
	if err != nil {
		t.Fatal(err)
	}
	for json, want := range map[string][]string{
		`{"id":1,"body":{"text":"b \"q\""},"title":"a"}`:                 {"a", `b \"q\"`},
		"\ufeff" + ` { "title" : "a" , "body":{"text":["b", "" , "c"]}}`: {"a", "b", "", "c"},
		`{"title":"old","title":"new","body":{"text":[]}}`:               {"new"},
		`{"ti\u0074le":"a","body":"no object"}`:                          {"a"},
		`["title"]`:                                                      nil, `{"title":"a`: nil, ``: nil,
	} {
		var got []string
		for _, at := range r.Strings(nil, []byte(json)) {
			got = append(got, json[at.Start:at.End])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", json, got, want)
		}
	}
}
