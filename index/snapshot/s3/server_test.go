package s3

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/index/snapshot/storetest"
)

// server is a real one, which checks signatures, and keeps objects as files that can be made older.
func server(t testing.TB) (p Params, dir string) {
	t.Helper()
	address := os.Getenv("UNECHO_TEST_S3")
	if address == "" {
		t.Skip("needs a server of S3: set UNECHO_TEST_S3 to its URL, with user, password and the directory of its buckets as path, or run make test")
	}
	u, err := url.Parse(address)
	must(t, err)
	password, _ := u.User.Password()
	t.Setenv("AWS_ACCESS_KEY_ID", u.User.Username())
	t.Setenv("AWS_SECRET_ACCESS_KEY", password)
	p = Params{Bucket: "test-" + strings.ToLower(rand.Text()), Prefix: "some/where", Endpoint: "http://" + u.Host, Region: "us-east-1"}
	s, err := p.open("any")
	must(t, err)
	must(t, s.client.MakeBucket(t.Context(), p.Bucket, minio.MakeBucketOptions{}))
	must(t, s.Close())
	return p, filepath.Join(u.Path, p.Bucket)
}

func TestConformanceOfAServer(t *testing.T) {
	storetest.Run(t, func(t *testing.T) storetest.Backing {
		t.Helper()
		p, dir := server(t)
		s, err := p.open(storetest.Index)
		must(t, err)
		rewrite := func(t testing.TB, key string, change func([]byte) []byte) {
			t.Helper()
			ctx := context.WithoutCancel(t.Context())
			found, err := s.get(ctx, key, snapshot.MaxBytes, false)
			must(t, err)
			data := change(found.data)
			_, err = s.client.Client.PutObject(ctx, p.Bucket, key, bytes.NewReader(data), int64(len(data)), minio.PutObjectOptions{})
			must(t, err)
		}
		return storetest.Backing{
			Opener: p,
			CorruptSegment: func(t testing.TB, name string, change func([]byte) []byte) {
				rewrite(t, s.root+segmentsKey+name, change)
			},
			CorruptManifest: func(t testing.TB, at snapshot.Position, change func([]byte) []byte) {
				rewrite(t, s.manifestKey(at), change)
			},
			Bytes: func(t testing.TB) (all []byte) {
				objects, err := s.list(t.Context(), s.root)
				must(t, err)
				for _, o := range objects {
					body, _, _, err := s.client.GetObject(t.Context(), p.Bucket, o.Key, minio.GetObjectOptions{})
					must(t, err)
					data, err := io.ReadAll(body)
					must(t, errors.Join(err, body.Close()))
					all = append(all, data...)
				}
				return all
			},
			Age: func(t testing.TB, by time.Duration) { older(t, dir, by+2*time.Second) },
		}
	})
}

// older makes the segments and manifests below a directory older. Files may go meanwhile.
func older(t testing.TB, dir string, by time.Duration) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || d.IsDir() || !strings.Contains(path, "/"+segmentsKey) && !strings.Contains(path, "/"+manifestsKey) {
			return err
		}
		info, err := d.Info()
		if err == nil {
			then := info.ModTime().Add(-by)
			err = os.Chtimes(path, then, then)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestWrongSecret(t *testing.T) {
	p, _ := server(t)
	t.Setenv("AWS_SECRET_ACCESS_KEY", secret)
	_, err := p.Open(t.Context(), "orders")
	wantProblem(t, err, "open snapshot store: ", "check the credentials")
}
