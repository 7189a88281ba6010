package config

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/unecho/unecho/index/setting"
)

// rule returns a rule as a file with these paths has it.
func rule(change func(*sampleRule), paths ...string) sampleRule {
	var r sampleRule
	r.SetDefaults()
	r.Paths = paths
	if change != nil {
		change(&r)
	}
	return r
}

func TestElementsThatAreTaken(t *testing.T) {
	odd := func(r *sampleRule) { r.Mode = "odd" }
	for name, c := range map[string]struct {
		text          string
		environ, sets []string
		want          []sampleRule
	}{
		"none":          {},
		"commented out": {text: "rules:\n"},
		"empty":         {text: "rules: []\n"},
		"block":         {text: "rules:\n- paths: [/a]\n- mode: odd\n  paths: [/b]\n", want: []sampleRule{rule(nil, "/a"), rule(odd, "/b")}},
		"sections": {text: "rules:\n- paths: [/a]\n  limits:\n    rate: 3\n  labels: {n: 1, on: true}\n", want: []sampleRule{rule(func(r *sampleRule) {
			r.Limits.Rate, r.Labels = 3, map[string]string{"n": "1", "on": "true"}
		}, "/a")}},
		"a list in a list": {text: "rules: [{paths: [/a], when: [{header: a}, {equals: b}]}, {paths: [/b], when: []}]", want: []sampleRule{
			rule(func(r *sampleRule) { r.When = []sampleWhen{{Header: "a"}, {Equals: "b"}} }, "/a"), rule(nil, "/b"),
		}},
		"anchors": {text: "rules: [&a {paths: [/a], mode: odd}, *a, {<<: *a, mode: plain}]", want: []sampleRule{rule(odd, "/a"), rule(odd, "/a"), rule(nil, "/a")}},
		"a variable for none": {
			environ: []string{"UNECHO_RULES_PATHS=/a,/b", "UNECHO_RULES_LABELS=a=1,b=2"},
			want:    []sampleRule{rule(func(r *sampleRule) { r.Labels = map[string]string{"a": "1", "b": "2"} }, "/a", "/b")},
		},
		"a flag for one":  {text: "rules: [{paths: [/a]}]", sets: []string{"rules.mode=odd", "rules.limits.rate=3"}, want: []sampleRule{rule(func(r *sampleRule) { r.Mode, r.Limits.Rate = "odd", 3 }, "/a")}},
		"flag over all":   {text: "rules: [{paths: [/a]}]", environ: []string{"UNECHO_RULES_PATHS=/b"}, sets: []string{"rules.paths=/c"}, want: []sampleRule{rule(nil, "/c")}},
		"a flag two deep": {sets: []string{"rules.paths=/a", "rules.when.header=lang", "rules.when.equals=en"}, want: []sampleRule{rule(func(r *sampleRule) { r.When = []sampleWhen{{"lang", "en"}} }, "/a")}},
	} {
		t.Run(name, func(t *testing.T) {
			want := defaultSample()
			want.Server.Hosts, want.Rules = []string{"a"}, c.want
			got, _, mistakes := loadSample("server: {hosts: [a]}\n"+c.text, c.environ, c.sets)
			if len(mistakes) > 0 || !reflect.DeepEqual(got, want) {
				t.Errorf("got  %+v, %v\nwant %+v", got, mistakes, want)
			}
		})
	}
}

// The list of a file takes the place of the default list, elements and all. A flag reaches the only element of that.
func TestListsReplaceTheirDefaults(t *testing.T) {
	for name, c := range map[string]struct {
		text, set string
		want      []sampleRule
	}{
		"default": {"", "", []sampleRule{{Paths: []string{"/default"}, Mode: "odd"}}},
		"file":    {"rules: [{paths: [/a]}, {paths: [/b]}]", "", []sampleRule{rule(nil, "/a"), rule(nil, "/b")}},
		"empty":   {"rules: []", "", nil},
		"flag":    {"", "rules.mode=plain", []sampleRule{{Paths: []string{"/default"}, Mode: "plain"}}},
	} {
		t.Run(name, func(t *testing.T) {
			s := sample{Rules: []sampleRule{{Paths: []string{"/default"}, Mode: "odd"}}}
			l := newLoader(&s, "f.yaml")
			l.decode([]byte(c.text))
			var sets []string
			if c.set != "" {
				sets = []string{c.set}
			}
			_, mistakes := l.resolve(func() []setting.Mistake { return nil }, inputs{sets: sets})
			if len(mistakes) > 0 || !reflect.DeepEqual(s.Rules, c.want) {
				t.Errorf("got  %+v, %v\nwant %+v", s.Rules, mistakes, c.want)
			}
		})
	}
}

