package main

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"
)

// inPostgres keeps snapshots in a schema of the scene's own, which goes with the test.
func (s *scene) inPostgres() string {
	s.t.Helper()
	server := postgresURL(s.t)
	schema := "it_" + s.name[len("it-"):]
	s.t.Cleanup(func() { execute(s.t, server, "drop schema if exists "+schema+" cascade") })
	return s.inPostgresAt(server)
}

// inPostgresAt is inPostgres at another address.
func (s *scene) inPostgresAt(server string) string {
	return fmt.Sprintf("snapshots: {postgres: {url: '%s', schema: it_%s}, every: 2s}", server,
		s.name[len("it-"):])
}

// snapshots counts what is published.
func (s *scene) snapshots(ctx context.Context) (n int) {
	s.t.Helper()
	conn, err := pgx.Connect(ctx, postgresURL(s.t))
	check(s.t, err)
	check(s.t, conn.QueryRow(ctx, "select count(*) from it_"+s.name[len("it-"):]+".manifest").Scan(&n))
	check(s.t, conn.Close(ctx))
	return n
}

func postgresURL(t *testing.T) string {
	t.Helper()
	server := os.Getenv("UNECHO_TEST_POSTGRES")
	if server == "" {
		t.Skip("needs PostgreSQL: set UNECHO_TEST_POSTGRES to the URL of a database, or run make test")
	}
	return server
}

// withHost is the URL of a database with another host and port.
func withHost(t *testing.T, server, host string) string {
	t.Helper()
	u, err := url.Parse(server)
	check(t, err)
	u.Host = host
	return u.String()
}

// execute runs a statement past unecho. It may be called in a cleanup, where the test's context is over.
func execute(t *testing.T, server, statement string) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	conn, err := pgx.Connect(ctx, server)
	check(t, err)
	_, err = conn.Exec(ctx, statement)
	check(t, err)
	check(t, conn.Close(ctx))
}
