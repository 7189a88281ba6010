package postgres

import (
	"context"
	"embed"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/unecho/unecho/index/snapshot"
)

// migrations run in the order of their names, each once. The n-th makes version n. A published migration never changes.
//
//go:embed migrations/*.sql
var migrations embed.FS

const migrationsDir = "migrations"

// migrate brings the schema to this program's version. If it has that version already, migrate only reads.
func migrate(ctx context.Context, pool *pgxpool.Pool, t target) error {
	ctx, cancel := context.WithTimeout(ctx, dataBound)
	defer cancel()
	files, err := migrations.ReadDir(migrationsDir)
	if err != nil {
		return err
	}
	version, err := schemaVersion(ctx, pool, t)
	if err != nil {
		return err
	}
	if version >= len(files) {
		return newerSchema(version, len(files), t)
	}
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		// The lock is for two that migrate at once: the second waits, and then finds nothing to do.
		if _, err := tx.Exec(ctx, `select pg_advisory_xact_lock($1)`, lockKey("migrate", t.schema)); err != nil {
			return err
		}
		if err := createSchema(ctx, tx, t); err != nil {
			return err
		}
		version, err := schemaVersion(ctx, tx, t)
		if err != nil {
			return err
		}
		for i := version; i < len(files); i++ {
			if err := apply(ctx, tx, files[i].Name(), i+1); err != nil {
				return err
			}
		}
		return nil
	})
}

// migrated returns what prevents this program from reading the schema as it is.
func migrated(ctx context.Context, pool *pgxpool.Pool, t target) error {
	ctx, cancel := context.WithTimeout(ctx, askBound)
	defer cancel()
	files, err := migrations.ReadDir(migrationsDir)
	if err != nil {
		return err
	}
	version, err := schemaVersion(ctx, pool, t)
	switch {
	case err != nil:
		return err
	case version == 0:
		return fmt.Errorf("%w in schema %s of database %s at %s", snapshot.ErrNoStore, t.schema, t.database, t.addresses)
	case version < len(files):
		return fmt.Errorf("schema %s has version %d, this one needs %d: a start of the service of this version migrates it",
			t.schema, version, len(files))
	}
	return newerSchema(version, len(files), t)
}

func newerSchema(version, known int, t target) error {
	if version <= known {
		return nil
	}
	return fmt.Errorf("%w: schema %s has version %d, this one knows %d; upgrade this member", snapshot.ErrNewerFormat,
		t.schema, version, known)
}

// querier is a pool or a transaction.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// schemaVersion returns 0 if there are no tables yet.
func schemaVersion(ctx context.Context, q querier, t target) (int, error) {
	var there bool
	table := pgx.Identifier{t.schema, "schema_version"}.Sanitize()
	if err := q.QueryRow(ctx, `select to_regclass($1) is not null`, table).Scan(&there); err != nil || !there {
		return 0, err
	}
	var version int
	err := q.QueryRow(ctx, `select coalesce(max(version), 0) from schema_version`).Scan(&version)
	return version, err
}

// createSchema creates the schema only if it is missing, because "if not exists" requires the right to create even if
// it exists.
func createSchema(ctx context.Context, tx pgx.Tx, t target) error {
	var there bool
	schema, user := pgx.Identifier{t.schema}.Sanitize(), pgx.Identifier{t.user}.Sanitize()
	if err := tx.QueryRow(ctx, `select to_regnamespace($1) is not null`, schema).Scan(&there); err != nil || there {
		return err
	}
	_, err := tx.Exec(ctx, "create schema "+schema)
	var server *pgconn.PgError
	if errors.As(err, &server) && server.Code == "42501" {
		return &problem{
			target: t, what: "schema " + t.schema + " is missing, and this user may not create it", err: errNoSchema,
			remedy: fmt.Sprintf("as the owner of the database, run: CREATE SCHEMA %s AUTHORIZATION %s", schema, user),
		}
	}
	return err
}

var errNoSchema = errors.New("there is no schema")

func apply(ctx context.Context, tx pgx.Tx, file string, version int) error {
	sql, err := migrations.ReadFile(migrationsDir + "/" + file)
	if err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, string(sql)); err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `insert into schema_version (version) values ($1)`, version)
	return err
}
