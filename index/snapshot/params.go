package snapshot

import (
	"regexp"
	"strings"
	"time"

	"github.com/unecho/unecho/index/setting"
)

// Names of the stores.
const (
	Directory = "directory"
	Postgres  = "postgres"
)

// Params say where snapshots are stored and how often they are taken. None of them decides a verdict.
type Params struct {
	Store     string        `key:"store" doc:"where snapshots are kept" enum:"directory|postgres"`
	Directory string        `key:"directory" doc:"the directory for snapshots, with store: directory" example:"/var/lib/unecho/snapshots"`
	Shared    bool          `key:"shared" doc:"with store: directory: all members see this same directory; without it the journal is never trimmed"`
	URL       string        `key:"postgres_url" doc:"the database, with store: postgres; connect directly or through a pooler in session mode" example:"postgres://unecho@db.example.org:5432/unecho?sslmode=verify-full" secret:"true"`
	Schema    string        `key:"schema" doc:"the schema of unecho's tables, created if missing and allowed"`
	Every     time.Duration `key:"every" doc:"how often a snapshot is taken" example:"60s"`
	Keep      int           `key:"keep" doc:"how many snapshots are kept; the journal is trimmed below the second newest"`
}

// DefaultParams returns the defaults. A directory or a database must still be set.
func DefaultParams() Params {
	return Params{Store: Directory, Schema: "unecho", Every: time.Minute, Keep: 3}
}

// Validate returns every mistake. It never shows the URL, which may contain a password.
func (p Params) Validate() []setting.Mistake {
	mistakes := setting.Misspelt(p)
	switch p.Store {
	case Directory:
		mistakes = append(mistakes, p.validateDirectory()...)
	case Postgres:
		mistakes = append(mistakes, p.validatePostgres()...)
	}
	if p.Every < time.Second {
		mistakes = append(mistakes, setting.Wrong("every", p.Every, "is too often",
			"write a duration of at least 1s, such as 60s"))
	}
	if p.Keep < 2 || p.Keep > 1000 {
		mistakes = append(mistakes, setting.Wrong("keep", p.Keep, "is out of bounds",
			"write 2 to 1000: one to restore, and one to fall back on"))
	}
	return mistakes
}

func (p Params) validateDirectory() []setting.Mistake {
	var mistakes []setting.Mistake
	if p.Directory == "" {
		mistakes = append(mistakes, setting.Mistake{
			Key: "directory", Problem: "is missing",
			Remedy: "write the path of a directory that outlives the process, or set store to postgres",
		})
	}
	if p.URL != "" {
		mistakes = append(mistakes, setting.Mistake{
			Key: "postgres_url", Problem: "is set, but store is directory",
			Remedy: "set store to postgres, or remove it",
		})
	}
	return mistakes
}

func (p Params) validatePostgres() []setting.Mistake {
	var mistakes []setting.Mistake
	const write = "write postgres://user:password@host:5432/database"
	switch {
	case p.URL == "":
		mistakes = append(mistakes, setting.Mistake{Key: "postgres_url", Problem: "is missing", Remedy: write})
	case !strings.HasPrefix(p.URL, "postgres://") && !strings.HasPrefix(p.URL, "postgresql://"):
		mistakes = append(mistakes, setting.Mistake{Key: "postgres_url", Problem: "is not a PostgreSQL URL", Remedy: write})
	}
	if p.Directory != "" {
		mistakes = append(mistakes, setting.Wrong("directory", p.Directory, "is set, but store is postgres",
			"set store to directory, or remove it"))
	}
	if !plainIdentifier(p.Schema) {
		mistakes = append(mistakes, setting.Wrong("schema", p.Schema, "is not a plain schema name",
			"write a to z, 0 to 9 and _, at most 63, beginning with a letter, not with pg_"))
	}
	return mistakes
}

func plainIdentifier(s string) bool {
	ok, err := regexp.MatchString(`^[a-z_][a-z0-9_]{0,62}$`, s)
	return err == nil && ok && !strings.HasPrefix(s, "pg_")
}
