//go:build unix

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/unecho/unecho/deploy/dev/testbed"
)

// database is a PostgreSQL of the scene's own, which may be restarted.
type database struct {
	*testbed.Postgres
	s *scene
}

func (s *scene) ownPostgres() *database {
	s.t.Helper()
	// the test's own may not be entered by the user that PostgreSQL runs as
	dir, err := os.MkdirTemp("", "unecho-postgres-")
	check(s.t, err)
	s.t.Cleanup(func() { check(s.t, os.RemoveAll(dir)) })
	server, err := testbed.NewPostgres(s.bounded(), testbed.Files{Dir: dir})
	check(s.t, err)
	s.t.Cleanup(server.Stop)
	d := &database{server, s}
	d.up()
	return d
}

// up starts the server. After a crash the first attempts may find that the old one's processes have not ended yet.
func (d *database) up() {
	d.s.t.Helper()
	d.s.until("PostgreSQL is up", func(ctx context.Context) bool {
		check(d.s.t, d.Start(ctx))
		return d.Await(ctx) == nil
	})
}

// locked has a lock on a table, until the server ends.
func (d *database) locked(mode, table string) {
	d.s.t.Helper()
	_, err := d.connect().Exec(d.s.bounded(), fmt.Sprintf("begin; lock table it.%s in %s mode", table, mode))
	check(d.s.t, err)
}

// waits returns when a statement of unecho that begins so waits for a lock. Meanwhile documents come, so that there is
// something to write.
func (d *database) waits(statement string) {
	d.s.t.Helper()
	conn := d.connect()
	d.s.until(statement+" waits", func(ctx context.Context) (waits bool) {
		d.s.produce(5, rand.Uint64())
		check(d.s.t, conn.QueryRow(ctx, `select exists (
			select from pg_stat_activity where wait_event_type = 'Lock' and ltrim(query, E' \n\t') like $1)`, statement+"%").Scan(&waits))
		return waits
	})
}

func (d *database) connect() *pgx.Conn {
	d.s.t.Helper()
	ctx := d.s.bounded()
	conn, err := pgx.Connect(ctx, d.URL)
	check(d.s.t, err)
	d.s.t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(ctx)) }) // it broke
	return conn
}

// allWhole reads all snapshots.
func (s *scene) allWhole() {
	s.t.Helper()
	p := start(s.t, s.dir, "snapshot", "verify", "--config", s.file)
	if code := p.exits(startBound); code != 0 || !strings.Contains(p.out.String(), "whole: ") {
		s.t.Errorf("exit code %d: %s%s", code, p.out, p.log)
	}
}

// PostgreSQL is restarted in the middle of writing a snapshot, and of restoring one: the stream goes on, what was begun
// is written later or not listed, and the restore goes on.
func TestPostgresRestarts(t *testing.T) {
	t.Parallel()
	s := newScene(t, 2)
	db := s.ownPostgres()
	ops := freeAddress(t)
	s.configure(fmt.Sprintf("snapshots: {postgres: {url: '%s', schema: it}, every: 1s}", db.URL),
		s.consumer(""), "http: {listen: '"+ops+"'}")
	journal := s.copyJournal()
	p := s.run()
	p.says(`"ready"`)
	s.produce(300, 1)
	s.settled()
	taken := func(ctx context.Context) float64 { return metric(ctx, t, ops, "unecho_snapshot_offset") }
	s.until("a snapshot is taken", func(ctx context.Context) bool { return taken(ctx) > 0 })
	for _, c := range []struct {
		table, statement string
		down             func()
	}{
		{"segment", "insert into segment", db.Stop},
		{"manifest", "insert into manifest", db.Kill},
	} {
		failures := func(ctx context.Context) float64 { return metric(ctx, t, ops, "unecho_snapshot_errors_total") }
		failed := failures(t.Context())
		db.locked("share", c.table)
		db.waits(c.statement)
		before := taken(t.Context())
		c.down()
		s.settled() // while it is down
		s.until("what was begun has failed", func(ctx context.Context) bool { return failures(ctx) > failed })
		db.up()
		s.until("snapshots are taken again", func(ctx context.Context) bool { return taken(ctx) > before })
		s.allWhole()
	}
	p.kill()
	db.locked("access exclusive", "segment")
	p = s.run()
	db.waits("select bytes from segment")
	db.Stop()
	p.says("the snapshot store is away: asking again")
	db.up()
	p.says("the snapshot store answers again")
	s.produce(300, 2)
	s.settled()
	if !p.restored() {
		t.Error("no snapshot was restored")
	}
	s.allWhole()
	stopAll(t, startBound, p)
	journal.upToDate()
	s.audited(journal.topic)
}
