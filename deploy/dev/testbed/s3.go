//go:build unix

package testbed

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// S3Users is the file in Files.Dir that has the users of a store that speaks S3, beside that of its address. It may change
// while the store runs.
const S3Users = "users.json"

// NewS3 makes a store that speaks S3: the program versitygw over a directory. Its address has user and password, and the
// directory as its path. The caller starts it.
func NewS3(ctx context.Context, at Files, program string) (s *Server, address string, err error) {
	ports, err := freePorts(ctx, 1)
	if err != nil {
		return nil, "", err
	}
	buckets := filepath.Join(at.Dir, "s3")
	if err := os.MkdirAll(buckets, 0o755); err != nil {
		return nil, "", err
	}
	const user, password = "unecho", "not-a-secret"
	host := local(ports[0])
	return &Server{
		Name: "s3", Log: filepath.Join(at.Dir, "s3.log"), stopSignal: syscall.SIGKILL, // nobody wants its data
		args: []string{
			program, "--quiet", "--access", user, "--secret", password, "--port", host, "--region", "us-east-1", "--iam-dir", at.Dir,
			"--iam-cache-disable", "posix", buckets,
		},
		ready: func(ctx context.Context) error {
			conn, err := new(net.Dialer).DialContext(ctx, "tcp", host)
			if err != nil {
				return err
			}
			return conn.Close()
		},
	}, strings.Join([]string{"http://", user, ":", password, "@", host, buckets}, ""), nil
}
