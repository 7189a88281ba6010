package docs

import (
	"fmt"
	"strings"
	"testing"

	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/index/text"
)

// The texts in the table of normalize.* become what it says.
func TestConfigurationNormalForms(t *testing.T) {
	table := section(t, read(t, "deploy/docs/configuration.md"), "## The normal form: what counts as different")
	for _, c := range []struct {
		setting, in, form string
		change            func(*text.Params)
	}{
		{"html", "<p>Caf&eacute; <b>bo</b>ld", "café bold", func(p *text.Params) { p.HTML = "strip" }},
		{"accents", "Élève", "eleve", func(p *text.Params) { p.Accents = "strip" }},
		{"accents", "ёж", "еж", func(p *text.Params) { p.Accents = "strip" }},
		{"accents", "أَحمد", "احمد", func(p *text.Params) { p.Accents = "strip" }},
		{"urls", "see https://a.example/x?y", "see url", func(p *text.Params) { p.URLs = "mask" }},
		{"urls", "jane@a.example", "email", func(p *text.Params) { p.URLs = "mask" }},
		{"ids", "span 4bf92f3577b34da6", "span id", func(p *text.Params) { p.IDs = "mask" }},
		{"digits", "order 4,711", "order 0", func(p *text.Params) { p.Digits = "mask" }},
		{"punctuation", "Don't!", "don t", func(*text.Params) {}},
		{"punctuation", "Don't!", "don't!", func(p *text.Params) { p.Punctuation = "keep" }},
		{"punctuation", "Don't!", "dont", func(p *text.Params) { p.Punctuation = "drop" }},
		{"space", "Hello, World", "hello world", func(*text.Params) {}},
		{"space", "Hello, World", "helloworld", func(p *text.Params) { p.Space = "drop" }},
	} {
		p := text.DefaultParams()
		c.change(&p)
		if got := string(text.NewNormalizer(p).Append(nil, []byte(c.in))); got != c.form {
			t.Errorf("with normalize.%s %q becomes %q, and the page says %q", c.setting, c.in, got, c.form)
		}
		_, row, _ := strings.Cut(table, "\n| `normalize."+c.setting+"`")
		row, _, _ = strings.Cut(row, "\n")
		if !strings.Contains(row, "`"+c.in+"`") || !strings.Contains(row, "`"+c.form+"`") {
			t.Errorf("the row of normalize.%s does not say that %q becomes %q", c.setting, c.in, c.form)
		}
	}
}

// The curve shown is that of the default plan.
func TestConfigurationCurve(t *testing.T) {
	how := section(t, read(t, "deploy/docs/configuration.md"), "## Similarity: what is a copy, and how it is found")
	planned, err := config.Default().Judge.Planned()
	if err != nil {
		t.Fatal(err)
	}
	p := planned.Duplicates
	plan, err := p.Banding()
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("%d bands of %d rows", plan.Bands,
		plan.Rows); !strings.Contains(strings.ReplaceAll(how, "\n", " "), want) {
		t.Errorf("configuration.md should say %s", want)
	}
	row := "| compared |"
	for _, j := range []float64{0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9} {
		row += fmt.Sprintf(" %.4f |", plan.Probability(j))
	}
	if !strings.Contains(how, row+"\n") {
		t.Errorf("configuration.md should say\n%s", row)
	}
}

// The example of a lookup has as many bands as the defaults.
func TestExampleOfLookup(t *testing.T) {
	planned, err := config.Default().Judge.Planned()
	if end := fmt.Sprintf(`"threshold":0.8,"bands":%d}]}`+"\n", planned.Duplicates.Bands); err != nil || !strings.Contains(read(t, "deploy/docs/api.md"), end) {
		t.Errorf("the example in api.md does not end with %s, %v", end, err)
	}
}
