package setting

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"
)

type mapped struct {
	Texts map[string]string `key:"texts" verdict:"true"`
}

func TestMapsAsText(t *testing.T) {
	for text, want := range map[string]string{
		"":                "",
		" ":               "",
		"b=2, a = 1":      "a=1,b=2",
		"url=http://x?a=": "url=http://x?a=",
		"a=":              "a=",
	} {
		var p mapped
		f := field(t, &p, "texts")
		if m := f.Set(text); m != nil || f.Text() != want || !f.Equals(text) || f.Equals(text+",z=1") {
			t.Errorf("%q reads %q, %v; want %q", text, f.Text(), m, want)
		}
		if f.Kind() != Map || (p.Texts == nil) != (want == "") {
			t.Errorf("%q is the map %#v", text, p.Texts)
		}
		var back mapped
		raw := map[string]json.RawMessage{}
		if err := json.Unmarshal(Canonical("1", map[string]any{"": p}), &raw); err != nil {
			t.Fatal(err)
		}
		if err := field(t, &back, "texts").SetJSON(raw["texts"]); err != nil || !maps.Equal(back.Texts, p.Texts) {
			t.Errorf("%s is read as %v: %v", raw["texts"], back.Texts, err)
		}
	}
}

func TestMapsThatAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"a":                                      "texts: a: has no name and text; write name=text",
		"=x":                                     "texts: =x: has no name and text",
		"a=1,a=2":                                "texts: a=2: has a name that is there already",
		"a=\xff":                                 "is not valid UTF-8",
		"a=1,":                                   "has no name and text",
		"a=" + strings.Repeat("x", maxPairBytes): "texts: is too large",
		many(maxPairs + 1):                       "texts: is too large; write at most 256 names",
	} {
		p := mapped{Texts: map[string]string{"before": "1"}}
		m := field(t, &p, "texts").Set(text)
		if m == nil || !strings.Contains(m.String(), want) || p.Texts["before"] != "1" {
			t.Errorf("%.40q: %v, and it is %v; want %q", text, m, p.Texts, want)
		}
	}
	var p mapped
	if m := field(t, &p, "texts").SetPairs(map[string]string{"": "x"}); m == nil {
		t.Error("a text without a name is taken")
	}
	if err := field(t, &p, "texts").SetJSON(json.RawMessage(`["a"]`)); err == nil {
		t.Error("a list is taken for a map")
	}
	if m := field(t, &p, "texts").Set(many(maxPairs)); m != nil || len(p.Texts) != maxPairs {
		t.Errorf("%d texts of %d, %v", len(p.Texts), maxPairs, m)
	}
}

// A map that is set is not the caller's.
func TestMapsAreCopied(t *testing.T) {
	var p mapped
	f, given := field(t, &p, "texts"), map[string]string{"a": "1"}
	if m := f.SetPairs(given); m != nil {
		t.Fatalf("SetPairs refuses a map: %v", m)
	}
	given["a"], f.Pairs()["a"] = "2", "3"
	if p.Texts["a"] != "1" {
		t.Errorf("it is %v", p.Texts)
	}
}

func many(n int) string {
	items := make([]string, n)
	for i := range items {
		items[i] = fmt.Sprintf("k%d=v", i)
	}
	return strings.Join(items, ",")
}
