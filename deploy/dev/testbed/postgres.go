//go:build unix

package testbed

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// postgresName is user and password. The password is asked for on each connection, so that a wrong one can be tested.
const postgresName = "unecho"

// Postgres is a PostgreSQL with a cluster of its own.
type Postgres struct {
	*Server
	URL string
}

// NewPostgres makes the cluster's files. The caller starts the server. When run as root, the server runs as an
// unprivileged user.
func NewPostgres(ctx context.Context, at Files) (*Postgres, error) {
	bin, err := findPostgres(ctx)
	if err != nil {
		return nil, err
	}
	as, err := unprivileged()
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(at.Dir, 0o711); err != nil { // the user must pass through to its own directory
		return nil, err
	}
	dir := filepath.Join(at.Dir, "postgres")
	if err := initPostgres(ctx, bin, dir, as); err != nil {
		return nil, err
	}
	ports, err := freePorts(ctx, 1)
	if err != nil {
		return nil, err
	}
	port := strconv.Itoa(ports[0])
	return &Postgres{
		URL: fmt.Sprintf("postgres://%[1]s:%[1]s@127.0.0.1:%[2]s/postgres?sslmode=disable", postgresName, port),
		Server: &Server{
			Name: "postgres", Log: filepath.Join(at.Dir, "postgres.log"), as: as,
			stopSignal: syscall.SIGINT, // fast shutdown, which disconnects clients
			args: []string{
				filepath.Join(bin, "postgres"), "-D", filepath.Join(dir, "data"), "-p", port, "-c", "listen_addresses=127.0.0.1",
				"-c", "unix_socket_directories=" + dir, "-c", "max_connections=200",
				"-c", "fsync=off", "-c", "full_page_writes=off", // the data is thrown away
			},
			ready: func(ctx context.Context) error {
				return exec.CommandContext(ctx, filepath.Join(bin, "pg_isready"), "-q", "-h", "127.0.0.1", "-p", port).Run()
			},
		},
	}, nil
}

// initPostgres makes the cluster's files in dir/data.
func initPostgres(ctx context.Context, bin, dir string, as *syscall.Credential) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	password := filepath.Join(dir, "password")
	if err := os.WriteFile(password, []byte(postgresName), 0o600); err != nil {
		return err
	}
	if as != nil {
		if err := errors.Join(os.Chown(dir, int(as.Uid), int(as.Gid)),
			os.Chown(password, int(as.Uid), int(as.Gid))); err != nil {
			return err
		}
	}
	cmd := exec.CommandContext(ctx, filepath.Join(bin, "initdb"), "-D", filepath.Join(dir, "data"), "-U", postgresName,
		"--pwfile="+password, "--auth=scram-sha-256", "--encoding=UTF8", "--locale=C", "--no-sync")
	cmd.Dir = dir // initdb wants a working directory that its user may read
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: as}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("initialise postgres: %w\n%s", err, out)
	}
	return nil
}

// unprivileged returns the user that runs PostgreSQL, because PostgreSQL refuses to run as root. nil means the present
// user.
func unprivileged() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		account, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, uidErr := strconv.ParseUint(account.Uid, 10, 32)
		gid, gidErr := strconv.ParseUint(account.Gid, 10, 32)
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, errors.Join(uidErr, gidErr)
	}
	return nil, errors.New("PostgreSQL refuses to run as root, and there is neither a user postgres nor nobody: run as " +
		"another user, or set UNECHO_TEST_POSTGRES")
}
