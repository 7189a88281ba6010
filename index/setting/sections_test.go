package setting

import (
	"reflect"
	"strings"
	"testing"
)

// listed has a list of sections, whose elements have a list of their own.
type listed struct {
	Rules []rule `key:"rules" doc:"what is done"`
}

type rule struct {
	Path   string            `key:"path" verdict:"true"`
	Mode   string            `key:"mode" verdict:"true" omit:"plain"`
	Labels map[string]string `key:"labels" verdict:"true" omit:""`
	Deep   deepRule          `key:"deep" advanced:"true"`
	When   []when            `key:"when"`
}

type deepRule struct {
	Rate int    `key:"rate"`
	Hint string `key:"hint"`
}

type when struct {
	Header string `key:"header" verdict:"true" omit:""`
}

// SetDefaults implements Defaulter.
func (r *rule) SetDefaults() { *r = rule{Mode: "plain", Deep: deepRule{Rate: 7}} }

// Choices implements Chooser.
func (rule) Choices(key string) []string { return map[string][]string{"mode": {"plain", "odd"}}[key] }

func keysOf(walk func(any, func(Field)), params any) string {
	var keys []string
	walk(params, func(f Field) { keys = append(keys, f.Key) })
	return strings.Join(keys, " ")
}

func TestWalkVisitsElements(t *testing.T) {
	p := listed{Rules: []rule{{}, {When: make([]when, 1)}}}
	const want = "rules rules[0] rules[0].path rules[0].mode rules[0].labels rules[0].deep rules[0].deep.rate rules[0].deep.hint " +
		"rules[0].when rules[1] rules[1].path rules[1].mode rules[1].labels rules[1].deep rules[1].deep.rate rules[1].deep.hint " +
		"rules[1].when rules[1].when[0] rules[1].when[0].header"
	if got := keysOf(Walk, p); got != want {
		t.Errorf("visited %s\nwant    %s", got, want)
	}
}

// Whatever elements there are, the shape has one of each list, with its defaults.
func TestShape(t *testing.T) {
	const want = "rules rules[] rules[].path rules[].mode rules[].labels rules[].deep rules[].deep.rate rules[].deep.hint " +
		"rules[].when rules[].when[] rules[].when[].header"
	for _, p := range []listed{{}, {Rules: []rule{{Mode: "odd"}, {}}}} {
		if got := keysOf(WalkShape, p); got != want {
			t.Errorf("visited %s\nwant    %s", got, want)
		}
		for _, f := range Shape(p) {
			text := map[string]string{"mode": "plain", "rate": "7"}[f.Name()]
			if f.Text() != text || f.Advanced != strings.Contains(f.Key, "deep") || len(f.Enum) > 0 != (f.Name() == "mode") {
				t.Errorf("%s is %q, advanced %v, choices %q", f.Key, f.Text(), f.Advanced, f.Enum)
			}
		}
	}
}

func TestResize(t *testing.T) {
	var p listed
	Walk(&p, func(f Field) {
		if f.Key == "rules" {
			f.Resize(2)
		}
		if f.Key == "rules[1].when" {
			f.Resize(1)
		}
	})
	r := rule{Mode: "plain", Deep: deepRule{Rate: 7}}
	want := listed{Rules: []rule{r, r}}
	want.Rules[1].When = make([]when, 1)
	if !reflect.DeepEqual(p, want) {
		t.Errorf("got  %+v\nwant %+v", p, want)
	}
	if m := field(t, &p, "rules[1].mode").Set("odd"); m != nil || p.Rules[1].Mode != "odd" || p.Rules[0].Mode != "plain" {
		t.Errorf("after rules[1].mode is set to odd: %v, %+v", m, p)
	}
	if m := field(t, &p, "rules[0].mode").Set("x"); m == nil || m.String() != "rules[0].mode: x: is not one of the choices; write plain or odd" {
		t.Errorf("rules[0].mode is set to x: %v", m)
	}
}

func TestListsThatBreakConventions(t *testing.T) {
	type deeper struct {
		A []struct {
			B []struct {
				C []when `key:"c"`
			} `key:"b"`
		} `key:"a"`
	}
	for name, params := range map[string]any{
		"secret in a list": struct {
			A []struct {
				B string `key:"b" secret:"true"`
			} `key:"a"`
		}{},
		"verdict list": struct {
			A []when `key:"a" verdict:"true"`
		}{},
		"too deep": deeper{},
		"choices of a map": struct {
			A map[string]string `key:"a" enum:"x|y"`
		}{},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			WalkShape(params, func(Field) {})
		})
	}
}

func TestKeysOfElements(t *testing.T) {
	for key, want := range map[string]struct{ parent, plain string }{
		"":                      {},
		"a":                     {"", "a"},
		"a.b":                   {"a", "a.b"},
		"a[1]":                  {"a", "a"},
		"a[].b":                 {"a[]", "a.b"},
		"a[12].b[3].c":          {"a[12].b[3]", "a.b.c"},
		"a.config[retention.s]": {"a.config", "a.config"},
		"]":                     {"", "]"},
		"a[":                    {"", "a["},
	} {
		if parent, plain := Parent(key), Plain(key); parent != want.parent || plain != want.plain {
			t.Errorf("%s is in %q and plainly %q, want %q and %q", key, parent, plain, want.parent, want.plain)
		}
	}
}

func TestCanonicalOfElements(t *testing.T) {
	all := rule{Path: "/a", Mode: "odd", Labels: map[string]string{"b": `"`, "a": "1"}, When: []when{{}, {Header: "x"}}}
	type loose struct {
		Rules []when `key:"rules"`
	}
	for _, c := range []struct {
		params any
		want   string
	}{
		{listed{}, `{"version":"1"}`},
		{listed{Rules: []rule{{Mode: "plain"}, all}}, `{"rules[0].path":"","rules[1].labels":{"a":"1","b":"\""},"rules[1].mode":"odd",` +
			`"rules[1].path":"/a","rules[1].when[0]":{},"rules[1].when[1].header":"x","version":"1"}`},
		{loose{Rules: []when{{}, {Header: "x"}, {}}}, `{"rules[0]":{},"rules[1].header":"x","rules[2]":{},"version":"1"}`},
	} {
		if got := string(Canonical("1", map[string]any{"": c.params})); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
	two, three := listed{Rules: make([]rule, 2)}, listed{Rules: make([]rule, 2)}
	three.Rules[1].Mode, three.Rules[1].When = "odd", make([]when, 1)
	lines := Diff(Canonical("1", map[string]any{"": two}), Canonical("1", map[string]any{"": three}))
	want := []string{`rules[1].mode: "" here, odd in the journal`, "rules[1].when[0]: not set here, {} in the journal"}
	if !reflect.DeepEqual(lines, want) {
		t.Errorf("they differ in %q, want %q", lines, want)
	}
}
