package storetest_test

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/jackc/pgx/v5"
	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/index/snapshot/localdir"
	"github.com/unecho/unecho/index/snapshot/postgres"
	"github.com/unecho/unecho/index/snapshot/s3"
	"github.com/unecho/unecho/index/snapshot/storetest"
)

// backing is a store, and ways in which its segments are read without it.
type backing struct {
	name string
	open func(b *testing.B) (snapshot.Store, []bare)
}

// bare reads all segments and returns their bytes.
type bare struct {
	name string
	read func(m *snapshot.Manifest) int64
}

func backings() []backing {
	return []backing{{"directory", openDirectory}, {"postgres", openPostgres}, {"s3", openS3}}
}

func openDirectory(b *testing.B) (snapshot.Store, []bare) {
	b.Helper()
	p := localdir.Params{Path: b.TempDir()}
	s, err := p.Open(b.Context(), storetest.Index)
	must(b, err)
	files := func(hash func([]byte) byte) func(*snapshot.Manifest) int64 {
		return func(m *snapshot.Manifest) (n int64) { // one after the other
			for _, s := range m.Segments {
				found, err := filepath.Glob(filepath.Join(p.Path, "*", "segments", s.Name[:2], s.Name))
				must(b, err)
				data, err := os.ReadFile(found[0])
				must(b, err)
				n += int64(len(data))
				sink += hash(data)
			}
			return n
		}
	}
	return s, []bare{
		{"bare", files(func(data []byte) byte { return sha256.Sum256(data)[0] })},
		{"xxhash", files(func(data []byte) byte { return byte(xxhash.Sum64(data)) })},
	}
}

var sink byte

func openPostgres(b *testing.B) (snapshot.Store, []bare) {
	b.Helper()
	p := postgres.Params{Schema: "bench_" + strings.ToLower(rand.Text())}
	p.URL = os.Getenv("UNECHO_TEST_POSTGRES")
	if p.URL == "" {
		b.Skip("needs PostgreSQL: set UNECHO_TEST_POSTGRES to the URL of a database, or run make bench-snapshot")
	}
	s, err := p.Open(b.Context(), storetest.Index)
	must(b, err)
	conn, err := pgx.Connect(b.Context(), p.URL)
	must(b, err)
	b.Cleanup(func() {
		ctx := context.WithoutCancel(b.Context())
		must(b, s.Close())
		_, err := conn.Exec(ctx, "drop schema "+p.Schema+" cascade")
		must(b, err)
		must(b, conn.Close(ctx))
	})
	return s, []bare{{"bare", func(m *snapshot.Manifest) (n int64) { // one row after the other
		for _, s := range m.Segments {
			var data []byte
			must(b, conn.QueryRow(b.Context(), "select bytes from "+p.Schema+".segment where name = $1", s.Name).Scan(&data))
			n += int64(len(data))
		}
		return n
	}}}
}

