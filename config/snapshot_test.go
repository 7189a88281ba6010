package config

import (
	"slices"
	"strings"
	"testing"

	"github.com/unecho/unecho/index/setting"
)

// TestSnapshotStores: a store is chosen by its section. The settings of the one that is chosen are checked, and those of
// another decide nothing. A higher layer outranks what a lower one says of another store. No message shows the URL, which
// may hold a password.
func TestSnapshotStores(t *testing.T) {
	const url, path = "snapshots.postgres.url=postgres://u:secret@h/d", "snapshots.directory.path=d"
	for name, c := range map[string]struct{ env, sets, keys string }{
		"directory":                    {sets: path},
		"of all members":               {sets: path + " snapshots.directory.for=all"},
		"database":                     {sets: url + " snapshots.postgres.schema=mine"},
		"another scheme":               {sets: "snapshots.postgres.url=postgresql://h"},
		"nothing":                      {keys: "snapshots.directory.path"},
		"a schema and no database":     {sets: "snapshots.postgres.schema=mine", keys: "snapshots.directory.path"},
		"bucket":                       {sets: "snapshots.s3.bucket=b snapshots.s3.region=eu-central-1"},
		"bucket and another":           {sets: "snapshots.s3.bucket=b " + path, keys: "snapshots.s3.bucket"},
		"not a bucket":                 {sets: "snapshots.s3.bucket=s3://b", keys: "snapshots.s3.bucket"},
		"a secret in an address":       {sets: "snapshots.s3.bucket=b snapshots.s3.endpoint=http://u:secret@h", keys: "snapshots.s3.endpoint"},
		"not a URL":                    {sets: "snapshots.postgres.url=secret", keys: "snapshots.postgres.url"},
		"both":                         {sets: path + " " + url, keys: "snapshots.postgres.url"},
		"both of one lower layer":      {env: path + " " + url, keys: "snapshots.postgres.url"},
		"of nobody":                    {sets: path + " snapshots.directory.for=", keys: "snapshots.directory.for"},
		"of somebody":                  {sets: path + " snapshots.directory.for=true", keys: "snapshots.directory.for"},
		"whose a database is":          {sets: url + " snapshots.directory.for=all", keys: "snapshots.directory.for"},
		"a schema of a directory":      {sets: path + " snapshots.postgres.schema=mine", keys: "snapshots.postgres.schema"},
		"the database of a lower one":  {env: url + " snapshots.postgres.schema=mine", sets: path},
		"the directory of a lower one": {env: path + " snapshots.directory.for=all", sets: url},
		"a lower one taken back":       {env: path, sets: "snapshots.directory.path=", keys: "snapshots.directory.path"},
		"with other mistakes":          {sets: "snapshots.every=0s", keys: "snapshots.directory.path snapshots.every"},
		"quoted schema":                {sets: "snapshots.postgres.schema=\"x\" " + url, keys: "snapshots.postgres.schema"},
		"system schema":                {sets: "snapshots.postgres.schema=pg_x " + url, keys: "snapshots.postgres.schema"},
		"no schema":                    {sets: "snapshots.postgres.schema= " + url, keys: "snapshots.postgres.schema"},
		"long schema":                  {sets: "snapshots.postgres.schema=" + strings.Repeat("x", 64) + " " + url, keys: "snapshots.postgres.schema"},
	} {
		t.Run(name, func(t *testing.T) {
			var env []string
			for _, set := range strings.Fields(c.env) {
				key, value, _ := strings.Cut(set, "=")
				env = append(env, envName(key)+"="+value)
			}
			_, err := ResolveSections(Default(), []string{"snapshots"}, "", env, strings.Fields(c.sets))
			mistakes, _ := err.(Mistakes) //nolint:errorlint // it is of that type, or nil
			var keys []string
			for _, m := range mistakes {
				keys = append(keys, m.Key)
				if strings.Contains(m.String(), "secret") || m.Remedy == "" {
					t.Errorf("the mistake is %v; want a remedy, and no secret", m)
				}
			}
			slices.Sort(keys)
			if got := strings.Join(keys, " "); got != c.keys {
				t.Errorf("mistakes in %q, want %q: %v", got, c.keys, err)
			}
		})
	}
}

// TestStores: each kind of store has its settings in a section of SnapshotParams, and is chosen by one of them.
func TestStores(t *testing.T) {
	for _, s := range DefaultSnapshotParams().stores() {
		if s.chosen {
			t.Errorf("%s is chosen by nothing", s.section)
		}
		c := Default()
		fieldOf(t, &c, setting.Join("snapshots", s.place)).Set("/somewhere")
		if chosen := c.Snapshot.chosen(); len(chosen) != 1 || chosen[0].place != s.place {
			t.Errorf("%s chooses %v", s.place, chosen)
		}
		for _, f := range setting.Fields(s.Opener) {
			fieldOf(t, &c, setting.Join("snapshots", setting.Join(s.section, f.Key)))
		}
	}
}
