package postgres

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/index/snapshot/storetest"
)

func TestMigrateAtOnce(t *testing.T) {
	p := params(t)
	var wait sync.WaitGroup
	for range 6 {
		wait.Go(func() {
			s, err := p.Open(t.Context(), "orders")
			if err != nil {
				t.Error(err)
				return
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	s := opened(t, p)
	var versions []int
	must(t, s.pool.QueryRow(t.Context(), `select array_agg(version order by version) from schema_version`).Scan(&versions))
	files, err := migrations.ReadDir(migrationsDir)
	must(t, err)
	for i, v := range versions {
		if v != i+1 || len(versions) != len(files) {
			t.Fatalf("%d migrations ran as %v", len(files), versions)
		}
	}
}

// TestMigrateWaits: only one migrates at a time.
func TestMigrateWaits(t *testing.T) {
	p := params(t)
	conn := connect(t, p)
	defer func() { must(t, conn.Close(t.Context())) }()
	_, err := conn.Exec(t.Context(), `select pg_advisory_lock($1)`, lockKey("migrate", p.Schema))
	must(t, err)
	impatient := withQuery(t, p, "statement_timeout", "50")
	_, err = impatient.Open(t.Context(), "orders")
	wantProblem(t, err, "statement timeout")
	_, err = conn.Exec(t.Context(), `select pg_advisory_unlock($1)`, lockKey("migrate", p.Schema))
	must(t, err)
	opened(t, p)
}

func TestNewerSchema(t *testing.T) {
	p := params(t)
	opened(t, p)
	direct(t, p, `insert into schema_version (version) values (1000)`)
	_, err := p.Open(t.Context(), "orders")
	if !errors.Is(err, snapshot.ErrNewerFormat) || !strings.Contains(err.Error(), "upgrade this member") {
		t.Fatalf("got %v", err)
	}
}

// TestRights takes a user from no rights at all to just enough, by the statements that the messages name.
func TestRights(t *testing.T) {
	p := params(t)
	user := strings.Replace(p.Schema, "test_", "user_", 1)
	direct(t, p, "create role "+user+" login password '"+password+"'")
	t.Cleanup(func() { direct(t, p, "drop schema if exists "+p.Schema+" cascade", "drop role "+user) })
	theirs := withURL(t, p, func(u *url.URL) { u.User = url.UserPassword(user, password) })

	_, err := theirs.Open(t.Context(), "orders")
	wantProblem(t, err, "schema "+p.Schema+" is missing", fmt.Sprintf("CREATE SCHEMA %q AUTHORIZATION %q", p.Schema, user))

	opened(t, p) // the owner makes the tables
	_, err = theirs.Open(t.Context(), "orders")
	wantProblem(t, err, "permission denied", "GRANT USAGE, CREATE ON SCHEMA")
	direct(t, p, "grant usage on schema "+p.Schema+" to "+user, "grant select on all tables in schema "+p.Schema+" to "+user)
	s := opened(t, theirs)
	err = s.PutSegment(t.Context(), snapshot.SegmentName(nil), nil)
	wantProblem(t, err, "put segment", "permission denied",
		fmt.Sprintf("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA %q TO %q", p.Schema, user))
	direct(t, p, "grant select, insert, update, delete on all tables in schema "+p.Schema+" to "+user)
	must(t, s.PutSegment(t.Context(), snapshot.SegmentName(nil), nil))
	must(t, s.Publish(t.Context(), snapshot.Manifest{Index: "orders"}))
	_, err = s.Collect(t.Context(), 1)
	must(t, err)
	l, err := s.Lease(t.Context(), "writer")
	must(t, err)
	must(t, l.Release())

	direct(t, p, "drop schema "+p.Schema+" cascade", "create schema "+p.Schema+" authorization "+user)
	opened(t, theirs)
}

func TestReadOnlyServer(t *testing.T) {
	p := params(t)
	opened(t, p)
	readOnly := withQuery(t, p, "default_transaction_read_only", "on")
	err := opened(t, readOnly).PutSegment(t.Context(), snapshot.SegmentName(nil), nil)
	wantProblem(t, err, "read-only", "name the primary")
}

func TestTablesRemoved(t *testing.T) {
	p := params(t)
	s := opened(t, p)
	direct(t, p, "drop schema "+p.Schema+" cascade")
	_, err := s.Manifests(t.Context())
	wantProblem(t, err, "were its tables removed")
}

// terminate ends the server's processes behind the store's schema, as a restart would.
func terminate(t *testing.T, p Params, where string) {
	t.Helper()
	conn := connect(t, p)
	defer func() { must(t, conn.Close(t.Context())) }()
	tag, err := conn.Exec(t.Context(),
		"select pg_terminate_backend(pid, 10000) from pg_stat_activity where pid <> pg_backend_pid() and "+where)
	must(t, err)
	if tag.RowsAffected() == 0 {
		t.Fatal("there was nothing to end")
	}
}

func TestServerRestarts(t *testing.T) {
	p := params(t)
	p = withQuery(t, p, "application_name", p.Schema)
	s := opened(t, p)
	must(t, s.PutSegment(t.Context(), snapshot.SegmentName(nil), nil))
	terminate(t, p, "application_name = '"+p.Schema+"'")
	for range poolSize + 1 { // each broken connection may fail one call, with an error that says what happened
		_, err := s.Segment(t.Context(), snapshot.SegmentName(nil))
		if err == nil {
			return
		}
		wantProblem(t, err, "PostgreSQL at ")
	}
	t.Fatal("it did not recover")
}

func TestLeaseLost(t *testing.T) {
	p := params(t)
	s := opened(t, p)
	s.ping = time.Hour                       // it is noticed without a question
	l, err := s.Lease(t.Context(), p.Schema) // a name that appears in application_name, possibly cut
	must(t, err)
	backend := l.(*lease).backend
	terminate(t, p, fmt.Sprint("pid = ", backend))
	select {
	case <-l.Lost():
	case <-time.After(time.Minute):
		t.Fatal("the lease's connection is cut, and it is not lost after a minute")
	}
	next, err := s.Lease(t.Context(), p.Schema)
	must(t, err)
	must(t, l.Release())
	must(t, next.Release())
}

// TestLeaseBehindPooler: a pooler in transaction mode gives a new client a session that another client's lock is in.
func TestLeaseBehindPooler(t *testing.T) {
	p := params(t)
	l := &lease{conn: connect(t, p), key: 4711 ^ lockKey(p.Schema)}
	defer func() { must(t, l.conn.Close(t.Context())) }()
	must(t, l.acquire(t.Context(), "slot-0"))
	if err := l.acquire(t.Context(), "slot-0"); !errors.Is(err, errPooler) {
		t.Fatalf("got %v", err)
	}
	backend := l.backend
	if !l.alive(t.Context()) {
		t.Fatal("a living session counts as dead")
	}
	if l.backend = backend + 1; l.alive(t.Context()) {
		t.Fatal("another session counts as ours")
	}
}

// TestStuckNeighbour: another member holds the collector's lock and does not release it.
func TestStuckNeighbour(t *testing.T) {
	p := params(t)
	s := opened(t, p)
	tx, err := s.pool.Begin(t.Context())
	must(t, err)
	defer func() { must(t, tx.Rollback(t.Context())) }()
	_, err = tx.Exec(t.Context(), `select pg_advisory_xact_lock($1)`, s.key("collect"))
	must(t, err)
	impatient := withQuery(t, p, "statement_timeout", "2000") // of each statement, those that wait for nobody as well
	err = opened(t, impatient).Publish(t.Context(), snapshot.Manifest{Index: "orders"})
	wantProblem(t, err, "statement timeout", "stuck in a transaction")

	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	_, err = s.Collect(ctx, 1)
	wantProblem(t, err, "no answer in time")
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("got %v", err)
	}
}

func TestKeys(t *testing.T) {
	a := &Store{index: "ab", target: target{schema: "s"}}
	b := &Store{index: "a", target: target{schema: "s"}}
	c := &Store{index: "ab", target: target{schema: "t"}}
	keys := map[int64]bool{
		a.key("c"): true, b.key("bc"): true, a.key("collect"): true, a.key("lease", "collect"): true,
		c.key("c"): true, a.key("lease", ""): true,
	}
	if len(keys) != 6 {
		t.Errorf("different locks share a key: %v", keys)
	}
}

// TestRestartedWhileWriting: the server's processes end again and again while a member writes snapshots. A write either
// fails with an error that says so, or is whole; every listed snapshot is whole.
func TestRestartedWhileWriting(t *testing.T) {
	p := params(t)
	p = withQuery(t, p, "application_name", p.Schema)
	s, err := p.Open(t.Context(), storetest.Index)
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	f := storetest.NewStream(t, 10_000, 5)
	w := f.Writer(s)
	f.Judge(2000)
	written, broken := 0, 0
	for written < 5 || broken < 5 {
		f.Judge(300)
		ended := make(chan struct{})
		go func() { // within the write, at some moment
			defer close(ended)
			direct(t, p, "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and "+
				"application_name = '"+p.Schema+"' and query not like '%pg_terminate%'")
		}()
		capture := f.Replica.Capture()
		_, err := w.Write(t.Context(), &capture, f.Manifest())
		<-ended
		if err == nil {
			written++
		} else {
			broken++
			wantProblem(t, err, "PostgreSQL at ")
		}
		if written+broken > 500 {
			t.Fatalf("of %d writes %d were broken", written+broken, broken)
		}
	}
	f.Judge(100)
	settle := func() error {
		capture := f.Replica.Capture()
		_, err := w.Write(t.Context(), &capture, f.Manifest())
		return err
	}
	for range poolSize + 1 {
		if err = settle(); err == nil {
			break
		}
	}
	must(t, err)
	infos, err := s.Manifests(t.Context())
	must(t, err)
	if len(infos) < 6 {
		t.Fatalf("only %d snapshots", len(infos))
	}
	for _, info := range infos {
		r, err := f.Restore(t, s, info.Position)
		must(t, err)
		f.Same(t, r)
	}
}
