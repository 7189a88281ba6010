package broker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/unecho/unecho/index/snapshot/lockfile"
)

// EmbeddedParams say where the embedded broker listens and keeps its data.
type EmbeddedParams struct {
	Dir    string // of the data; only one process may use it
	Listen string // host:port; port 0 takes a free one
	Allow  bool   // listen beyond this machine: everyone may then read and write everything
}

// These are names within the directory.
const (
	AddressFile = "kafka.address" // host:port, while the broker runs
	lockFile    = "kafka.lock"
	dataDir     = "kafka"
)

// Embedded is a broker in this process, for trying things out: one node, with topics, transactions and groups on disk.
// Any Kafka client on this machine can use it. After Close, a new broker goes on in the same directory. After any other
// end of the process, StartEmbedded refuses the directory: the broker writes the end of a transaction in several steps,
// and does not repair one that was cut short.
type Embedded struct {
	dir     string
	address string
	cluster *kfake.Cluster
	lock    *os.File
	broken  atomic.Bool // the broker could not write something
	closing sync.Once
	err     error
}

// StartEmbedded runs a broker until Close. Its address is written to AddressFile.
func StartEmbedded(ctx context.Context, p EmbeddedParams, logger zerolog.Logger) (*Embedded, error) {
	if err := mayListen(p); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Join(p.Dir, dataDir), 0o750); err != nil {
		return nil, &Fault{
			What: "cannot make the directory of the embedded broker", Err: err,
			Remedy: "name one that this process may write to",
		}
	}
	l, err := lockfile.Take(filepath.Join(p.Dir, lockFile))
	if err != nil {
		return nil, notReserved(p.Dir, err)
	}
	e := &Embedded{dir: p.Dir, lock: l}
	if err := e.start(ctx, p, logger); err != nil {
		return nil, errors.Join(err, lockfile.Release(l))
	}
	return e, nil
}

// notReserved says why a directory is not for this process.
func notReserved(dir string, err error) error {
	var taken *lockfile.TakenError
	if !errors.As(err, &taken) {
		return &Fault{
			What: "cannot lock the directory of the embedded broker", Err: err,
			Remedy: "name one that this process may write to",
		}
	}
	return &Fault{
		What:   fmt.Sprintf("cannot use %s: an embedded broker of %s runs there", dir, cmp.Or(taken.By, "another process")),
		Remedy: "stop that process, use its broker, or name another directory",
	}
}

func (e *Embedded) start(ctx context.Context, p EmbeddedParams, logger zerolog.Logger) error {
	data := filepath.Join(e.dir, dataDir)
	if err := mark(data); err != nil {
		return err
	}
	opts := []kfake.Opt{
		kfake.NumBrokers(1), kfake.DataDir(data), kfake.WithLogger(embeddedLogger{logger, &e.broken}),
		kfake.ListenFn(func(network, _ string) (net.Listener, error) {
			ln, err := new(net.ListenConfig).Listen(ctx, network, p.Listen)
			if err != nil {
				return nil, err
			}
			return guard{ln}, nil
		}),
	}
	var err error
	if e.cluster, err = kfake.NewCluster(opts...); err != nil {
		return errors.Join(cannotStart(p, err), unmark(data))
	}
	e.address = e.cluster.ListenAddrs()[0]
	if err := replaceFile(filepath.Join(e.dir, AddressFile), e.address+"\n"); err != nil {
		return errors.Join(fmt.Errorf("start embedded broker: %w", err), e.stop())
	}
	logger.Info().Str("address", e.address).Str("dir", e.dir).Msg("embedded broker listens")
	return nil
}

func cannotStart(p EmbeddedParams, err error) error {
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "listen" {
		return &Fault{
			What: "cannot listen on " + p.Listen, Err: op.Err,
			Remedy: "choose another port, or port 0 for a free one",
		}
	}
	return &Fault{What: "cannot start the embedded broker", Err: err, Remedy: "see whether " + p.Dir +
		" holds an embedded broker's data, and is writable"}
}

// Addr returns the address for clients, host:port.
func (e *Embedded) Addr() string { return e.address }

// Close stops the broker, writes what is still in memory, and removes the address file. Connections break. It may be
// called more than once.
func (e *Embedded) Close() error {
	e.closing.Do(func() {
		removed := os.Remove(filepath.Join(e.dir, AddressFile))
		if errors.Is(removed, os.ErrNotExist) {
			removed = nil
		}
		if err := errors.Join(removed, e.stop(), lockfile.Release(e.lock)); err != nil {
			e.err = fmt.Errorf("close embedded broker: %w", err)
		}
	})
	return e.err
}

// stop closes the broker, which writes the rest of its data. If that fails, the mark stays.
func (e *Embedded) stop() error {
	data := filepath.Join(e.dir, dataDir)
	e.cluster.Close()
	if e.broken.Load() {
		return fmt.Errorf("not all of %s was written, as the log says; the next start will refuse it", data)
	}
	return unmark(data)
}

// mayListen refuses addresses beyond this machine, unless they are allowed. It also refuses "any" addresses: a broker
// tells clients its own address, and they could not connect to that one.
func mayListen(p EmbeddedParams) error {
	host, _, err := net.SplitHostPort(p.Listen)
	if err != nil {
		return &Fault{What: "cannot listen on " + p.Listen, Err: err, Remedy: "write host:port, for example 127.0.0.1:9092"}
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		return &Fault{
			What:   fmt.Sprintf("cannot listen on %s: a broker tells clients its own address, and they cannot connect to this one", p.Listen),
			Remedy: "write the address under which clients reach this machine, or 127.0.0.1 for clients on it",
		}
	}
	if !p.Allow && !isLoopback(p.Listen) {
		return &Fault{
			What: fmt.Sprintf("will not listen on %s: the embedded broker knows no passwords, and everyone there could read "+
				"and write", p.Listen),
			Remedy: "listen on 127.0.0.1, or allow it explicitly",
		}
	}
	return nil
}

// replaceFile writes a file so that readers see it whole or not at all.
func replaceFile(path, text string) error {
	tmp := path + ".tmp"
	if err := os.WriteFile(tmp, []byte(text), 0o600); err != nil {
		return err
	}
	return os.Rename(tmp, path)
}
