package config

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/unecho/unecho/index/setting"
)

func TestDocuments(t *testing.T) {
	s := defaultSample()
	golden(t, "template.yaml", template(&s, s.Validate()))
	golden(t, "schema.json", schema(&s))
	golden(t, "table.md", table(&s))

	s, origins, mistakes := loadSample(
		"server:\n  hosts: ['a:1', 'yes', '{b}']\n  login: {user: 'ad\\a', password: hunter2}\n"+
			"rules:\n  - {paths: [/a], labels: {z: '1', 'no': x}, when: [{header: lang}, {equals: en, header: b}]}\n  - paths: [/b]\n",
		[]string{"UNECHO_CACHE_AGE=7d"}, []string{"cache.on=true"})
	if len(mistakes) > 0 {
		t.Fatalf("the sample has the mistakes %v; want none", mistakes)
	}
	printed := effective(&s, origins)
	golden(t, "print.yaml", printed)
	if strings.Contains(printed, "hunter2") {
		t.Error("print shows a secret")
	}
}

// The output of config print means the same when it is read again.
func TestPrintIsAConfiguration(t *testing.T) {
	for _, odd := range []string{
		"", " ", "~", "null", "yes", "1e3", "0x1", "#", "a #b", "a: b", "- a", "*a", "&a", "!a", "{a}", "[a]", "'", `"`, `\`,
		"é", "\n", "\t",
		"\u0085\u2028\ufeff", "\x00\x1b", "%a", "@a", "`a", "a,b", "127.0.0.1:9464", "{source}.unique", "</script>",
		"2026-01-01", "12:30:45",
	} {
		s := defaultSample()
		s.Server.Hosts, s.Server.Name = []string{odd, "b"}, odd
		var rule sampleRule
		rule.SetDefaults()
		rule.Paths, rule.Labels, rule.When = []string{"/a", odd}, map[string]string{odd + ".": odd}, []sampleWhen{{}, {Header: odd}}
		s.Rules = []sampleRule{rule, {Paths: []string{"/b"}, Mode: "odd"}}
		got, _, mistakes := loadSample(effective(&s, nil), nil, nil)
		if len(mistakes) > 0 || !reflect.DeepEqual(got, s) {
			t.Errorf("%q: %+v, %v, from\n%s", odd, got, mistakes, effective(&s, nil))
		}
	}
}

func TestTemplateIsAConfiguration(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	untouched, err := Resolve(write("untouched.yaml", Template()), nil, nil)
	if err != nil {
		t.Fatalf("the template as it is:\n%s", err)
	}
	set := regexp.MustCompile(`(?m)^( *)#([a-z])`).ReplaceAllString(Template(), "$1$2")
	all, err := Resolve(write("all.yaml", set), nil, nil)
	if err != nil {
		t.Fatalf("the template with every line set:\n%s", err)
	}
	if string(all.Config.Settings()) != string(untouched.Config.Settings()) || !sameTexts(all.Config, untouched.Config) {
		t.Errorf("the template with every line set means something else:\n%s\nthan as it is:\n%s", all, untouched)
	}
	if n := all.Count(FromDefault); n != 0 {
		t.Errorf("%d settings are not in the template", n)
	}
}

func sameTexts(a, b Config) bool {
	texts := func(c Config) []string {
		var out []string
		for _, f := range setting.Fields(c) {
			out = append(out, f.Text())
		}
		return out
	}
	return slices.Equal(texts(a), texts(b))
}

// The schema must accept at least every duration and size that we write.
func TestSchemaPatternsTakeDefaultsAndExamples(t *testing.T) {
	patterns := map[setting.Kind]*regexp.Regexp{
		setting.Duration: regexp.MustCompile(durationPattern), setting.Size: regexp.MustCompile(sizePattern),
	}
	for _, f := range setting.Fields(Default()) {
		pattern := patterns[f.Kind()]
		if pattern == nil {
			continue
		}
		if !pattern.MatchString(f.Text()) || f.Example != "" && !pattern.MatchString(f.Example) {
			t.Errorf("%s: default %s, example %s do not match", f.Key, f.Text(), f.Example)
		}
	}
	for text, want := range map[string]bool{
		"1d12h": true, "1.5h": true, "1h30m10s": true, "soon": false, "5": false,
		"": false,
	} {
		if got := patterns[setting.Duration].MatchString(text); got != want {
			t.Errorf("%q matches: %v, want %v", text, got, want)
		}
	}
}

