package postgres

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/unecho/unecho/index/snapshot"
)

const (
	// askBound bounds a call that moves no segment, dataBound one that does (with it, MaxBytes need 2 MB/s).
	askBound  = 30 * time.Second
	dataBound = 2 * time.Minute
	// pingEvery and pingBound determine how soon a lease notices that its connection has silently died.
	pingEvery = 2 * time.Second
	pingBound = 5 * time.Second
	// goodbyeBound is how long a lease or the store waits for the server, which may be gone, when it ends.
	goodbyeBound = time.Second
)

// Store keeps the snapshots of one index in PostgreSQL.
type Store struct {
	pool   *pgxpool.Pool
	config *pgx.ConnConfig // for connections outside the pool
	target target
	index  string
	ping   time.Duration
}

var (
	_ snapshot.Store  = (*Store)(nil)
	_ snapshot.Leaser = (*Store)(nil)
	_ snapshot.Server = (*Store)(nil)
)

// Open implements snapshot.Opener. It creates or migrates the tables where that is needed and allowed.
func (p Params) Open(ctx context.Context, index string) (snapshot.Store, error) {
	s, err := p.open(ctx, index, migrate)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// OpenExisting implements snapshot.Opener. It creates and migrates nothing.
func (p Params) OpenExisting(ctx context.Context, index string) (snapshot.Store, error) {
	s, err := p.open(ctx, index, migrated)
	if err != nil {
		return nil, err
	}
	return s, nil
}

type preparation func(context.Context, *pgxpool.Pool, target) error

func (p Params) open(ctx context.Context, index string, prepare preparation) (*Store, error) {
	s, err := p.connect(ctx, index, prepare)
	if err != nil {
		return nil, fmt.Errorf("open snapshot store: %w", err)
	}
	return s, nil
}

func (p Params) connect(ctx context.Context, index string, prepare preparation) (*Store, error) {
	if index == "" || p.Schema == "" {
		return nil, errors.New("it takes a schema and the name of an index")
	}
	cfg, err := p.configure()
	if err != nil {
		return nil, err
	}
	t := targetOf(cfg.ConnConfig, p.Schema)
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, t.explain(err)
	}
	if err := prepare(ctx, pool, t); err != nil {
		pool.Close()
		return nil, t.explain(err)
	}
	return &Store{pool: pool, config: cfg.ConnConfig, target: t, index: index, ping: pingEvery}, nil
}

// Close waits for calls under way and closes the pool. Leases have connections of their own. The caller should have
// ended the calls. Close does not wait for a server that does not answer; its connections end with the process.
func (s *Store) Close() error {
	closed := make(chan struct{})
	go func() { // ends within the 15 s that the pool gives a connection
		defer close(closed)
		s.pool.Close()
	}()
	timer := time.NewTimer(goodbyeBound)
	defer timer.Stop()
	select {
	case <-closed:
		return nil
	case <-timer.C:
		return fmt.Errorf("close snapshot store: %s does not answer", s.target.addresses)
	}
}

// Server implements snapshot.Server.
func (s *Store) Server(ctx context.Context) (name string, now time.Time, err error) {
	ctx, cancel := context.WithTimeout(ctx, askBound)
	defer cancel()
	err = s.pool.QueryRow(ctx, `select 'PostgreSQL ' || current_setting('server_version'), clock_timestamp()`).Scan(&name, &now)
	return name, now, s.wrap(err, "ask server")
}

// wrap is the one place where an error leaves this package: verb and noun, then what happened where.
func (s *Store) wrap(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), s.target.explain(err))
}

// exclusively runs fn in a transaction under the collector's lock, which Publish and Collect share.
func (s *Store) exclusively(ctx context.Context, fn func(tx pgx.Tx) error) error {
	ctx, cancel := context.WithTimeout(ctx, askBound)
	defer cancel()
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `select pg_advisory_xact_lock($1)`, s.key("collect")); err != nil {
			return err
		}
		return fn(tx)
	})
}

// key returns the key of an advisory lock. All users of a database share these keys, so schema and index are part of
// it.
func (s *Store) key(name ...string) int64 {
	return lockKey(append([]string{s.target.schema, s.index}, name...)...)
}

func lockKey(names ...string) int64 {
	var b strings.Builder
	b.WriteString("unecho")
	for _, n := range names {
		b.Write(binary.AppendUvarint(nil, uint64(len(n))))
		b.WriteString(n)
	}
	return int64(xxhash.Sum64String(b.String()))
}
