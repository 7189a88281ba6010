package broker

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/unecho/unecho/consumer/broker/mend"
)

// EmbeddedParams say where the embedded broker listens and keeps its data.
type EmbeddedParams struct {
	Dir    string // of the data; one process at a time
	Listen string // host:port; port 0 takes a free one
	Allow  bool   // listen beyond this machine, where everyone may read and write everything
	Sync   bool   // wait for the disk at each write: what is acknowledged survives a power cut, and is slow
}

// Names within the directory.
const (
	AddressFile = "kafka.address" // host:port, while the broker runs
	lockFile    = "kafka.lock"
	dataDir     = "kafka"
)

// Embedded is a broker in this process: one node, its topics, transactions and groups on disk. Any Kafka client on this
// machine can use it. What it acknowledged survives the end of the process, also by SIGKILL.
type Embedded struct {
	dir     string
	address string
	cluster *kfake.Cluster
	lock    *lock
	commits *mend.Log
	closing sync.Once
	err     error
}

// StartEmbedded runs a broker until Close. Its address is written to AddressFile.
func StartEmbedded(ctx context.Context, p EmbeddedParams, logger zerolog.Logger) (*Embedded, error) {
	if err := mayListen(p); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Join(p.Dir, dataDir), 0o750); err != nil {
		return nil, &Fault{What: "cannot make the directory of the embedded broker", Err: err, Remedy: "name one that this process may write to"}
	}
	l, err := takeLock(filepath.Join(p.Dir, lockFile))
	if err != nil {
		return nil, err
	}
	e := &Embedded{dir: p.Dir, lock: l}
	if err := e.start(ctx, p, logger); err != nil {
		return nil, errors.Join(err, l.release())
	}
	return e, nil
}

func (e *Embedded) start(ctx context.Context, p EmbeddedParams, logger zerolog.Logger) error {
	data := filepath.Join(e.dir, dataDir)
	mended, err := mend.Mend(data, time.Now().UnixMilli())
	if err != nil {
		return &Fault{What: "cannot use the data of the embedded broker", Err: err, Remedy: "name another directory, or remove " + data}
	}
	if mended.Killed {
		logger.Info().Int("aborted", mended.Aborted).Int("taken_back", mended.TakenBack).
			Msg("embedded broker had not been closed: open transactions are aborted")
	}
	if e.commits, err = mend.Open(data, p.Sync); err != nil {
		return fmt.Errorf("start embedded broker: %w", err)
	}
	opts := []kfake.Opt{
		kfake.NumBrokers(1), kfake.DataDir(data), kfake.WithLogger(embeddedLogger{logger}),
		kfake.ListenFn(func(network, _ string) (net.Listener, error) {
			ln, err := new(net.ListenConfig).Listen(ctx, network, p.Listen)
			if err != nil {
				return nil, err
			}
			return guard{ln}, nil
		}),
	}
	if p.Sync {
		opts = append(opts, kfake.SyncWrites())
	}
	if e.cluster, err = kfake.NewCluster(opts...); err != nil {
		return errors.Join(cannotStart(p, err), e.commits.Close())
	}
	e.noteCommits(logger)
	e.address = e.cluster.ListenAddrs()[0]
	if err := replaceFile(filepath.Join(e.dir, AddressFile), e.address+"\n"); err != nil {
		e.cluster.Close()
		return errors.Join(fmt.Errorf("start embedded broker: %w", err), e.commits.Close())
	}
	logger.Info().Str("address", e.address).Str("dir", e.dir).Msg("embedded broker listens")
	return nil
}

// noteCommits lets no commit begin before it is noted. A commit that cannot be noted is refused by breaking its connection:
// the client asks again.
func (e *Embedded) noteCommits(logger zerolog.Logger) {
	e.cluster.ControlKey(int16(kmsg.EndTxn), func(req kmsg.Request) (kmsg.Response, error, bool) {
		end, ok := req.(*kmsg.EndTxnRequest)
		if !ok || !end.Commit {
			return nil, nil, false
		}
		if err := e.commits.Note(end.ProducerID, end.ProducerEpoch, time.Now().UnixMilli()); err != nil {
			logger.Error().Err(err).Msg("embedded broker cannot commit")
			e.cluster.KeepControl()
			return nil, err, true
		}
		return nil, nil, false // the broker goes on with it
	})
}

func cannotStart(p EmbeddedParams, err error) error {
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "listen" {
		return &Fault{What: "cannot listen on " + p.Listen, Err: op.Err, Remedy: "choose another port, or port 0 for a free one"}
	}
	return &Fault{What: "cannot start the embedded broker", Err: err, Remedy: "see whether " + p.Dir + " holds an embedded broker's data, and is writable"}
}

// Addr is where clients connect, host:port.
func (e *Embedded) Addr() string { return e.address }

// Close stops the broker, writes what it still has in memory, and removes the address. Connections break. It may be
// called more than once.
func (e *Embedded) Close() error {
	e.closing.Do(func() {
		removed := os.Remove(filepath.Join(e.dir, AddressFile))
		if errors.Is(removed, os.ErrNotExist) {
			removed = nil
		}
		e.cluster.Close()
		if err := errors.Join(removed, e.commits.Close(), e.lock.release()); err != nil {
			e.err = fmt.Errorf("close embedded broker: %w", err)
		}
	})
	return e.err
}

// mayListen refuses addresses beyond this machine, unless asked for, and addresses that clients could not come back to:
// a broker tells them its own, and "any" is none.
func mayListen(p EmbeddedParams) error {
	host, _, err := net.SplitHostPort(p.Listen)
	if err != nil {
		return &Fault{What: "cannot listen on " + p.Listen, Err: err, Remedy: "write host:port, for example 127.0.0.1:9092"}
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		return &Fault{
			What:   fmt.Sprintf("cannot listen on %s: a broker tells clients its own address, and this is none", p.Listen),
			Remedy: "write the address under which clients reach this machine, or 127.0.0.1 for clients on it",
		}
	}
	if !p.Allow && !isLoopback(p.Listen) {
		return &Fault{
			What:   fmt.Sprintf("will not listen on %s: the embedded broker knows no passwords, and everyone there could read and write", p.Listen),
			Remedy: "listen on 127.0.0.1, or allow it explicitly",
		}
	}
	return nil
}

// replaceFile writes a file that readers see whole or not at all.
func replaceFile(path, text string) error {
	tmp := path + ".tmp"
	if err := os.WriteFile(tmp, []byte(text), 0o600); err != nil {
		return err
	}
	return os.Rename(tmp, path)
}
