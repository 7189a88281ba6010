package postgres

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"

	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/index/snapshot/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// params names a schema of the test's own, which is dropped when the test ends.
func params(t testing.TB) Params {
	t.Helper()
	server := os.Getenv("UNECHO_TEST_POSTGRES")
	if server == "" {
		t.Skip("needs PostgreSQL: set UNECHO_TEST_POSTGRES to the URL of a database, or run make test")
	}
	p := Params{URL: server, Schema: "test_" + strings.ToLower(rand.Text())}
	t.Cleanup(func() {
		direct(t, p, "drop schema if exists "+p.Schema+" cascade")
	})
	return p
}

// direct runs statements past the store. It may be called in a cleanup, where the test's context is over.
func direct(t testing.TB, p Params, statements ...string) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	conn := connect(t, p)
	defer func() { must(t, conn.Close(ctx)) }()
	for _, sql := range statements {
		if _, err := conn.Exec(ctx, sql); err != nil {
			t.Fatalf("the statement %s: %v", sql, err)
		}
	}
}

func connect(t testing.TB, p Params) *pgx.Conn {
	t.Helper()
	cfg, err := p.configure()
	must(t, err)
	conn, err := pgx.ConnectConfig(context.WithoutCancel(t.Context()), cfg.ConnConfig)
	must(t, err)
	return conn
}

func openAt(t testing.TB, p Params, index string) *Store {
	t.Helper()
	s, err := p.open(t.Context(), index, migrate)
	must(t, err)
	return s
}

func opened(t testing.TB, p Params) *Store {
	t.Helper()
	s := openAt(t, p, "orders")
	t.Cleanup(func() { must(t, s.Close()) })
	return s
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestConformance(t *testing.T) { storetest.Run(t, backing) }

func backing(t *testing.T) storetest.Backing {
	t.Helper()
	p := params(t)
	rewrite := func(t testing.TB, change func([]byte) []byte, table, column, where string) {
		t.Helper()
		conn := connect(t, p)
		var data []byte
		must(t, conn.QueryRow(t.Context(), "select "+column+" from "+table+" where "+where).Scan(&data))
		_, err := conn.Exec(t.Context(), "update "+table+" set "+column+" = $1 where "+where, change(data))
		must(t, errors.Join(err, conn.Close(t.Context())))
	}
	return storetest.Backing{
		Opener: p,
		CorruptSegment: func(t testing.TB, name string, change func([]byte) []byte) {
			rewrite(t, change, "segment", "bytes", "name = '"+name+"'")
		},
		CorruptManifest: func(t testing.TB, at snapshot.Position, change func([]byte) []byte) {
			rewrite(t, change, "manifest", "body", fmt.Sprint("next_offset = ", at.Offset))
		},
		Bytes: func(t testing.TB) (all []byte) {
			t.Helper()
			conn := connect(t, p)
			for _, sql := range []string{"select bytes from segment", "select body from manifest"} {
				rows, err := conn.Query(t.Context(), sql)
				must(t, err)
				of, err := pgx.CollectRows(rows, pgx.RowTo[[]byte])
				must(t, err)
				all = append(all, bytes.Join(of, nil)...)
			}
			must(t, conn.Close(t.Context()))
			return all
		},
		Age: func(t testing.TB, by time.Duration) {
			t.Helper()
			conn := connect(t, p)
			for _, sql := range []string{
				"update segment set put_at = put_at - $1::interval",
				"update manifest set published = published - $1::interval",
			} {
				if _, err := conn.Exec(t.Context(), sql, by+time.Microsecond); err != nil { // PostgreSQL counts in us
					t.Error(err)
				}
			}
			must(t, conn.Close(t.Context()))
		},
	}
}

// withURL changes the test server's URL.
func withURL(t testing.TB, p Params, change func(u *url.URL)) Params {
	t.Helper()
	u, err := url.Parse(p.URL)
	must(t, err)
	change(u)
	p.URL = u.String()
	return p
}

func withQuery(t testing.TB, p Params, key, value string) Params {
	t.Helper()
	return withURL(t, p, func(u *url.URL) {
		q := u.Query()
		q.Set(key, value)
		u.RawQuery = q.Encode()
	})
}

func BenchmarkPut(b *testing.B) {
	s, data := opened(b, params(b)), make([]byte, 16<<20)
	b.SetBytes(int64(len(data)))
	for i := 0; b.Loop(); i++ {
		data[0], data[1], data[2] = byte(i), byte(i>>8), byte(i>>16)
		must(b, s.PutSegment(b.Context(), snapshot.SegmentName(data), data))
	}
}

func BenchmarkGet(b *testing.B) {
	s, data := opened(b, params(b)), make([]byte, 16<<20)
	name := snapshot.SegmentName(data)
	must(b, s.PutSegment(b.Context(), name, data))
	b.Run("segment", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			_, err := s.Segment(b.Context(), name)
			must(b, err)
		}
	})
	b.Run("bare", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			var got []byte
			must(b, s.pool.QueryRow(b.Context(), "select bytes from segment").Scan(&got))
		}
	})
}
