package s3

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/index/snapshot/objects"
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
				rewrite(t, s.root+objects.Segments+name, change)
			},
			CorruptManifest: func(t testing.TB, at snapshot.Position, change func([]byte) []byte) {
				rewrite(t, s.root+objects.Manifests+at.FileName(), change)
			},
			Bytes: func(t testing.TB) (all []byte) {
				listed, err := s.list(t.Context(), s.root)
				must(t, err)
				for _, o := range listed {
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
		if err != nil || d.IsDir() || !strings.Contains(path, "/"+objects.Segments) && !strings.Contains(path, "/"+objects.Manifests) {
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

func TestRefusalsOfAServer(t *testing.T) {
	for what, test := range map[string]struct {
		spoil   func(t *testing.T, p *Params)
		problem string
	}{
		"a wrong secret":             {func(t *testing.T, _ *Params) { t.Setenv("AWS_SECRET_ACCESS_KEY", secret) }, "check the credentials"},
		"a bucket that is missing":   {func(_ *testing.T, p *Params) { p.Bucket = "test-nowhere" }, "make it, or name another in snapshots.s3.bucket"},
		"a bucket of another region": {func(_ *testing.T, p *Params) { p.Region = "eu-central-1" }, "name it in snapshots.s3.region"},
	} {
		t.Run(what, func(t *testing.T) {
			p, _ := server(t)
			test.spoil(t, &p)
			_, err := p.Open(t.Context(), "orders")
			wantProblem(t, err, "open snapshot store: S3 at ", test.problem)
		})
	}
}

func TestRegionIsAsked(t *testing.T) {
	p, _ := server(t)
	p.Region = ""
	s, err := p.Open(t.Context(), "orders")
	must(t, err)
	must(t, s.Close())
}

func TestClockIsOff(t *testing.T) {
	p, _ := server(t)
	synctest.Test(t, func(t *testing.T) { // in 2000
		_, err := p.Open(t.Context(), "orders")
		wantProblem(t, err, "open snapshot store: ", "the clock of this machine is off: set it by NTP")
	})
}

// A secret that is replaced in its file is used from the next call on.
func TestSecretIsReplaced(t *testing.T) {
	p, _ := server(t)
	file := filepath.Join(t.TempDir(), "credentials")
	write := func(secret string) {
		must(t, os.WriteFile(file, fmt.Appendf(nil, "[default]\naws_access_key_id = %s\naws_secret_access_key = %s\n",
			os.Getenv("AWS_ACCESS_KEY_ID"), secret), 0o600))
	}
	right := os.Getenv("AWS_SECRET_ACCESS_KEY")
	write(secret)
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", file)
	t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	s, err := p.open("orders")
	must(t, err)
	_, err = s.Manifests(t.Context())
	wantProblem(t, err, "check the credentials")
	write(right)
	_, err = s.Manifests(t.Context())
	must(t, err)
	must(t, s.Close())
}
