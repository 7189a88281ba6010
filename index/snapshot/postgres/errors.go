package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/unecho/unecho/index/snapshot"
)

// target is what a message may say about the database. It never includes the password.
type target struct {
	addresses, database, user, schema string
}

func targetOf(cfg *pgx.ConnConfig, schema string) target {
	addresses := []string{address(cfg.Host, cfg.Port)}
	for _, f := range cfg.Fallbacks {
		if a := address(f.Host, f.Port); !slices.Contains(addresses, a) {
			addresses = append(addresses, a)
		}
	}
	return target{strings.Join(addresses, ", "), cfg.Database, cfg.User, schema}
}

func address(host string, port uint16) string { return net.JoinHostPort(host, fmt.Sprint(port)) }

// explain says where an error happened, what it is, and what to do. It returns our own errors unchanged. It wraps the
// cause, except for the part of pgx's error that holds the configuration, password included.
func (t target) explain(err error) error {
	var connect *pgconn.ConnectError
	var server *pgconn.PgError
	var network *net.OpError
	connecting := errors.As(err, &connect)
	if connecting {
		err = connect.Unwrap()
	}
	what, remedy, away := "", "", true
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.Canceled):
		return &problem{target: t, err: context.Canceled}
	case errors.As(err, &server):
		what, remedy, away = server.Message, t.remedy(server.Code, server.Message), restarts(server.Code)
	case errors.Is(err, context.DeadlineExceeded), pgconn.Timeout(err):
		what, remedy = "no answer in time", "is it overloaded, or a firewall in between?"
	case errors.As(err, &network):
		what, remedy = network.Error(), "is it running, and do host and port in snapshots.postgres.url name it?"
	case connecting:
		what, remedy, away = firstLine(err), "check snapshots.postgres.url", false
	case pgconn.SafeToRetry(err), errors.Is(err, net.ErrClosed), errors.Is(err, io.EOF),
		errors.Is(err, io.ErrUnexpectedEOF):
		what, remedy = firstLine(err), "the connection broke; the next attempt opens a new one"
	default:
		return err
	}
	return &problem{target: t, what: what, remedy: remedy, away: away, err: err}
}

// restarts says whether a server is stopping or starting: admin_shutdown, crash_shutdown, cannot_connect_now.
func restarts(code string) bool { return code == "57P01" || code == "57P02" || code == "57P03" }

// remedy returns what to do about an error that the server reports.
func (t target) remedy(code, message string) string {
	const grant = "GRANT USAGE, CREATE ON SCHEMA %[1]s TO %[2]s; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN " +
		"SCHEMA %[1]s TO %[2]s"
	schema, user := pgx.Identifier{t.schema}.Sanitize(), pgx.Identifier{t.user}.Sanitize()
	if restarts(code) {
		return "it is going down or coming up: wait"
	}
	switch code {
	case "28P01", "28000": // invalid_password, invalid_authorization_specification
		return "check user and password in snapshots.postgres.url, and the server's pg_hba.conf"
	case "3D000": // invalid_catalog_name
		return fmt.Sprintf("create it (CREATE DATABASE %s OWNER %s), or name another in snapshots.postgres.url",
			pgx.Identifier{t.database}.Sanitize(), user)
	case "42501": // insufficient_privilege
		return fmt.Sprintf("as the owner of the schema, run: "+grant, schema, user)
	case "42P01", "3F000": // undefined_table, invalid_schema_name
		return "were its tables removed while this process ran? A start creates them"
	case "53300": // too_many_connections
		return fmt.Sprintf("a member needs up to %d connections and one per lease: raise max_connections", poolSize)
	case "53100", "53200": // disk_full, out_of_memory
		return "make room on the server, or remember fewer documents (duplicates.remember)"
	case "25006": // read_only_sql_transaction
		return "this is a replica that only reads: name the primary, or add target_session_attrs=read-write to " +
			"snapshots.postgres.url"
	case "57014": // query_canceled, by statement_timeout
		return "is the server overloaded, or another member stuck in a transaction?"
	case "08P01": // protocol_violation
		if strings.Contains(message, "startup parameter") {
			return "a pooler is in between: connect to the server itself, or use a pooler in session mode that lets startup " +
				"parameters pass"
		}
	}
	return "look at the server's log (SQLSTATE " + code + ")"
}

// problem is an error that a person can act on.
type problem struct {
	target       target
	what, remedy string
	away         bool
	err          error
}

// Is reports ErrAway for a server that does not answer now.
func (p *problem) Is(target error) bool { return p.away && target == snapshot.ErrAway }

func (p *problem) Error() string {
	where := fmt.Sprintf("PostgreSQL at %s, database %s, user %s", p.target.addresses, p.target.database, p.target.user)
	if p.what == "" {
		return fmt.Sprintf("%s: %v", where, p.err)
	}
	return fmt.Sprintf("%s: %s: %s", where, p.what, p.remedy)
}

func (p *problem) Unwrap() error { return p.err }

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
