package setting

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

type sample struct {
	Name  string        `key:"name" doc:"who it is" example:"ada" verdict:"true"`
	Inner inner         `key:"inner" doc:"what is inside"`
	Flat  flat          `key:""`
	Left  chan struct{} `key:"-"`
}

type inner struct {
	Age    time.Duration `key:"age" verdict:"true"`
	Size   Bytes         `key:"size" verdict:"true"`
	Secret string        `key:"secret" secret:"true"`
	Deep   deep          `key:"deep"`
}

type deep struct {
	Mode string `key:"mode" enum:"a|b" verdict:"true"`
	Bits int    `key:"bits" enum:"4|8" verdict:"true"`
	Kind string `key:"kind"`
}

// Choices returns the words of a table.
func (deep) Choices(key string) []string {
	return map[string][]string{"mode": {"not asked"}, "kind": {"p", "q"}}[key]
}

type flat struct {
	Ratio float64  `key:"ratio" verdict:"true"`
	On    bool     `key:"on" verdict:"true"`
	Words []string `key:"words" enum:"x|y|z" verdict:"true"`
}

func defaults() sample {
	return sample{
		Name:  "bob",
		Inner: inner{Age: 24 * time.Hour, Size: GiB, Secret: "hush", Deep: deep{Mode: "a", Bits: 8, Kind: "p"}},
		Flat:  flat{Ratio: 0.8, Words: []string{"x", "y"}},
	}
}

func field(t *testing.T, params any, key string) Field {
	t.Helper()
	for _, f := range Fields(params) {
		if f.Key == key {
			return f
		}
	}
	t.Fatalf("no setting %s", key)
	return Field{}
}

func TestWalkVisitsSectionsBeforeTheirSettings(t *testing.T) {
	var keys []string
	Walk(defaults(), func(f Field) { keys = append(keys, f.Key) })
	want := "name inner inner.age inner.size inner.secret inner.deep inner.deep.mode inner.deep.bits inner.deep.kind " +
		"ratio on words"
	if got := strings.Join(keys, " "); got != want {
		t.Errorf("visited %s\nwant    %s", got, want)
	}
}

func TestFieldTellsItsTags(t *testing.T) {
	s := defaults()
	name, mode, secret := field(t, s, "name"), field(t, s, "inner.deep.mode"), field(t, s, "inner.secret")
	if name.Doc != "who it is" || name.Example != "ada" || !name.Verdict || name.Secret || name.Depth() != 0 {
		t.Errorf("name: %+v", name)
	}
	if kind := field(t, s, "inner.deep.kind"); !slices.Equal(kind.Enum, []string{"p", "q"}) {
		t.Errorf("kind: %+v", kind)
	}
	if !slices.Equal(mode.Enum, []string{"a", "b"}) || mode.Depth() != 2 || mode.Name() != "mode" {
		t.Errorf("mode: %+v", mode)
	}
	if !secret.Secret || secret.Verdict {
		t.Errorf("secret: %+v", secret)
	}
}

func TestWalkPanicsAtBrokenConventions(t *testing.T) {
	for name, params := range map[string]any{
		"no tag":     struct{ A int }{},
		"unexported": struct{ a int }{},
		"type": struct {
			A map[string]int `key:"a"`
		}{},
		"unsigned": struct {
			A uint `key:"a"`
		}{},
		"secret verdict": struct {
			A string `key:"a" secret:"true" verdict:"true"`
		}{},
		"secret number": struct {
			A int `key:"a" secret:"true"`
		}{},
		"verdict section": struct {
			A deep `key:"a" verdict:"true"`
		}{},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			Walk(params, func(Field) {})
		})
	}
}

// TestTags: one pass over the tags reads what reflect reads tag by tag.
func TestTags(t *testing.T) {
	for _, tag := range []reflect.StructTag{
		``, `key:""`, `key:"a"`, `json:"x" key:"a" doc:"says \"so\": b" example:"1 | 2" enum:"p|q"`,
		`verdict:"true" bound:"true"  omit:"0" key:"k"`, `omit:"" key:"k"`, `secret:"true" key:"k" files:"false"`, ` key:"k" files:"true" advanced:"true"`,
		`key`, `doc:"not closed`,
	} {
		key, keyed := tag.Lookup("key")
		omit, omits := tag.Lookup("omit")
		want := Field{
			Key: key, Doc: tag.Get("doc"), Example: tag.Get("example"), Omit: omit, Omits: omits,
			Secret: tag.Get("secret") == "true", Verdict: tag.Get("verdict") == "true", Bound: tag.Get("bound") == "true",
			Files: tag.Get("files") == "true", Advanced: tag.Get("advanced") == "true",
		}
		if words := tag.Get("enum"); words != "" {
			want.Enum = strings.Split(words, "|")
		}
		if got, is := taggedField(tag); !reflect.DeepEqual(got, want) || is != keyed {
			t.Errorf("%s: %+v, %t, want %+v, %t", tag, got, is, want, keyed)
		}
	}
}

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
