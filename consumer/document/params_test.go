package document

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/unecho/unecho/index/setting"
)

// paramsTest is a change of the parameters of JSON, and the mistakes that it makes.
type paramsTest struct {
	name string
	edit func(*Params)
	want []string
}

func (test *paramsTest) run(t *testing.T) {
	p := jsonParams(test.edit)
	var got []string
	for _, m := range p.Validate() {
		got = append(got, m.String())
	}
	if strings.Join(got, "\n") != strings.Join(test.want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
	}
	if _, err := New(p); errors.Is(err, ErrParams) != (len(test.want) > 0) {
		t.Errorf("New: %v", err)
	}
}

// names is the remedy for a path that is none.
const names = `write a name, or names with dots between: "article.body"`

func TestParams(t *testing.T) {
	many := make([]string, maxFields+1)
	for i := range many {
		many[i] = fmt.Sprint("f", i)
	}
	tests := []paramsTest{
		{"defaults", func(p *Params) { *p = DefaultParams() }, nil},
		{"words", func(p *Params) { p.Format, p.Reject = "xml", []string{"empty", "blank"} }, []string{
			"format: xml: is not one of the choices; write " + setting.OneOf(Params{}.Choices("format")),
			"reject: blank: is not one of the choices; write missing_field, empty or invalid_encoding",
		}},
		{"no fields", func(p *Params) { p.Fields = nil }, []string{"text: 0 fields: out of range; name 1 to 32 fields that hold the text"}},
		{"too many fields", func(p *Params) { p.Fields = many }, []string{"text: 33 fields: out of range; name 1 to 32 fields that hold the text"}},
		{"paths", func(p *Params) { p.Fields = []string{"a.b", "", "a", "c", "c"} }, []string{
			`text[1]: "": a path with an empty name; write a name, or names with dots between: "article.body"`,
			"text[2]: a: is or holds the field a.b, named before; name each text once",
			"text[4]: c: is or holds the field c, named before; name each text once",
		}},
		{"selectors", func(p *Params) { p.ID, p.Scope = "partition", "template" }, []string{
			"id: partition: partition is not possible here; write key, header:NAME, field:PATH, or several in braces, as {header:NAME}/{field:PATH}",
			"scope: template: unknown word; write key, topic, partition, header:NAME, field:PATH, or several in braces, as {header:NAME}/{field:PATH}",
		}},
		{"selectors without names", func(p *Params) { p.ID, p.Scope = "header:", "field:" }, []string{
			"id: header:: the header has no name; write key, header:NAME, field:PATH, or several in braces, as {header:NAME}/{field:PATH}",
			"scope: field:: a path with an empty name; write key, topic, partition, header:NAME, field:PATH, or several in braces, as {header:NAME}/{field:PATH}",
		}},
		{"selectors, odd", func(p *Params) { p.ID, p.Scope = "key:x", "topics" }, []string{
			"id: key:x: unexpected colon; write key, header:NAME, field:PATH, or several in braces, as {header:NAME}/{field:PATH}",
			"scope: topics: unknown word; write key, topic, partition, header:NAME, field:PATH, or several in braces, as {header:NAME}/{field:PATH}",
		}},
		{"paths of other languages", func(p *Params) {
			p.Fields = []string{"$.title", "/title", "items[0].text", "items[*]", "$[0]", "$ref", `\$.title`, `\/title`, `items\[0]`}
		}, []string{
			`text[0]: "$.title": a path begins with a name, not with "$"; ` + names,
			`text[1]: "/title": a path begins with a name, not with "/"; dots stand between names; ` + names,
			`text[2]: "items[0].text": a path has no index: a name leads through all items of an array; ` + names,
			`text[3]: "items[*]": a path has no index: a name leads through all items of an array; ` + names,
			`text[4]: "$[0]": a path begins with a name, not with "$"; ` + names,
		}},
		{"fields of raw text", func(p *Params) { p.Format, p.ID = "raw", "field:id" }, []string{
			"id: field:id: raw has no fields; set format: json, or take a header",
		}},
	}
	for _, test := range tests {
		t.Run(test.name, test.run)
	}
}

func TestTreatmentParams(t *testing.T) {
	for _, test := range []paramsTest{
		{"treated fields", func(p *Params) {
			p.Fields = []string{`a\.b`, "c.d"}
			p.HTML, p.Base64 = []string{"c.d", "a.b"}, []string{`a\.b`, "", "e"}
		}, []string{
			`html[1]: "a.b": is not one of text; name it there, too, or remove it here`,
			`base64[1]: "": is not one of text; name it there, too, or remove it here`,
			`base64[2]: "e": is not one of text; name it there, too, or remove it here`,
		}},
		{"treated fields of raw text", func(p *Params) {
			p.Format, p.HTML, p.Base64 = "raw", []string{"text"}, []string{"text"}
		}, []string{
			"html: text: raw has no fields; set format: json; where the whole value is HTML, format: html",
			"base64: text: raw has no fields; set format: json",
		}},
	} {
		t.Run(test.name, test.run)
	}
}

func TestPathRoundTrip(t *testing.T) {
	for _, text := range []string{"a", "a.b", `a\.b.c`, `a\\.b`, `\\\.`, `\$.a`, `\/a.b/c`, `a\[0].b`, `\$ref`} {
		at, err := parsePath(text)
		if err != nil || at.String() != text {
			t.Errorf("parsePath(%q) is written as %q, error %v; want it as it was, and no error", text, at, err)
		}
	}
}
