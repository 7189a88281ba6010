//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/unecho/unecho/deploy/dev/proxy"
	"github.com/unecho/unecho/deploy/dev/testbed"
)

const (
	// dragBy is the delay of a slow bucket for each 32 KiB, in each direction.
	dragBy = 400 * time.Millisecond

	// mostSigned is the most by which members' clocks are off that use a bucket: a request that is signed more than 15 minutes
	// off is refused. What clocks gain or lose within a minute comes on top.
	mostSigned = 14 * time.Minute
)

// bucketServer speaks S3, and the members reach it through a proxy. A directory in dir is a bucket.
type bucketServer struct {
	*testbed.Server
	proxy *proxy.Proxy
	dir   string
	users string // the file of who may use it
}

// newBucketServer starts one.
func newBucketServer(ctx context.Context, at testbed.Files, program string) (*bucketServer, error) {
	server, address, err := testbed.NewS3(ctx, at, program)
	if err != nil {
		return nil, err
	}
	u, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	b := &bucketServer{Server: server, dir: u.Path, users: filepath.Join(at.Dir, testbed.S3Users)}
	if b.proxy, err = proxy.New(ctx, u.Host); err != nil {
		return nil, err
	}
	err = errors.Join(b.admit("chaos"), os.Setenv("AWS_ACCESS_KEY_ID", "chaos"), os.Setenv("AWS_SECRET_ACCESS_KEY", "not-a-secret"),
		server.Start(ctx))
	if err == nil {
		err = server.Await(ctx)
	}
	return b, err
}

// admit has the server know one user only.
func (b *bucketServer) admit(user string) error {
	text := fmt.Sprintf(`{"accessAccounts": {%q: {"access": %[1]q, "secret": "not-a-secret", "role": "admin"}}}`, user)
	return os.WriteFile(b.users, []byte(text), 0o600)
}

// suffer breaks the server, and mends it.
func (b *bucketServer) suffer(ctx context.Context, e event) error {
	if e.fault == drag {
		b.proxy.Slow(dragBy)
		wait(ctx, e.lasts)
		b.proxy.Slow(0)
		return nil
	}
	if e.fault == refuse {
		refused := b.admit("somebody else")
		wait(ctx, e.lasts)
		return errors.Join(refused, b.admit("chaos"))
	}
	b.proxy.Cut()
	wait(ctx, e.lasts)
	return b.proxy.Mend(ctx)
}

func (b *bucketServer) close() {
	b.Stop()
	b.proxy.Close()
}
