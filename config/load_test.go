package config

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/unecho/unecho/index/setting"
)

// Each file in testdata/mistakes has a file beside it with its mistakes as they are printed.
func TestMistakes(t *testing.T) {
	files, err := filepath.Glob("testdata/mistakes/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			_, _, mistakes := loadSample(string(text), nil, nil)
			if len(mistakes) == 0 {
				t.Fatal("no mistakes")
			}
			if strings.Contains(mistakes.Error(), "hunter2") {
				t.Errorf("the secret is shown:\n%s", mistakes)
			}
			golden(t, "mistakes/"+name+".txt", mistakes.Error()+"\n")
		})
	}
}

func TestMistakesOfVariablesAndFlags(t *testing.T) {
	_, _, mistakes := loadSample("", []string{
		"UNECHO_CACHE_MOOD=hunter2", "UNECHO_CACHE_BITS=many", "UNECHO_SERVER_LOGIN_PASSWORD=x", "UNECHO_QUITE_OTHER=hunter2",
		"UNECHO_SERVER_NAME=\xff", "UNECHO_TEST_KAFKA=here", "HOME=/root", "UNECHO_CACHE=x",
	}, []string{
		"cache.ratio=2", "cache.agee=1s", "server", "server.login.password:hunter2", "cache=3", "cache.on", "cache.age=1y",
		"=hunter2", "", "server.hosts", "cache.agee=2s",
	})
	golden(t, "layers.txt", mistakes.Error()+"\n")
	if strings.Contains(mistakes.Error(), "hunter2") {
		t.Error("a secret is shown")
	}
}

func TestLayersOutrankEachOther(t *testing.T) {
	const file = "server: {hosts: [file:1], name: file}\ncache: {age: 1s, mode: safe, on: true}\n"
	s, origins, mistakes := loadSample(file,
		[]string{"UNECHO_SERVER_NAME=env", "UNECHO_CACHE_AGE=2s", "UNECHO_SERVER_HOSTS=env:1, env:2"},
		[]string{"cache.age=3s", "cache.age=4s"})
	if len(mistakes) > 0 {
		t.Fatalf("the sample has the mistakes %v; want none", mistakes)
	}
	want := defaultSample()
	want.Server.Hosts, want.Server.Name = []string{"env:1", "env:2"}, "env"
	want.Cache.Age, want.Cache.Mode, want.Cache.On = 4*time.Second, "safe", true
	if !reflect.DeepEqual(s, want) {
		t.Errorf("got  %+v\nwant %+v", s, want)
	}
	for key, want := range map[string]string{
		"server.name": "UNECHO_SERVER_NAME", "cache.age": "command line", "cache.mode": "f.yaml:2", "cache.size": "default",
	} {
		if got := origins[key].String(); got != want {
			t.Errorf("%s comes from %s, want %s", key, got, want)
		}
	}
}