// A number that the schema refuses is refused by Load, too, and the default is accepted by both.
func TestSchemaRefusesNumbersAsLoadDoes(t *testing.T) {
	for _, f := range setting.Fields(Default()) {
		if f.Files || len(f.Enum) > 0 {
			continue
		}
		var beyond []string
		switch f.Kind() { //nolint:exhaustive // numbers only
		case setting.Int:
			beyond = []string{"-2"}
		case setting.Float:
			beyond = []string{"0", "-0.5", "1.0001"}
		}
		for _, value := range beyond {
			_, err := Resolve("", nil, []string{f.Key + "=" + value})
			if err == nil || !strings.Contains(err.Error(), f.Key+": "+value+": ") {
				t.Errorf("%s: %s is not refused: %v", f.Key, value, err)
			}
		}
	}
}

func TestSchemaHasEverySetting(t *testing.T) {
	var root map[string]any
	if err := json.Unmarshal([]byte(Schema()), &root); err != nil {
		t.Fatal(err)
	}
	c := Default()
	loader := newLoader(&c, "")
	for _, key := range loader.known {
		at, files := root, loader.shape[key].Files
		for _, name := range strings.Split(key, ".") {
			if items, list := at["items"].(map[string]any); list {
				at = items
			}
			properties, _ := at["properties"].(map[string]any)
			at, _ = properties[name].(map[string]any)
		}
		if (at == nil) != files {
			t.Errorf("%s in the schema: %v; it is for files: %v", key, at != nil, files)
		}
	}
}

// There are few enough settings to be read once (decision 84). The parts of a condition are one of them. The last one came
// with windows larger than memory: where old documents lie is nothing that a process can find out by itself (decision 89), and
// neither is which text does not count (decision 93).
func TestSettingsAreFew(t *testing.T) {
	all, advanced := 0, 0
	for _, f := range setting.Shape(Default()) {
		if f.Section() || f.Files || setting.Parent(setting.Plain(f.Key)) == "sources.when" && f.Name() != "header" {
			continue
		}
		if all++; f.Advanced {
			advanced++
		}
	}
	if all > 98 || 2*advanced < all {
		t.Errorf("%d settings, %d of them advanced; want 89, six of S3, and one each of files, clusters and ignored text at most, and half of them advanced", all, advanced)
	}
}

func TestStartIsAConfiguration(t *testing.T) {
	path := filepath.Join(t.TempDir(), "unecho.yaml")
	if err := os.WriteFile(path, []byte(Start()), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Resolve(path, nil, nil); err != nil {
		t.Errorf("what config init writes is refused: %v:\n%s", err, Start())
	}
}

// A section that a drawn configuration lacks is the first one's.
func TestDrawnConfigurations(t *testing.T) {
	text, err := os.ReadFile("../deploy/docs/decisions/0084-configurations.yaml")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, name := range []string{"registry", "token", "oauth"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("a secret of some length"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, drawn, _ := strings.Cut(strings.ReplaceAll(string(text), "/run/secrets", dir), "\n---\n")
	all, path := strings.Split(drawn, "\n---\n"), filepath.Join(dir, "unecho.yaml")
	for _, one := range all {
		sections := map[string]any{}
		for _, part := range []string{all[0], one} {
			if err := yaml.Unmarshal([]byte(part), sections); err != nil {
				t.Fatalf("%v in\n%s", err, part)
			}
		}
		merged, err := yaml.Marshal(sections)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, merged, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Resolve(path, []string{"PASSWORD=secret"}, nil); err != nil {
			t.Errorf("%v in\n%s", err, one)
		}
	}
	if len(all) != 10 {
		t.Errorf("%d configurations are drawn, want 10", len(all))
	}
}
