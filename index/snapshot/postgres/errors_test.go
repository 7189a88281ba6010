package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/unecho/unecho/index/snapshot"
)

const password = "hush-hush"

// refuser starts a server that answers each client's first message with an error, or if there is no code, not at all.
// It returns its address.
func refuser(t *testing.T, code, message string) string {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	must(t, err)
	ended := make(chan struct{})
	t.Cleanup(func() {
		must(t, l.Close())
		<-ended
	})
	go func() {
		defer close(ended)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			answer(conn, code, message)
		}
	}()
	return l.Addr().String()
}

func answer(conn net.Conn, code, message string) {
	defer conn.Close()
	backend := pgproto3.NewBackend(conn, conn)
	_, err := backend.ReceiveStartupMessage()
	if err != nil {
		return
	}
	if code == "" {
		_, _ = conn.Read(make([]byte, 1)) // until the client gives up
		return
	}
	backend.Send(&pgproto3.ErrorResponse{Severity: "FATAL", Code: code, Message: message})
	_ = backend.Flush() // the client's answer is what counts
}

func urlFor(address, query string) string {
	return "postgres://someone:" + password + "@" + address + "/somewhere?sslmode=disable&" + query
}

func paramsFor(rawURL string) Params {
	p := DefaultParams()
	p.URL = rawURL
	return p
}

// wantProblem expects all of the parts in the message of err, and the password nowhere.
func wantProblem(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one with %q", parts)
	}
	for e := err; e != nil; e = errors.Unwrap(e) {
		if text := fmt.Sprintf("%v %+v %#v", e, e, e); strings.Contains(text, password) {
			t.Errorf("the password is in %s", text)
		}
	}
	if connect := (*pgconn.ConnectError)(nil); errors.As(err, &connect) {
		t.Error("the error carries the whole configuration")
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q is not in: %v", part, err)
		}
	}
}

func TestServerRefuses(t *testing.T) {
	for _, test := range []struct{ code, message, remedy string }{
		{"28P01", "password authentication failed", "check user and password"},
		{"28000", "no pg_hba.conf entry", "pg_hba.conf"},
		{"3D000", `database "somewhere" does not exist`, `CREATE DATABASE "somewhere" OWNER "someone"`},
		{"53300", "too many clients", "max_connections"},
		{"57P03", "the database system is starting up", "wait"},
		{"08P01", "unsupported startup parameter: search_path", "session mode"},
		{"42501", "permission denied", `GRANT USAGE, CREATE ON SCHEMA "unecho" TO "someone"`},
		{"XX000", "something else", "SQLSTATE XX000"},
	} {
		t.Run(test.code, func(t *testing.T) {
			address := refuser(t, test.code, test.message)
			_, err := paramsFor(urlFor(address, "")).Open(t.Context(), "orders")
			wantProblem(t, err, "open snapshot store: ", "PostgreSQL at "+address, "database somewhere", "user someone",
				test.message, test.remedy)
			if away := test.code == "57P03"; errors.Is(err, snapshot.ErrAway) != away {
				t.Errorf("it is away: %v", !away)
			}
		})
	}
}

func TestNotThere(t *testing.T) {
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	must(t, err)
	address := l.Addr().String()
	must(t, l.Close())
	_, err = paramsFor(urlFor(address, "")).Open(t.Context(), "orders")
	wantProblem(t, err, address, "connection refused", "is it running")
	if !errors.Is(err, snapshot.ErrAway) {
		t.Error("it is not away")
	}

	address = refuser(t, "", "")
	_, err = paramsFor(urlFor(address, "connect_timeout=1")).Open(t.Context(), "orders")
	wantProblem(t, err, address, "no answer in time", "firewall")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = paramsFor(urlFor(address, "")).Open(ctx, "orders")
	wantProblem(t, err, address)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestBadURL(t *testing.T) {
	for raw, part := range map[string]string{
		"postgres://u:" + password + "@host:port/db":                                          "cannot be read",
		"postgres://u:" + password + "%@host/db":                                              "cannot be read",
		"postgres://u:x/" + password + "@host/db":                                             "cannot be read",
		"postgres://u:" + password + "@host/db?sslmode=sometimes":                             "sslmode",
		"postgres://u:" + password + "@host/db?sslmode=verify-full&sslrootcert=/no/such/file": "/no/such/file",
		"postgres://u@host/db?password=" + password + "&connect_timeout=soon":                 "timeout",
		"postgres://u:12/" + password + "@host/db":                                            "cannot be read",
		"postgres://u:12?" + password + "@host/db":                                            "cannot be read",
		"postgres://u:12#" + password + "@host/db":                                            "cannot be read",
		"postgres://u:x@" + password + "@host/db":                                             "cannot be read",
		"mysql://u:" + password + "@host/db":                                                  "cannot be read",
		"host=x password='" + password + " port=y":                                            "cannot be read",
		password: "cannot be read",
	} {
		_, err := paramsFor(raw).Open(t.Context(), "orders")
		wantProblem(t, err, part, "snapshots.postgres.url")
	}
	if _, err := paramsFor(urlFor("127.0.0.1:1", "")).Open(t.Context(), ""); err == nil {
		t.Error("opened for an index without a name")
	}
}

func TestLeaks(t *testing.T) {
	u, err := url.Parse("postgres://u:p%40ss@host/db?password=other")
	must(t, err)
	for text, leak := range map[string]bool{"p@ss word": true, "p%40ss": true, "another": true, "user u at host": false} {
		if leaks(text, u.String(), u) != leak {
			t.Errorf("%q leaks: %v", text, !leak)
		}
	}
}
