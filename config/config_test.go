package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/index/setting"
)

// oneSource has the defaults, and a source that has its own.
func oneSource() Config {
	c := Default()
	c.Sources = []document.Source{document.DefaultSource()}
	return c
}

// A setting without a default has to be set. Nothing else may be wrong with the defaults.
func TestDefaultsLackOnlyWhatMustBeSaid(t *testing.T) {
	var missing []string
	for _, m := range Default().Validate() {
		missing = append(missing, m.Key)
	}
	if got, want := strings.Join(missing, " "), "group kafka.brokers sources.topics snapshots.directory.path"; got != want {
		t.Errorf("mistakes in the defaults at %s, want %s", got, want)
	}
}

func TestEverySettingIsDocumented(t *testing.T) {
	for _, f := range setting.Shape(Default()) {
		if f.Doc == "" {
			t.Errorf("%s has no doc", f.Key)
		}
		if strings.Contains(f.Doc, "\n") {
			t.Errorf("%s: the doc is more than one line", f.Key)
		}
		if f.Example != "" && f.Kind() != setting.List {
			c := Default()
			l := newLoader(&c, "")
			key, _ := l.only(setting.Plain(f.Key), Origin{})
			if m := l.leaves[key].Set(f.Example); m != nil {
				t.Errorf("the example of %s is refused: %s", f.Key, m)
			}
		}
	}
}

func fieldOf(t *testing.T, c *Config, key string) setting.Field {
	t.Helper()
	f, ok := newLoader(c, "").leaves[key]
	if !ok {
		t.Fatalf("no setting %s", key)
	}
	return f
}

func TestKeysAndVariablesAreUnique(t *testing.T) {
	c := Default()
	keys, variables := map[string]bool{}, map[string]string{}
	l := newLoader(&c, "")
	for _, key := range l.known {
		if keys[key] {
			t.Errorf("%s is there twice", key)
		}
		keys[key] = true
		if l.shape[key].Section() {
			continue
		}
		if other := variables[envName(key)]; other != "" {
			t.Errorf("%s is the variable of %s and of %s", envName(key), other, key)
		}
		variables[envName(key)] = key
		if strings.HasPrefix(envName(key), testPrefix) || kubernetesLink.MatchString(envName(key)) {
			t.Errorf("%s would not be read", envName(key))
		}
	}
}

// A change of this value makes members of the versions before and after refuse to run together: it belongs into the
// CHANGELOG.
func TestSettingsInTheJournal(t *testing.T) {
	golden(t, "settings.json", strings.ReplaceAll(string(oneSource().Settings()), `,"`, ",\n\"")+"\n")
}

func TestSettingsOfEveryRoom(t *testing.T) {
	base := oneSource()
	for _, key := range []string{
		"duplicates.threshold=0.9", "duplicates.remember.age=1h", "sources[0].format=json", "advanced.max_document_bytes=2MiB",
	} {
		name, value, _ := strings.Cut(key, "=")
		c := oneSource()
		if m := fieldOf(t, &c, name).Set(value); m != nil {
			t.Fatalf("setting %s is refused: %v", key, m)
		}
		if lines := setting.Diff(c.Settings(), base.Settings()); len(lines) != 1 ||
			!strings.HasPrefix(lines[0], name+": "+value+" here, ") {
			t.Errorf("with %s, the settings differ in %q; want one line, with this value here", key, lines)
		}
	}
	for _, key := range []string{
		"log.level=debug", "kafka.sasl.password=hunter2", "advanced.sessions=3",
		"snapshots.every=5s",
	} {
		name, value, _ := strings.Cut(key, "=")
		c := oneSource()
		if m := fieldOf(t, &c, name).Set(value); m != nil {
			t.Fatalf("setting %s is refused: %v", key, m)
		}
		if lines := setting.Diff(c.Settings(), base.Settings()); len(lines) > 0 {
			t.Errorf("%s decides verdicts: %q", key, lines)
		}
	}
}

// Each room judges its own section, under its own name.
func TestEveryRoomIsValidated(t *testing.T) {
	for _, set := range []string{
		"kafka.brokers=a", "sources.topics=", "sources.id=x", "duplicates.recall=2", "duplicates.remember.keys=-1s",
		"duplicates.compare_copies=x",
		"outputs.unique.topic=", "snapshots.every=0s", "advanced.sessions=0", "http.listen=x",
		"advanced.max_document_bytes=0", "advanced.pass_after=10ms",
	} {
		key, _, _ := strings.Cut(set, "=")
		_, err := Load("", nil, []string{"kafka.brokers=a:1", "sources.topics=t", "group=g", "snapshots.directory.path=d", set})
		var mistakes Mistakes
		if !errors.As(err, &mistakes) || len(mistakes) != 1 || setting.Plain(mistakes[0].Key) != key || mistakes[0].At.Layer != FromFlag {
			t.Errorf("%s: %v, want one mistake at %s", set, err, key)
		}
	}
}

