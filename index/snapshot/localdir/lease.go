package localdir

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"

	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/index/snapshot/lockfile"
)

// Lease implements snapshot.Leaser. The lock file stays when the lease ends: if it were removed, two processes could
// hold the same name.
func (s *Store) Lease(ctx context.Context, name string) (snapshot.Lease, error) {
	l, err := s.lease(ctx, name)
	return l, wrap(err, "lease")
}

func (s *Store) lease(ctx context.Context, name string) (snapshot.Lease, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f, err := lockfile.Take(s.dir.leasePath(name))
	var taken *lockfile.TakenError
	if errors.As(err, &taken) {
		return nil, &snapshot.LeasedError{Name: name, By: taken.By}
	}
	if err != nil {
		return nil, err
	}
	l := &lease{file: f, lost: make(chan struct{}), stop: make(chan struct{}), stopped: make(chan struct{})}
	go l.watch(s.watch)
	return l, nil
}

type lease struct {
	file    *os.File
	lost    chan struct{} // closed by watch
	stop    chan struct{} // closed by Release
	stopped chan struct{} // closed by watch, at its end
	release sync.Once
}

// Lost implements snapshot.Lease.
func (l *lease) Lost() <-chan struct{} { return l.lost }

// Release implements snapshot.Lease.
func (l *lease) Release() error {
	var err error
	l.release.Do(func() {
		close(l.stop)
		<-l.stopped
		err = wrap(l.file.Close(), "release lease")
	})
	return err
}

// watch checks regularly whether the lock file was removed or replaced, for example by someone cleaning up: another
// process can then lock the new file.
func (l *lease) watch(every time.Duration) {
	defer close(l.stopped)
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-l.stop:
			return
		case <-tick.C:
			if lockfile.Lost(l.file) {
				close(l.lost)
				return
			}
		}
	}
}
