package s3

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path"
	"strings"
	"sync/atomic"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/minio/minio-go/v7/pkg/encrypt"

	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/index/snapshot/objects"
)

const (
	// askBound bounds a call that moves no segment, dataBound one that does (with it, MaxBytes need 2 MB/s).
	askBound  = 30 * time.Second
	dataBound = 2 * time.Minute
	// attempts is how often a request is sent, until its bound, to a store that is overloaded or away.
	attempts = 5
	// aPage of a list, and mostNamed indexes in it, are enough to tell a wrong name.
	aPage, mostNamed = 1000, 20
)

// Store keeps the snapshots of one index in a bucket.
type Store struct {
	*objects.Store
	client    minio.Core
	bucket    string
	root      string // what the names of all objects of the index begin with
	target    target
	creds     *credentials.Credentials
	sse       encrypt.ServerSide // nil: as the bucket says
	clock     *clock
	transport *http.Transport
	duration  time.Duration // of a lease that is not renewed
}

var (
	_ snapshot.Store  = (*Store)(nil)
	_ snapshot.Leaser = (*Store)(nil)
	_ snapshot.Server = (*Store)(nil)
)

// Open implements snapshot.Opener. It checks that the store writes by condition.
func (p Params) Open(ctx context.Context, index string) (snapshot.Store, error) {
	return p.opened(ctx, index, func(s *Store, ctx context.Context) error {
		_, err := s.probe(ctx)
		return err
	})
}

// OpenExisting implements snapshot.Opener. It writes nothing.
func (p Params) OpenExisting(ctx context.Context, index string) (snapshot.Store, error) {
	return p.opened(ctx, index, (*Store).exists)
}

func (p Params) opened(ctx context.Context, index string, check func(*Store, context.Context) error) (snapshot.Store, error) {
	s, err := p.open(index)
	if err == nil {
		if err = check(s, ctx); err == nil {
			return s, nil
		}
		err = errors.Join(s.target.explain(err), s.Close())
	}
	return nil, fmt.Errorf("open snapshot store: %w", err)
}

func (p Params) open(index string) (*Store, error) {
	if p.Bucket == "" || index == "" {
		return nil, errors.New("it takes a bucket and the name of an index")
	}
	const aws = "https://s3.amazonaws.com"
	u, err := url.Parse(cmp.Or(p.Endpoint, aws))
	if err != nil {
		return nil, errors.New("snapshots.s3.endpoint cannot be read")
	}
	transport, err := p.transport(u.Scheme == "https")
	if err != nil {
		return nil, err
	}
	s := &Store{
		bucket: p.Bucket, root: path.Join(strings.Trim(p.Prefix, "/"), snapshot.FileName(index)) + "/",
		target: target{u.Host, p.Bucket, p.Region}, clock: &clock{base: transport}, transport: transport, duration: leaseTime,
		creds: newCredentials(p.Region),
	}
	s.Store = &objects.Store{Place: place{s}, Index: index, Margin: leaseMargin, OnTheWay: true}
	if p.KMSKey != "" {
		if s.sse, err = encrypt.NewSSEKMS(p.KMSKey, nil); err != nil {
			return nil, fmt.Errorf("snapshots.s3.kms_key: %w", err)
		}
	}
	client, err := minio.New(u.Host, &minio.Options{
		Creds: s.creds, Secure: u.Scheme == "https", Transport: s.clock, Region: p.Region, MaxRetries: attempts,
	})
	s.client = minio.Core{Client: client}
	return s, err
}

// transport returns the connections to the store.
func (p Params) transport(secure bool) (*http.Transport, error) {
	transport, err := minio.DefaultTransport(secure)
	if err != nil || p.CAFile == "" {
		return transport, err
	}
	pem, err := os.ReadFile(p.CAFile)
	if err != nil {
		return nil, fmt.Errorf("snapshots.s3.ca_file: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("snapshots.s3.ca_file: there is no certificate in %s", p.CAFile)
	}
	transport.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: pool}
	return transport, nil
}

// Close implements snapshot.Store.
func (s *Store) Close() error {
	s.transport.CloseIdleConnections()
	return nil
}

// Server implements snapshot.Server.
func (s *Store) Server(ctx context.Context) (name string, now time.Time, err error) {
	ctx, cancel := context.WithTimeout(ctx, askBound)
	defer cancel()
	_, err = s.list(ctx, s.root+lockKey)
	return "S3 at " + s.target.host, s.clock.now(), s.wrap(err, "ask the store for its time")
}

// clock tells the store's time: the Date of the last answer.
type clock struct {
	base http.RoundTripper
	last atomic.Int64 // seconds since 1970; 0 before the first answer
}

// RoundTrip implements http.RoundTripper.
func (c *clock) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := c.base.RoundTrip(r)
	if err == nil {
		if at, err := http.ParseTime(answer.Header.Get("Date")); err == nil {
			c.last.Store(at.Unix())
		}
	}
	return answer, err
}

func (c *clock) now() time.Time { return time.Unix(c.last.Load(), 0) }

// exists returns ErrNoStore if nothing is stored of the index. The error names some indexes of which there is something: what
// else is in the bucket may be much.
func (s *Store) exists(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, askBound)
	defer cancel()
	for object := range s.client.ListObjectsIter(ctx, s.bucket, minio.ListObjectsOptions{Prefix: s.root, Recursive: true, MaxKeys: 1}) {
		return object.Err
	}
	parent := strings.TrimSuffix(s.root, path.Base(s.root)+"/")
	var others []string
	looked := 0
	for object := range s.client.ListObjectsIter(ctx, s.bucket, minio.ListObjectsOptions{Prefix: parent}) {
		if object.Err != nil {
			return object.Err
		}
		if name, isDirectory := strings.CutSuffix(strings.TrimPrefix(object.Key, parent), "/"); isDirectory {
			others = append(others, name)
		}
		if looked++; looked == aPage || len(others) == mostNamed {
			break
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if len(others) == 0 {
		return fmt.Errorf("%w in bucket %s", snapshot.ErrNoStore, path.Join(s.bucket, parent))
	}
	return fmt.Errorf("%w of group %s in bucket %s (group); there are those of %s", snapshot.ErrNoStore, s.Index,
		path.Join(s.bucket, parent), strings.Join(others, ", "))
}

// Remove implements snapshot.Opener.
func (p Params) Remove(ctx context.Context, index string) (removed bool, err error) {
	s, err := p.open(index)
	if err == nil {
		removed, err = s.remove(ctx)
		err = errors.Join(s.target.explain(err), s.Close())
	}
	if err != nil {
		return false, fmt.Errorf("remove snapshots of index %s from bucket %s: %w", index, p.Bucket, err)
	}
	return removed, nil
}

func (s *Store) remove(ctx context.Context) (bool, error) {
	all, err := s.list(ctx, s.root)
	for _, o := range all {
		if err := s.delete(ctx, o.Key); err != nil {
			return false, err
		}
	}
	return len(all) > 0, err
}

// wrap adds what was done, the store and a remedy to an error.
func (s *Store) wrap(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	s.refresh(err)
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), s.target.explain(err))
}
