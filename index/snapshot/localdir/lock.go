package localdir

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/unecho/unecho/index/snapshot/lockfile"
	"github.com/unecho/unecho/index/snapshot/objects"
)

// A waiter tries again after lockPoll, then each time after twice as long, up to lockPollMost, because flock cannot
// wait and observe a context at once.
const (
	lockPoll     = 200 * time.Microsecond
	lockPollMost = 10 * time.Millisecond
)

// Exclusively implements objects.Place.
func (d directory) Exclusively(ctx context.Context, fn func(ctx context.Context) error) (err error) {
	wait := lockPoll
	poll := time.NewTimer(wait)
	defer poll.Stop()
	for {
		f, err := lockfile.Open(filepath.Join(d.root, lockFile))
		if err != nil {
			return err
		}
		if f != nil {
			// Whoever held the lock before may have died between removing a manifest and making that durable.
			if err = d.disk.SyncDir(filepath.Join(d.root, objects.Manifests)); err == nil {
				err = fn(ctx)
			}
			return errors.Join(err, f.Close())
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for another member's publish or collect: %w", context.Cause(ctx))
		case <-poll.C:
			wait = min(2*wait, lockPollMost)
			poll.Reset(wait)
		}
	}
}
