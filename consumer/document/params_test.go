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
		{"words", func(p *Params) { p.Format, p.InvalidUTF8, p.Empty = "xml", "drop", "" }, []string{
			"format: xml: is not one of the choices; write " + setting.OneOf(Params{}.Choices("format")),
			"invalid_utf8: drop: is not one of the choices; write replace or reject",
			"empty: is not one of the choices; write unique or reject",
		}},
		{"no fields", func(p *Params) { p.Fields = nil }, []string{"fields: 0 fields: out of range; name 1 to 32 fields that hold the text"}},
		{"too many fields", func(p *Params) { p.Fields = many }, []string{"fields: 33 fields: out of range; name 1 to 32 fields that hold the text"}},
		{"paths", func(p *Params) { p.Fields = []string{"a.b", "", "a", "c", "c"} }, []string{
			`fields[1]: "": a path with an empty name; write a name, or names with dots between: "article.body"`,
			"fields[2]: a: is or holds the field a.b, named before; name each text once",
			"fields[4]: c: is or holds the field c, named before; name each text once",
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
			`fields[0]: "$.title": a path begins with a name, not with "$"; ` + names,
			`fields[1]: "/title": a path begins with a name, not with "/"; dots stand between names; ` + names,
			`fields[2]: "items[0].text": a path has no index: a name leads through all items of an array; ` + names,
			`fields[3]: "items[*]": a path has no index: a name leads through all items of an array; ` + names,
			`fields[4]: "$[0]": a path begins with a name, not with "$"; ` + names,
		}},
		{"fields of raw text", func(p *Params) { p.Format, p.ID = "raw", "field:id" }, []string{
			"id: field:id: raw text has no fields; set document.format: json, or take a header",
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
			p.HTML, p.Base64, p.Separator = []string{"c.d", "a.b"}, []string{`a\.b`, "", "e"}, strings.Repeat("-", maxSeparator+1)
		}, []string{
			`separator: "-----------------": is too long; write 16 bytes at most`,
			`html_fields[1]: "a.b": is not one of document.fields; name it there, too, or remove it here`,
			`base64_fields[1]: "": is not one of document.fields; name it there, too, or remove it here`,
			`base64_fields[2]: "e": is not one of document.fields; name it there, too, or remove it here`,
		}},
		{"treated fields of raw text", func(p *Params) {
			p.Format, p.HTML, p.Base64, p.Separator = "raw", []string{"text"}, []string{"text"}, " "
		}, []string{
			`separator: " ": has no effect with document.format raw; remove it, or set document.format`,
			"html_fields: text: raw text has no fields; set document.format: json; where the whole value is HTML, text.html: strip",
			"base64_fields: text: raw text has no fields; set document.format: json",
		}},
		{"a separator that is not UTF-8", func(p *Params) { p.Separator = "\xff" }, []string{
			`separator: "\xff": is not valid UTF-8; write it in UTF-8`,
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
