package postgres

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	connectTimeout = 5 * time.Second
	// poolSize is enough for reading segments ahead, beside a writer and a collector.
	poolSize = 4
	// statementTimeout is the server's own bound for one statement: if a client goes away, its statement must not run
	// on.
	statementTimeout = "120s"
)

// configure parses the URL and adds what every connection needs. Parameters in the URL itself take precedence.
func (p Params) configure() (*pgxpool.Config, error) {
	if !readable(p.URL) {
		return nil, errURL
	}
	cfg, err := pgxpool.ParseConfig(p.URL)
	if err != nil {
		return nil, badURL(p.URL, err)
	}
	cfg.MaxConns = poolSize
	conn := cfg.ConnConfig
	if conn.ConnectTimeout == 0 {
		conn.ConnectTimeout = connectTimeout
	}
	byDefault := func(name, value string) {
		if _, set := conn.RuntimeParams[name]; !set {
			conn.RuntimeParams[name] = value
		}
	}
	byDefault("application_name", "unecho")
	byDefault("statement_timeout", statementTimeout)
	byDefault("idle_in_transaction_session_timeout", statementTimeout)
	conn.RuntimeParams["search_path"] = pgx.Identifier{p.Schema}.Sanitize()
	return cfg, nil
}

const form = "write postgres://user:password@host:5432/database in snapshots.postgres.url, special characters of the " +
	"password as %XX"

var errURL = errors.New("the URL cannot be read: " + form)

// readable says whether the end of the password in the URL is unambiguous. An unescaped @, /, ? or # in it makes part
// of it look like a host or a database, and those are shown.
func readable(raw string) bool {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" {
		return false
	}
	at := strings.Count(raw, "@")
	return at == 0 || at == 1 && u.User != nil
}

// badURL says what is wrong with a readable URL without showing it.
func badURL(raw string, err error) error {
	parsed, parseErr := url.Parse(raw)
	_, detail, found := strings.Cut(err.Error(), "`: ") // the part after the URL, which pgx shows masked
	if parseErr != nil || !found || leaks(detail, raw, parsed) {
		return errURL
	}
	return fmt.Errorf("the URL cannot be used: %s: %s", detail, form)
}

// leaks says whether text contains the URL or its password.
func leaks(text, raw string, parsed *url.URL) bool {
	secrets := []string{raw, parsed.Query().Get("password"), parsed.Query().Get("sslpassword")}
	if password, set := parsed.User.Password(); set {
		secrets = append(secrets, password, url.QueryEscape(password), url.PathEscape(password))
	}
	for _, secret := range secrets {
		if secret != "" && strings.Contains(text, secret) {
			return true
		}
	}
	return false
}
