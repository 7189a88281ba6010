package config

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/unecho/unecho/index/setting"
)

var update = flag.Bool("update", false, "rewrite the golden files and the table in configuration.md")

// sample is a small configuration that does not change when a room does.
type sample struct {
	Server sampleServer `key:"server" doc:"Where it is."`
	Cache  sampleCache  `key:"cache"`
	Rules  []sampleRule `key:"rules" doc:"What is done."`
}

// sampleRule is an element of a list of sections.
type sampleRule struct {
	Paths  []string          `key:"paths" doc:"paths that it is for" example:"[/a, /b]" verdict:"true" omit:""`
	Mode   string            `key:"mode" doc:"how" verdict:"true" omit:"plain"`
	Labels map[string]string `key:"labels" doc:"what is added" example:"team=a" verdict:"true" omit:""`
	Limits sampleLimits      `key:"limits" doc:"Its limits."`
	When   []sampleWhen      `key:"when" doc:"what has to hold; none is always"`
}

type sampleLimits struct {
	Rate int    `key:"rate" doc:"how many"`
	Hint string `key:"hint" doc:"what is told" advanced:"true"`
}

type sampleWhen struct {
	Header string `key:"header" doc:"the header that is asked for" example:"lang" verdict:"true" omit:""`
	Equals string `key:"equals" doc:"what it has to be; every text is fine where nothing is said, and that is how it is with all that is left out" verdict:"true" omit:""`
}

// SetDefaults implements setting.Defaulter.
func (r *sampleRule) SetDefaults() { *r = sampleRule{Mode: "plain", Limits: sampleLimits{Rate: 7}} }

// Choices implements setting.Chooser.
func (sampleRule) Choices(key string) []string {
	return map[string][]string{"mode": {"plain", "odd"}}[key]
}

type sampleServer struct {
	Hosts []string   `key:"hosts" doc:"hosts to ask" example:"[a:1, b:2]"`
	Name  string     `key:"name" doc:"a name | with <signs>" example:"ada" verdict:"true"`
	Login sampleUser `key:"login" doc:"Who we are."`
}

type sampleUser struct {
	User     string `key:"user" doc:"who"`
	Password string `key:"password" doc:"proof" secret:"true"`
}

type sampleCache struct {
	Age   time.Duration `key:"age" doc:"how long" example:"60s" verdict:"true"`
	Size  setting.Bytes `key:"size" doc:"how much" example:"1GiB"`
	Ratio float64       `key:"ratio" doc:"how full"`
	Bits  int           `key:"bits" doc:"how wide" enum:"4|8"`
	Mode  string        `key:"mode" doc:"how" enum:"fast|safe"`
	On    bool          `key:"on" doc:"whether" advanced:"true"`
}

func defaultSample() sample {
	return sample{
		Server: sampleServer{Name: "bob"},
		Cache:  sampleCache{Age: time.Minute, Size: setting.MiB, Ratio: 0.5, Bits: 8, Mode: "fast"},
	}
}

func (s sample) Validate() []setting.Mistake {
	var wrong []setting.Mistake
	if len(s.Server.Hosts) == 0 {
		wrong = append(wrong, setting.Mistake{Key: "server.hosts", Problem: "is missing", Remedy: "name a host"})
	}
	if s.Server.Login.User != "" && s.Server.Login.Password == "" {
		wrong = append(wrong, setting.Mistake{Key: "server.login.password", Problem: "is missing", Remedy: "set it"})
	}
	if len(s.Server.Login.Password) == 1 {
		wrong = append(wrong, setting.Wrong("server.login.password", s.Server.Login.Password, "is too short", "think"))
	}
	for i, r := range s.Rules {
		section := "rules[" + strconv.Itoa(i) + "]"
		wrong = append(wrong, setting.Under(section, setting.Misspelt(r))...)
		if len(r.Paths) == 0 {
			wrong = append(wrong, setting.Mistake{Key: section + ".paths", Problem: "is missing", Remedy: "name a path"})
		}
		if slices.Contains(r.Paths, "x") {
			wrong = append(wrong, setting.Mistake{Key: section + ".paths[0]", Problem: "is no path", Remedy: "write /x"})
		}
		if r.Labels["team"] == "x" {
			wrong = append(wrong, setting.Mistake{Key: section + ".labels[team]", Problem: "is no team", Remedy: "name one"})
		}
	}
	if s.Cache.Ratio > 1 {
		wrong = append(wrong, setting.Wrong("cache.ratio", s.Cache.Ratio, "is too much", "write 0 to 1"))
	}
	return wrong
}

// loadSample loads text as the file f.yaml; empty text is no file.
func loadSample(text string, environ, sets []string) (sample, map[string]Origin, Mistakes) {
	s := defaultSample()
	path := ""
	if text != "" {
		path = "f.yaml"
	}
	l := newLoader(&s, path)
	l.variables = variablesOf(environ)
	l.decode([]byte(text))
	origins, mistakes := l.resolve(func() []setting.Mistake { return s.Validate() }, inputs{environ: environ, sets: sets})
	return s, origins, mistakes
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; if it should, run: go test ./config -update\ngot:\n%s", path, got)
	}
}
