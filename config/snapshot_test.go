package config

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/unecho/unecho/index/setting"
)

// TestSnapshotStores: the settings of the store that is chosen are checked, and those of another decide nothing. A flag
// outranks what a file says of another store. No message shows the URL, which may hold a password.
func TestSnapshotStores(t *testing.T) {
	const url = "snapshot.postgres_url=postgres://u:secret@h/d"
	for name, c := range map[string]struct{ env, sets, keys string }{
		"directory":                   {sets: "snapshot.directory=d"},
		"database":                    {sets: "snapshot.store=postgres " + url},
		"another scheme":              {sets: "snapshot.store=postgres snapshot.postgres_url=postgresql://h"},
		"nothing":                     {keys: "snapshot.directory"},
		"no such store":               {sets: "snapshot.store=s3 snapshot.directory=d " + url, keys: "snapshot.store"},
		"no URL":                      {sets: "snapshot.store=postgres", keys: "snapshot.postgres_url"},
		"not a URL":                   {sets: "snapshot.store=postgres snapshot.postgres_url=secret", keys: "snapshot.postgres_url"},
		"both":                        {sets: "snapshot.directory=d " + url, keys: "snapshot.postgres_url"},
		"both, a database":            {sets: "snapshot.store=postgres snapshot.directory=d " + url, keys: "snapshot.directory"},
		"shared":                      {sets: "snapshot.store=postgres snapshot.shared=true " + url, keys: "snapshot.shared"},
		"a schema of a directory":     {sets: "snapshot.directory=d snapshot.schema=mine", keys: "snapshot.schema"},
		"the database of a lower one": {env: url, sets: "snapshot.store=directory snapshot.directory=d"},
		"with other mistakes":         {sets: "snapshot.keep=1 snapshot.every=0s", keys: "snapshot.directory snapshot.every snapshot.keep"},
		"quoted schema":               {sets: "snapshot.store=postgres snapshot.schema=\"x\" " + url, keys: "snapshot.schema"},
		"system schema":               {sets: "snapshot.store=postgres snapshot.schema=pg_x " + url, keys: "snapshot.schema"},
		"no schema":                   {sets: "snapshot.store=postgres snapshot.schema= " + url, keys: "snapshot.schema"},
		"long schema":                 {sets: "snapshot.store=postgres snapshot.schema=" + strings.Repeat("x", 64) + " " + url, keys: "snapshot.schema"},
	} {
		t.Run(name, func(t *testing.T) {
			var env []string
			for _, set := range strings.Fields(c.env) {
				key, value, _ := strings.Cut(set, "=")
				env = append(env, envName(key)+"="+value)
			}
			_, err := ResolveSections(Default(), []string{"snapshot"}, "", env, strings.Fields(c.sets))
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

// TestStores: each kind of store has its settings in SnapshotParams, with their defaults, and no two have one name.
func TestStores(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range setting.Fields(SnapshotParams{}) {
		if seen[f.Key] {
			t.Errorf("two stores have a setting %s", f.Key)
		}
		seen[f.Key] = true
	}
	for _, s := range stores() {
		if kind := reflect.TypeOf(s.of(SnapshotParams{})).Kind(); kind != reflect.Struct {
			t.Fatalf("the settings of store %s are a %v", s.name, kind)
		}
		for _, f := range setting.Fields(s.of(SnapshotParams{})) {
			if !seen[f.Key] || StoreOf([]string{"snapshot." + f.Key}) != s.name {
				t.Errorf("setting %s of store %s is not in SnapshotParams", f.Key, s.name)
			}
		}
	}
	if got := StoreOf([]string{"snapshot.directory", "snapshot.schema"}); got != "" {
		t.Errorf("settings of two stores choose %s", got)
	}
}