func TestResolveSections(t *testing.T) {
	sections := []string{"snapshots", "index"}
	c, err := ResolveSections(Default(), sections, "", nil, []string{"snapshots.directory.path=d", "duplicates.remember.documents=7"})
	if err != nil || c.Snapshot.Directory.Path != "d" || c.Judge.Duplicates.Remember.Documents != 7 {
		t.Errorf("ResolveSections gives the snapshot settings %+v and a window of %v, error %v; want directory d, a window of 7, and no error",
			c.Snapshot, c.Judge.Duplicates.Remember.Documents, err)
	}
	_, err = ResolveSections(Default(), sections, "", nil, []string{"duplicates.slots=0", "snapshots.colour=red", "duplicates.remember.age=long"})
	var mistakes Mistakes
	if !errors.As(err, &mistakes) || len(mistakes) != 3 { // unreadable values are reported wherever they stand; slots is not validated
		t.Errorf("ResolveSections says %v; want 3 mistakes", err)
	}
	path := filepath.Join(t.TempDir(), "unecho.yaml")
	for text, want := range map[string]int{
		"http: {token_file: /none/token}\nkafka: {brokers: ['${NONE}'], sasl: {password_file: /none/password}}\nsources: [{scope: '${NONE}'}]\nsnapshots: {directory: {path: d}}\n": 0,
		"snapshots: {postgres: {url_file: /none/url}, directory: {path: '${NONE}'}}\n":                                                                                              2,
	} {
		if err := os.WriteFile(path, []byte(text+"group: news\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		mistakes = nil
		_, err = ResolveSections(Default(), sections, path, nil, nil)
		if errors.As(err, &mistakes); len(mistakes) != want {
			t.Errorf("of %s ResolveSections says %v; want %d mistakes: secrets and variables of other sections are not missed", text, err, want)
		}
	}
}

func TestYAMLThatIsTaken(t *testing.T) {
	for name, c := range map[string]struct {
		text   string
		change func(*sample)
	}{
		"words that look otherwise": {"server: {hosts: [1, true, 1.50], name: 007}", func(s *sample) {
			s.Server.Hosts, s.Server.Name = []string{"1", "true", "1.50"}, "007"
		}},
		"Windows line ends": {"server:\r\n  hosts: [a]\r\n  name: eve\r\n", func(s *sample) { s.Server.Name = "eve" }},
		"byte order mark":   {"\ufeffserver: {hosts: [a]}", func(*sample) {}},
		"empty sections":    {"server:\n  hosts: [a]\n  login:\n   # user: x\ncache:\n", func(*sample) {}},
		"empty string":      {"server: {hosts: [a], name: ''}", func(s *sample) { s.Server.Name = "" }},
		"document end":      {"---\nserver: {hosts: [a]}\n...\n", func(*sample) {}},
		"anchors":           {"server: {hosts: [&x a], name: *x}", func(s *sample) { s.Server.Name = "a" }},
		"merge": {"server: {hosts: [a], login: &l {user: u, password: p2}}\ncache: {<<: {age: 5s, on: true}, age: 6s}", func(s *sample) {
			s.Server.Login = sampleUser{"u", "p2"}
			s.Cache.Age, s.Cache.On = 6*time.Second, true
		}},
		"merge of several": {"server: {hosts: [a]}\ncache: {<<: [{age: 5s}, {age: 6s, on: true}]}", func(s *sample) {
			s.Cache.Age, s.Cache.On = 5*time.Second, true
		}},
		"multi-line": {"server:\n  hosts:\n  - a\n  name: >-\n    two\n    words\n", func(s *sample) { s.Server.Name = "two words" }},
	} {
		t.Run(name, func(t *testing.T) {
			want := defaultSample()
			want.Server.Hosts = []string{"a"}
			c.change(&want)
			got, _, mistakes := loadSample(c.text, nil, nil)
			if len(mistakes) > 0 || !reflect.DeepEqual(got, want) {
				t.Errorf("got  %+v, %v\nwant %+v", got, mistakes, want)
			}
		})
	}
}

func TestSecretsFromFiles(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	lf, crlf, spaces := file("lf", "from lf\n"), file("crlf", "from crlf\r\n"), file("spaces", " two lines\n\n")
	long, empty := file("long", strings.Repeat("x", maxSecret+1)), file("empty", "\n")
	for name, c := range map[string]struct {
		text          string
		environ, sets []string
		want, mistake string
	}{
		"file":                {text: "password_file: " + lf, want: "from lf"},
		"Windows line end":    {text: "password_file: " + crlf, want: "from crlf"},
		"one newline only":    {text: "password_file: " + spaces, want: " two lines\n"},
		"variable":            {environ: []string{"UNECHO_SERVER_LOGIN_PASSWORD_FILE=" + lf}, want: "from lf"},
		"flag":                {sets: []string{"server.login.password_file=" + lf}, want: "from lf"},
		"variable over file":  {text: "password_file: /nowhere/at/all", environ: []string{"UNECHO_SERVER_LOGIN_PASSWORD=env"}, want: "env"},
		"file over text":      {text: "password: text", environ: []string{"UNECHO_SERVER_LOGIN_PASSWORD_FILE=" + lf}, want: "from lf"},
		"flag over both":      {text: "password_file: " + lf, environ: []string{"UNECHO_SERVER_LOGIN_PASSWORD=env"}, sets: []string{"server.login.password=set"}, want: "set"},
		"both variables":      {environ: []string{"UNECHO_SERVER_LOGIN_PASSWORD=hunter2", "UNECHO_SERVER_LOGIN_PASSWORD_FILE=" + lf}, mistake: "is given beside"},
		"both flags":          {sets: []string{"server.login.password_file=" + lf, "server.login.password=hunter2"}, mistake: "is given beside"},
		"empty":               {text: "password_file: " + empty, mistake: "the file is empty"},
		"too long":            {text: "password_file: " + long, mistake: "the file is too large"},
		"a directory":         {text: "password_file: " + dir, mistake: "this is a directory"},
		"not UTF-8":           {text: "password_file: " + file("noise", "hunter2\xff"), mistake: "is not valid UTF-8"},
		"too short, by rooms": {text: "password_file: " + file("short", "?"), mistake: "f.yaml:2: server.login.password: is too short"},
	} {
		t.Run(name, func(t *testing.T) {
			text := "server: {hosts: [a], login: {\n" + c.text + "}}"
			s, origins, mistakes := loadSample(text, c.environ, c.sets)
			if c.mistake != "" {
				if len(mistakes) != 1 || !strings.Contains(mistakes.Error(), c.mistake) || strings.Contains(mistakes.Error(), "hunter2") {
					t.Errorf("got %v, want one mistake: %s", mistakes, c.mistake)
				}
				return
			}
			if len(mistakes) > 0 || s.Server.Login.Password != c.want {
				t.Errorf("got %q, %v; want %q", s.Server.Login.Password, mistakes, c.want)
			}
			if read := strings.HasPrefix(c.want, "from") || strings.HasPrefix(c.want, " two"); read != (origins["server.login.password"].Via != "") {
				t.Errorf("origin %s", origins["server.login.password"])
			}
		})
	}
}

// A Service named unecho puts these into every pod of its namespace.
func TestKubernetesLinksAreNoSettings(t *testing.T) {
	_, _, mistakes := loadSample("server: {hosts: [a]}", []string{
		"UNECHO_SERVICE_HOST=10.0.0.1", "UNECHO_SERVICE_PORT=9464", "UNECHO_SERVICE_PORT_METRICS=9464", "UNECHO_PORT=tcp://10.0.0.1:9464",
		"UNECHO_PORT_9464_TCP=tcp://10.0.0.1:9464", "UNECHO_PORT_9464_TCP_PROTO=tcp", "UNECHO_PORT_9464_TCP_PORT=9464",
		"UNECHO_PORT_9464_TCP_ADDR=10.0.0.1", "UNECHO_HTTP_SERVICE_HOST=10.0.0.2",
	}, nil)
	if len(mistakes) > 0 {
		t.Errorf("the variables that Kubernetes sets are told as the mistakes %v; want none", mistakes)
	}
	if _, _, mistakes := loadSample("server: {hosts: [a]}", []string{"UNECHO_HTTP_PORT=9464"}, nil); len(mistakes) != 1 {
		t.Errorf("a port that is no link: %v", mistakes)
	}
}

func TestFilesThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	large := filepath.Join(dir, "large.yaml")
	if err := os.WriteFile(large, []byte(strings.Repeat("#", maxFile+1)), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		filepath.Join(dir, "absent.yaml"): "the file does not exist; write one with: unecho config init -o ",
		dir:                               "this is a directory",
		large:                             "the file is too large",
	} {
		_, err := Load(path, []string{"UNECHO_TYPO=1"}, nil)
		var mistakes Mistakes
		if !errors.As(err, &mistakes) || len(mistakes) != 2 || !strings.Contains(mistakes[0].String(), want) || mistakes[0].At.Name != path {
			t.Errorf("%s: %v, want %s, and the variable", path, err, want)
		}
	}
}

func TestMistakesAreCounted(t *testing.T) {
	if one, two := make(Mistakes, 1).Count(), make(Mistakes, 2).Count(); one != "1 mistake" || two != "2 mistakes" {
		t.Errorf("1 and 2 mistakes are counted as %q and %q; want 1 mistake and 2 mistakes", one, two)
	}
}

func FuzzLoad(f *testing.F) {
	files, err := filepath.Glob("testdata/mistakes/*.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text, "UNECHO_CACHE_AGE=1s", "cache.age=1s")
	}
	f.Add([]byte("a: &a {b: *a, <<: *a}"), "UNECHO_SERVER_HOSTS=,", "=")
	f.Add([]byte("server: &s {name: &n '${A:$${}${', hosts: [*n, *s]}"), "A=1", "=")
	f.Fuzz(func(t *testing.T, text []byte, variable, set string) {
		if strings.Contains(string(text)+variable+set, "_file") || strings.Contains(variable, "_FILE") {
			return // only files that the test made
		}
		s := defaultSample()
		l := newLoader(&s, "f.yaml")
		l.variables = variablesOf([]string{variable})
		l.decode(text)
		_, mistakes := l.resolve(func() []setting.Mistake { return s.Validate() }, inputs{environ: []string{variable}, sets: []string{set}})
		if lines := strings.Count(mistakes.Error(), "\n") + 1; len(mistakes) > 0 && lines != len(mistakes) {
			t.Errorf("%d mistakes in %d lines:\n%s", len(mistakes), lines, mistakes)
		}
		for i, m := range mistakes {
			if m.Problem == "" || i > 0 && m.rank() < mistakes[i-1].rank() {
				t.Errorf("mistake %d of %q", i, mistakes)
			}
		}
	})
}
