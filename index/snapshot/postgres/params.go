package postgres

import (
	"regexp"
	"strings"

	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/index/snapshot"
)

// Params are the settings of a store in PostgreSQL, and open it.
type Params struct {
	URL    string `key:"url" doc:"the database, reached directly or through a pooler in session mode" example:"postgres://unecho@db.example.org:5432/unecho?sslmode=verify-full" secret:"true" called:"url"`
	Schema string `key:"schema" doc:"the schema of unecho's tables, created if missing and allowed" advanced:"true"`
}

var _ snapshot.Opener = Params{}

// DefaultParams returns the defaults. The database must still be set.
func DefaultParams() Params { return Params{Schema: "unecho"} }

// Validate implements snapshot.Opener. The URL may contain a password.
func (p Params) Validate() []setting.Mistake {
	var mistakes []setting.Mistake
	if !strings.HasPrefix(p.URL, "postgres://") && !strings.HasPrefix(p.URL, "postgresql://") {
		mistakes = append(mistakes, setting.Mistake{
			Key: "url", Problem: "is not a PostgreSQL URL", Remedy: "write postgres://user:password@host:5432/database",
		})
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

// UsedBy implements snapshot.Opener: all members see a database.
func (Params) UsedBy() snapshot.Use { return snapshot.ByAll }