func openS3(b *testing.B) (snapshot.Store, []bare) {
	b.Helper()
	u, err := url.Parse(os.Getenv("UNECHO_TEST_S3"))
	must(b, err)
	if u.Host == "" {
		b.Skip("needs a server of S3: set UNECHO_TEST_S3 to its URL, or run make bench-snapshot")
	}
	password, _ := u.User.Password()
	b.Setenv("AWS_ACCESS_KEY_ID", u.User.Username())
	b.Setenv("AWS_SECRET_ACCESS_KEY", password)
	p := s3.Params{Bucket: "bench-" + strings.ToLower(rand.Text()), Endpoint: "http://" + u.Host, Region: "us-east-1"}
	client, err := minio.New(u.Host, &minio.Options{Creds: credentials.NewEnvAWS(), Region: p.Region})
	must(b, err)
	must(b, client.MakeBucket(b.Context(), p.Bucket, minio.MakeBucketOptions{}))
	s, err := p.Open(b.Context(), storetest.Index)
	must(b, err)
	b.Cleanup(func() { must(b, s.Close()) })
	return s, []bare{{"bare", func(m *snapshot.Manifest) (n int64) { // one object after the other
		for _, s := range m.Segments {
			object, err := client.GetObject(b.Context(), p.Bucket, snapshot.FileName(storetest.Index)+"/segments/"+s.Name, minio.GetObjectOptions{})
			must(b, err)
			data, err := io.ReadAll(object)
			must(b, errors.Join(err, object.Close()))
			n += int64(len(data))
		}
		return n
	}}}
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// sizes returns the numbers of documents: 0.1 and 1 million, and 10 million with UNECHO_BENCH_LARGE.
func sizes() []int {
	if os.Getenv("UNECHO_BENCH_LARGE") != "" {
		return []int{10_000_000}
	}
	return []int{100_000, 1_000_000}
}

func label(n int) string {
	if n < 1_000_000 {
		return fmt.Sprintf("docs=%.1gM", float64(n)/1e6)
	}
	return fmt.Sprintf("docs=%dM", n/1_000_000)
}

// BenchmarkRestore rebuilds the replica from a snapshot. In turn with it, in the same run, the same bytes are read
// bare: by pgx, row by row; by minio-go, object by object; or file by file, each hashed by the SHA-256 that names it (bare) or by
// xxhash64 (xxhash).
// The rates are those of the median turn.
func BenchmarkRestore(b *testing.B) {
	for _, n := range sizes() {
		f := storetest.NewStream(b, n, 0)
		f.Judge(n)
		for _, to := range backings() {
			b.Run("store="+to.name+"/"+label(n), func(b *testing.B) {
				store, bares := to.open(b)
				m := write(b, f, f.Writer(store), store)
				restore(b, store, &m, f, bares)
			})
		}
	}
}

func restore(b *testing.B, store snapshot.Store, m *snapshot.Manifest, f *storetest.Stream, bares []bare) {
	b.Helper()
	var ours []time.Duration
	theirs := make([][]time.Duration, len(bares))
	documents, _ := m.Totals()
	for b.Loop() {
		b.StopTimer()
		for i, bare := range bares {
			runtime.GC()
			began := time.Now()
			b.SetBytes(bare.read(m))
			theirs[i] = append(theirs[i], time.Since(began))
		}
		runtime.GC()
		b.StartTimer()
		began := time.Now()
		state, err := index.NewRestore(f.Params, f.Fingerprint, m.State)
		must(b, err)
		replica, err := snapshot.Restore(b.Context(), store, nil, m, state, nil)
		must(b, err)
		ours = append(ours, time.Since(began))
		if replica.Stats().Documents != int(documents) {
			b.Fatalf("%d documents of %d", replica.Stats().Documents, documents)
		}
	}
	rate := func(d []time.Duration) float64 { return float64(documents) / median(d).Seconds() }
	b.ReportMetric(rate(ours), "docs/s")
	for i, bare := range bares {
		b.ReportMetric(rate(theirs[i]), bare.name+"-docs/s")
		b.ReportMetric(rate(ours)/rate(theirs[i]), "of-"+bare.name)
	}
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

// BenchmarkWrite writes a snapshot into an empty store: encoded, stored, read back, decoded, published.
func BenchmarkWrite(b *testing.B) {
	n := sizes()[len(sizes())-1]
	f := storetest.NewStream(b, n, 0)
	f.Judge(n)
	for _, to := range backings() {
		b.Run("store="+to.name+"/"+label(n), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				store, _ := to.open(b)
				b.StartTimer()
				m := write(b, f, f.Writer(store), store)
				_, bytes := m.Totals()
				b.SetBytes(bytes)
			}
		})
	}
}

// BenchmarkIncrement writes the next snapshot after this many new documents, of a window that holds a million. Its cost
// depends on the new documents and the open last segment.
func BenchmarkIncrement(b *testing.B) {
	const held = 1_000_000
	for _, fresh := range []int{1_000, 10_000, 100_000} {
		f := storetest.NewStream(b, held, 0)
		f.Judge(held)
		for _, to := range backings() {
			b.Run(fmt.Sprintf("store=%s/docs=1M/new=%dk", to.name, fresh/1000), func(b *testing.B) {
				store, _ := to.open(b)
				w := f.Writer(store)
				write(b, f, w, store)
				var total int64
				for b.Loop() {
					b.StopTimer()
					f.Judge(fresh)
					b.StartTimer()
					_, done := f.Write(b, w)
					total += done.Bytes
				}
				b.ReportMetric(float64(total)/float64(b.N), "written-B/op")
			})
		}
	}
}

// write writes a snapshot and returns its manifest.
func write(b *testing.B, f *storetest.Stream, w *snapshot.Writer, store snapshot.Store) snapshot.Manifest {
	b.Helper()
	position, _ := f.Write(b, w)
	m, err := store.Manifest(b.Context(), position)
	must(b, err)
	return m
}