func TestOwnParams(t *testing.T) {
	for set, want := range map[string]string{
		"http.listen=9464":                "http.listen: 9464: is no address",
		"http.listen=:http":               "is no address",
		"http.listen=h:65536":             "is no address",
		"http.tls.cert_file=/etc/tls.crt": "http.tls.key_file: is missing; name the private key",
		"http.tls.key_file=/etc/tls.key":  "http.tls.cert_file: is missing; name the certificate",
		"http.ingest.rate=0":              "http.ingest.rate: 0: takes no documents",
		"http.token=short":                "http.token: has fewer than 16 characters",
		"log.level=loud": "log.level: loud: is not one of the choices; write debug, info, warn or " +
			"error",
		"log.format=xml": "write auto, console or json",
	} {
		_, err := Load("", nil, []string{set, "kafka.brokers=a:1", "sources.topics=t", "group=g", "snapshots.directory.path=d"})
		var mistakes Mistakes
		if !errors.As(err, &mistakes) || len(mistakes) != 1 || !strings.Contains(mistakes[0].String(), want) {
			t.Errorf("%s: %v, want %s", set, err, want)
		}
	}
	c, err := Load("", nil, []string{
		"http.listen=", "kafka.brokers=a:1", "sources.topics=t", "group=g",
		"snapshots.directory.path=d",
	})
	if err != nil || c.HTTP.Listen != "" {
		t.Errorf("Load listens on %q, error %v; want no address, and no error", c.HTTP.Listen, err)
	}
}

func TestOpsWarnings(t *testing.T) {
	for _, step := range []struct {
		sets   string
		warned bool
	}{
		{"http.listen=:9464 http.token=0123456789abcdef", true},
		{"http.listen=:9464", false},
		{"http.listen= http.token=0123456789abcdef", false},
		{"http.token=0123456789abcdef", false},
		{"http.listen=localhost:1 http.token=0123456789abcdef", false},
		{"http.listen=:1 http.token=0123456789abcdef http.tls.cert_file=/a.crt http.tls.key_file=/a.key", false},
	} {
		c, err := Load("", nil, append(strings.Fields(step.sets), "kafka.brokers=a:1", "sources.topics=t", "group=g",
			"snapshots.directory.path=d"))
		if got := c.HTTP.Warnings(); err != nil || (len(got) == 1) != step.warned || step.warned && got[0].Key != "listen" {
			t.Errorf("with %s, the warnings are %v, error %v; want a warning of listen: %t, and no error", step.sets, got, err, step.warned)
		}
	}
}

// TestReadToken: what a token of a file must be when the process starts, it must be later, too.
func TestReadToken(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("the first of some length\n")
	c, err := Load("", nil, []string{
		"http.token_file=" + path, "kafka.brokers=a:1", "sources.topics=t", "group=g",
		"snapshots.directory.path=d",
	})
	if err != nil || c.HTTP.Token != "the first of some length" || c.HTTP.TokenFile != path {
		t.Fatalf("Load gives the ops settings %+v, error %v; want the token in the file %s, its path, and no error", c.HTTP, err, path)
	}
	for text, want := range map[string]string{
		"the second of some length\n": "", "short": "fewer than 16",
		"\n": "is empty", strings.Repeat("\x00", 32): "bytes of zero", "the third\nof some length": "control characters",
		" the fourth of some length": "blank at an end",
	} {
		write(text)
		switch got, err := c.HTTP.ReadToken(); {
		case want == "" && (err != nil || got != strings.TrimSpace(text)):
			t.Errorf("ReadToken of a file with %q gives %q, error %v; want the text without its line end, and no error", text, got, err)
		case want != "" && (err == nil || got != "" || !strings.Contains(err.Error(), want)):
			t.Errorf("%q: %q, %v, want %s", text, got, err, want)
		}
	}
}

func TestExamplesHaveNoMistakes(t *testing.T) {
	for _, file := range []string{"../deploy/unecho.example.yaml", "../deploy/examples/unecho.yaml"} {
		if _, err := Load(file, nil, nil); err != nil {
			t.Error(err)
		}
	}
}

// The table of the page is generated from the settings.
func TestPageHasTheTable(t *testing.T) {
	const path = "../deploy/docs/configuration.md"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begins := strings.Cut(string(text), TableBegin+"\n")
	there, after, ends := strings.Cut(rest, TableEnd)
	if !begins || !ends {
		t.Fatalf("configuration.md lacks the lines %s and %s, between which the settings stand", TableBegin, TableEnd)
	}
	if there == Table() {
		return
	}
	if !*update {
		t.Fatal("the settings in configuration.md are not those of the program; run: go test ./config -update")
	}
	if err := os.WriteFile(path, []byte(before+TableBegin+"\n"+Table()+TableEnd+after), 0o644); err != nil {
		t.Fatal(err)
	}
}
