package config

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/unecho/unecho/index/setting"
)

var update = flag.Bool("update", false, "rewrite the golden files and the table in configuration.md")

// sample is a small configuration that does not change when a room does.
type sample struct {
	Server sampleServer `key:"server" doc:"Where it is."`
	Cache  sampleCache  `key:"cache"`
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
	On    bool          `key:"on" doc:"whether"`
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