func TestOriginsOfElements(t *testing.T) {
	_, origins, mistakes := loadSample("server: {hosts: [a]}\nrules:\n- mode: odd\n  when:\n  - header: a\n",
		[]string{"UNECHO_RULES_LIMITS_RATE=3"}, []string{"rules.paths=/a"})
	if len(mistakes) > 0 {
		t.Fatalf("loadSample finds %v; want no mistakes", mistakes)
	}
	for key, want := range map[string]string{
		"rules[0].mode": "f.yaml:3", "rules[0].when[0].header": "f.yaml:5", "rules[0].labels": "default",
		"rules[0].limits.rate": "UNECHO_RULES_LIMITS_RATE", "rules[0].paths": "command line", "rules": "f.yaml:2",
	} {
		if got := origins[key].String(); got != want {
			t.Errorf("%s comes from %s, want %s", key, got, want)
		}
	}
}

func TestMistakesOfElementsOutsideTheFile(t *testing.T) {
	const two = "server: {hosts: [a]}\nrules: [{paths: [/a]}, {paths: [/b]}]"
	for name, c := range map[string]struct{ text, variable, set, want string }{
		"two": {
			text: two, set: "rules.mode=odd",
			want: "command line: rules.mode: does not say which of 2 rules it means; write it into the file, at one of them",
		},
		"two, a variable": {
			text: two, variable: "UNECHO_RULES_MODE=odd",
			want: "UNECHO_RULES_MODE: rules.mode: does not say which of 2 rules it means; write it into the file, at one of them",
		},
		"two within one": {
			text: "server: {hosts: [a]}\nrules: [{paths: [/a], when: [{}, {}]}]", set: "rules.when.header=a",
			want: "command line: rules.when.header: does not say which of 2 rules[0].when it means; write it into the file, at one of them",
		},
		"the list":   {set: "rules=/a", want: "command line: rules: is a section; set one of its keys, as --set rules.KEY=value"},
		"an element": {set: "rules[0].mode=odd", want: "command line: rules...: unknown key; did you mean rules.mode?"},
		"misspelt":   {set: "rules.mod=odd", want: "command line: rules.mod: unknown key; did you mean rules.mode?"},
		"misspelt, a variable": {
			variable: "UNECHO_RULES_PATH=/a", want: "UNECHO_RULES_PATH: unknown variable; did you mean UNECHO_RULES_PATHS?",
		},
		"no value":   {set: "rules.mode", want: "command line: rules.mode: has no value; write --set key=value"},
		"wrong":      {text: "server: {hosts: [a]}\nrules: [{paths: [/a]}]", set: "rules.mode=x", want: "command line: rules[0].mode: x: is not one of the choices; write plain or odd"},
		"lacks":      {set: "rules.mode=odd", want: "command line: rules[0].paths: is missing; name a path"},
		"not a map":  {set: "rules.labels=a", want: "command line: rules[0].labels: a: has no name and text; write name=text, and a comma between two"},
		"file wrong": {text: "server: {hosts: [a]}\nrules: /a", set: "rules.mode=odd", want: "f.yaml:2: rules: is a list of sections, not a value; write keys below it, indented, with a dash before the first: - paths: ..."},
	} {
		t.Run(name, func(t *testing.T) {
			var sets []string
			if c.set != "" {
				sets = []string{c.set}
			}
			if c.text == "" {
				c.text = "server: {hosts: [a]}"
			}
			if name == "not a map" {
				sets = append(sets, "rules.paths=/a")
			}
			_, _, mistakes := loadSample(c.text, []string{c.variable}, sets)
			if got := mistakes.Error(); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// Aliases cannot make a small file a large configuration.
func TestElementsAreBounded(t *testing.T) {
	text := "server: {hosts: [a]}\nrules:\n- &r {paths: [/a], when: [" + strings.Repeat("{},", 99) + "{}]}\n" + strings.Repeat("- *r\n", 100)
	s, _, mistakes := loadSample(text, nil, nil)
	if len(mistakes) == 0 || !strings.Contains(mistakes[0].String(), "has too many elements; write 4096 at most") {
		t.Errorf("the mistakes are %.3v", mistakes)
	}
	elements := len(s.Rules)
	for _, r := range s.Rules {
		elements += len(r.When)
	}
	if elements > maxElements || elements < maxElements-101 {
		t.Errorf("there are %d elements", elements)
	}
}

// What decides verdicts in lists is read back from the text of the settings.
func TestElementsInSettings(t *testing.T) {
	full := rule(func(r *sampleRule) { r.Mode, r.Labels = "odd", map[string]string{"a": "1"} }, "/a", "/b,c")
	full.When = []sampleWhen{{}, {Header: "x"}, {}}
	for name, rules := range map[string][]sampleRule{
		"none": nil, "one": {full}, "defaults": {rule(nil), rule(nil)}, "mixed": {rule(nil), full, rule(nil)}, "many": slices.Repeat([]sampleRule{full, rule(nil)}, 6),
	} {
		t.Run(name, func(t *testing.T) {
			s := defaultSample()
			s.Rules = rules
			text := setting.Canonical("1", map[string]any{"": s})
			back := defaultSample()
			back.Rules = make([]sampleRule, 3)
			if err := setCanonical(&back, valuesOf(t, text)); err != nil {
				t.Fatal(err)
			}
			if again := setting.Canonical("1", map[string]any{"": back}); string(again) != string(text) || len(back.Rules) != len(rules) {
				t.Errorf("got  %s, %d rules\nwant %s, %d", again, len(back.Rules), text, len(rules))
			}
		})
	}
	for text, want := range map[string]string{
		`{"rules[1].mode":"odd"}`:          `does not know "rules[1].mode"`,
		`{"rules[0]":3}`:                   `does not know "rules[0]"`,
		`{"rules[0].colour":"red"}`:        `does not know "rules[0].colour"`,
		`{"rules[0].mode":"x"}`:            "is not one of the choices",
		`{"rules[0].labels":"a=b"}`:        "rules[0].labels",
		`{"rules[4096000].mode":"odd"}`:    "does not know",
		`{"rules[].mode":"odd","rules":2}`: "does not know",
	} {
		s := defaultSample()
		if err := setCanonical(&s, valuesOf(t, []byte(text))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func valuesOf(t *testing.T, text []byte) (values map[string]json.RawMessage) {
	t.Helper()
	if err := json.Unmarshal(text, &values); err != nil {
		t.Fatal(err)
	}
	delete(values, "version")
	return values
}

// However a list is written, its settings are the same text.
func TestSettingsDoNotDependOnSpelling(t *testing.T) {
	var texts []string
	for _, text := range []string{
		"rules: [{paths: [/a], labels: {b: '2', a: 1}, mode: plain, when: []}]",
		"rules:\n  -\n    labels:\n      a: '1'\n      b: 2\n    paths:\n    - /a\n",
		"x: &x\nrules: [{<<: {labels: {a: 1, b: 2}}, paths: ['/a']}]",
	} {
		s, _, _ := loadSample(text, nil, nil)
		texts = append(texts, string(setting.Canonical("1", map[string]any{"": s})))
	}
	s, _, _ := loadSample("", []string{"UNECHO_RULES_LABELS=b=2,a=1"}, []string{"rules.paths=/a"})
	texts = append(texts, string(setting.Canonical("1", map[string]any{"": s})))
	for i, text := range texts {
		if text != texts[0] || !strings.Contains(text, `"rules[0].labels":{"a":"1","b":"2"},"rules[0].paths":["/a"],"server`) {
			t.Errorf("text %d is %s", i, text)
		}
	}
}

// A key outside a list that probably meant a setting of its elements excuses that the list is missing, and no list that
// was given.
func TestMeantInAList(t *testing.T) {
	for text, excused := range map[string]bool{"path: [/a]": true, "path: [/a]\nrules: []": false, "age: 1s": false} {
		s := defaultSample()
		l := newLoader(&s, "f.yaml")
		l.decode([]byte(text))
		if l.isExcused("rules") != excused || l.isExcused("rules[0].paths") != excused {
			t.Errorf("%q excuses rules: %v, and rules[0].paths: %v; want %v", text, l.isExcused("rules"), l.isExcused("rules[0].paths"), excused)
		}
	}
}

// Whatever a text of settings says, it is refused or read as what is written again.
func FuzzElementsInSettings(f *testing.F) {
	f.Add([]byte(`{"rules[0]":{},"rules[1].mode":"odd","rules[2].when[0]":{},"rules[2].labels":{"a":"b"}}`))
	f.Add([]byte(`{"rules[0].when[0].header":"x","rules[10].mode":"odd","rules[0]":3}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var values map[string]json.RawMessage
		s := defaultSample()
		if json.Unmarshal(text, &values) != nil || setCanonical(&s, values) != nil {
			return
		}
		canonical := setting.Canonical("1", map[string]any{"": s})
		again := defaultSample()
		if err := setCanonical(&again, valuesOf(t, canonical)); err != nil {
			t.Fatalf("the canonical text %s is refused: %v", canonical, err)
		}
		if back := setting.Canonical("1", map[string]any{"": again}); string(back) != string(canonical) {
			t.Errorf("%s became %s", canonical, back)
		}
	})
}
