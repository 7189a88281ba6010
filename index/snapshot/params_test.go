package snapshot

import (
	"strings"
	"testing"
	"time"
)

func TestValidate(t *testing.T) {
	directory := func(change func(p *Params)) Params {
		p := DefaultParams()
		p.Directory = "/data"
		change(&p)
		return p
	}
	database := func(change func(p *Params)) Params {
		p := DefaultParams()
		p.Store, p.URL = Postgres, "postgres://u:secret@h/d"
		change(&p)
		return p
	}
	for name, test := range map[string]struct {
		p    Params
		keys string
	}{
		"directory":       {directory(func(*Params) {}), ""},
		"database":        {database(func(*Params) {}), ""},
		"other scheme":    {database(func(p *Params) { p.URL = "postgresql://h" }), ""},
		"defaults":        {DefaultParams(), "directory"},
		"no store":        {directory(func(p *Params) { p.Store = "s3" }), "store"},
		"both, directory": {directory(func(p *Params) { p.URL = "postgres://u:secret@h/d" }), "postgres_url"},
		"both, database":  {database(func(p *Params) { p.Directory = "/data" }), "directory"},
		"no URL":          {database(func(p *Params) { p.URL = "" }), "postgres_url"},
		"not a URL":       {database(func(p *Params) { p.URL = "host=h password=secret" }), "postgres_url"},
		"quoted schema":   {database(func(p *Params) { p.Schema = `x"; drop` }), "schema"},
		"no schema":       {database(func(p *Params) { p.Schema = "" }), "schema"},
		"system schema":   {database(func(p *Params) { p.Schema = "pg_x" }), "schema"},
		"long schema":     {database(func(p *Params) { p.Schema = strings.Repeat("x", 64) }), "schema"},
		"several mistakes": {
			directory(func(p *Params) { p.Every, p.Keep, p.Directory = 0, 1, "" }),
			"directory every keep",
		},
		"too many kept":      {directory(func(p *Params) { p.Keep = 1001 }), "keep"},
		"every a nanosecond": {directory(func(p *Params) { p.Every = time.Nanosecond }), "every"},
	} {
		t.Run(name, func(t *testing.T) {
			var keys []string
			for _, m := range test.p.Validate() {
				keys = append(keys, m.Key)
				if strings.Contains(m.String(), "secret") || m.Remedy == "" {
					t.Errorf("the mistake is %v; want a remedy, and no secret", m)
				}
			}
			if got := strings.Join(keys, " "); got != test.keys {
				t.Errorf("mistakes in %q, want %q", got, test.keys)
			}
		})
	}
}
