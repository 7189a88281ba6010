package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/unecho/unecho/index/snapshot"
)

// Lease implements snapshot.Leaser.
func (s *Store) Lease(ctx context.Context, name string) (snapshot.Lease, error) {
	l, err := s.lease(ctx, name)
	return l, s.wrap(err, "lease")
}

func (s *Store) lease(ctx context.Context, name string) (snapshot.Lease, error) {
	ctx, cancel := context.WithTimeout(ctx, askBound)
	defer cancel()
	conn, err := pgx.ConnectConfig(ctx, s.leaseConfig(name))
	if err != nil {
		return nil, err
	}
	watching, abandon := context.WithCancel(context.Background())
	waiting, stop := context.WithCancel(watching)
	l := &lease{
		conn: conn, key: s.key("lease", name), target: s.target, abandon: abandon, stop: stop,
		lost: make(chan struct{}), stopped: make(chan struct{}),
	}
	if err := l.acquire(ctx, name); err != nil {
		abandon()
		_ = conn.Close(ctx) // the other error matters
		return nil, err
	}
	go l.watch(watching, waiting, s.ping)
	return l, nil
}

// leaseConfig names the holder of the lease to the server, for people who read pg_stat_activity, and makes the server
// notice soon when this host falls silent.
func (s *Store) leaseConfig(name string) *pgx.ConnConfig {
	const longest = 63 // bytes that PostgreSQL keeps of an application's name
	cfg := s.config.Copy()
	app := fmt.Sprintf("unecho %s: %q", snapshot.Process(), name)
	cfg.RuntimeParams["application_name"] = app[:min(len(app), longest)]
	cfg.RuntimeParams["tcp_keepalives_idle"] = "5"
	cfg.RuntimeParams["tcp_keepalives_interval"] = "5"
	cfg.RuntimeParams["tcp_keepalives_count"] = "3"
	return cfg
}

type lease struct {
	conn    *pgx.Conn // used by acquire, then by watch, then by Release
	key     int64
	backend uint32 // the server process that holds the lock
	target  target
	lost    chan struct{} // closed by watch
	stop    func()        // by Release: ends the waiting of watch
	abandon func()        // by Release: ends a question of watch that is not answered
	stopped chan struct{} // closed by watch, at its end
	release sync.Once
}

// holders finds the backends that hold the advisory lock $1 in this database. PostgreSQL shows a key of 64 bits as two
// halves.
const holders = `
	from pg_locks l left join pg_stat_activity a using (pid)
	where l.locktype = 'advisory' and l.granted and l.objsubid = 1
	and l.database = (select oid from pg_database where datname = current_database())
	and l.classid::bigint = ($1::bigint >> 32) & 4294967295 and l.objid::bigint = $1::bigint & 4294967295`

var errPooler = errors.New("a pooler hands this server connection from client to client: connect to the server " +
	"itself, or use a pooler in session mode")

func (l *lease) acquire(ctx context.Context, name string) error {
	var ours, taken bool
	err := l.conn.QueryRow(ctx, `select pg_backend_pid(), exists (select `+holders+
		` and l.pid = pg_backend_pid())`, l.key).Scan(&l.backend, &ours)
	if err != nil {
		return err
	}
	// A session can take the same lock twice. This session is new, so if it already holds the lock, it is shared with
	// someone.
	if ours {
		return errPooler
	}
	if err := l.conn.QueryRow(ctx, `select pg_try_advisory_lock($1)`, l.key).Scan(&taken); err != nil {
		return err
	}
	if taken {
		return nil
	}
	leased := &snapshot.LeasedError{Name: name}
	err = l.conn.QueryRow(ctx, `
		select format('%s, from %s, backend %s', a.application_name, coalesce(host(a.client_addr), 'the same host'), l.pid)`+holders, l.key).Scan(&leased.By)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) { // no rows: released since
		return err
	}
	return leased
}

// Lost implements snapshot.Lease.
func (l *lease) Lost() <-chan struct{} { return l.lost }

// Release implements snapshot.Lease.
func (l *lease) Release() error {
	var err error
	l.release.Do(func() {
		l.stop()
		impatient := time.AfterFunc(goodbyeBound, l.abandon)
		<-l.stopped
		impatient.Stop()
		l.abandon()
		err = l.giveBack()
	})
	return err
}

func (l *lease) giveBack() error {
	if l.conn.IsClosed() {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), goodbyeBound)
	defer cancel()
	// The lock is released first, because the server notices a closed connection only some moments later.
	_, err := l.conn.Exec(ctx, `select pg_advisory_unlock($1)`, l.key)
	if err = errors.Join(err, l.conn.Close(ctx)); err != nil {
		return fmt.Errorf("release lease: %w", l.target.explain(err))
	}
	return nil
}

// watch notices at once when the connection breaks, so that the lease is soon taken again, and asks regularly whether the
// session that holds the lock still lives and is still the same. It ends with waiting; ctx bounds a question.
func (l *lease) watch(ctx, waiting context.Context, every time.Duration) {
	defer close(l.stopped)
	for {
		l.listen(waiting, every)
		if waiting.Err() != nil {
			return
		}
		if !l.alive(ctx) {
			close(l.lost)
			return
		}
	}
}

// listen returns when the connection breaks, or after a while. Nothing is expected to come: a session that has not asked
// for notifications gets none.
func (l *lease) listen(waiting context.Context, every time.Duration) {
	ctx, cancel := context.WithTimeout(waiting, every)
	defer cancel()
	_, _ = l.conn.WaitForNotification(ctx) // alive tells what is wrong
}

func (l *lease) alive(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, pingBound)
	defer cancel()
	var backend uint32
	err := l.conn.QueryRow(ctx, `select pg_backend_pid()`).Scan(&backend)
	if err == nil && backend == l.backend {
		return true
	}
	_ = l.conn.Close(ctx) // the lease is gone either way
	return false
}
