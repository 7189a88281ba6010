package report

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/unecho/unecho/index/text"
)

func TestWrite(t *testing.T) {
	for names, of := range map[string]string{
		"a.jsonl": "a.jsonl", "a b": "a, b", "a b c d e f": "a, b, c, d and 2 others", "<script>": "&lt;script&gt;",
	} {
		var page strings.Builder
		about := About{
			Title: "unecho tune", Inputs: strings.Fields(names), Version: "v1.2.3",
			Made: time.Date(2026, 11, 25, 20, 15, 0, 0, time.FixedZone("CET", 3600)),
		}
		err := Write(&page, about, `{{define "body"}}<p>{{.}}</p>{{end}}`, nil, "<b>")
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{
			"<title>unecho tune</title>", of + " · 2026-11-25 19:15 UTC · unecho v1.2.3", "<p>&lt;b&gt;</p>",
			"prefers-color-scheme: dark", "default-src 'none'",
		} {
			if !strings.Contains(page.String(), want) {
				t.Errorf("no %s in\n%s", want, page.String())
			}
		}
		if strings.Contains(page.String(), "<script") || strings.Contains(page.String(), "://") {
			t.Error("the page has a script, or loads something")
		}
	}
	var page strings.Builder
	if err := Write(&page, About{Plots: true}, `{{define "body"}}{{end}}`, nil, nil); err != nil {
		t.Fatal(err)
	}
	_, script, _ := strings.Cut(page.String(), `<script type="module">`)
	script, _, _ = strings.Cut(script, "</script>")
	sum := sha256.Sum256([]byte(script))
	hash := strings.ReplaceAll(base64.StdEncoding.EncodeToString(sum[:]), "+", "&#43;")
	if !strings.Contains(script, "function chart(") || !strings.Contains(page.String(), "script-src 'sha256-"+hash+"'") {
		t.Errorf("the policy lets no script of this hash run: %s\n%.600s", hash, page.String())
	}
	if err := Write(&strings.Builder{}, About{}, "{{", nil, nil); err == nil {
		t.Error("a body that is no template is written")
	}
}

// TestSides: what does not count is not marked, and each side keeps its own words.
func TestSides(t *testing.T) {
	for _, test := range []struct{ a, b, left, right string }{
		{"The SAME, but louder!", "the same but louder", "[{The SAME, but louder! false false}]", "[{the same but louder false false}]"},
		{
			"A red car, fast", "a blue CAR fast", "[{… false false} {A false false} {red true true} {car, fast false false}]",
			"[{… false false} {a false false} {blue true false} {CAR fast false false}]",
		},
	} {
		left, right := Sides(test.a, test.b, text.DefaultParams())
		if fmt.Sprint(left) != test.left || fmt.Sprint(right) != test.right {
			t.Errorf("Sides(%q, %q) are\n%v\n%v\nwant\n%s\n%s", test.a, test.b, left, right, test.left, test.right)
		}
	}
}
