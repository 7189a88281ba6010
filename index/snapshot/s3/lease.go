package s3

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/unecho/unecho/index/snapshot"
)

const (
	lockKey   = "lock"
	leasesKey = "leases/"

	// leaseTime is how long a lease lasts that its holder does not renew, by the store's clock. A lease of a process that
	// was killed is free after it.
	leaseTime = 30 * time.Second
	// A holder gives up after leaseTime less this by its own clock, and another takes a lease after leaseTime and this:
	// the store tells time in seconds, and clocks do not run equally fast.
	leaseMargin = 3 * time.Second
	// renewals is how often a lease is renewed within its duration.
	renewals = 5
	// longestHolder bounds the bytes of a lease.
	longestHolder = 4 << 10
)

// holder is the content of a lease. That of a free one has no values.
type holder struct {
	By   string `json:"by"`   // for people
	Once string `json:"once"` // of this writing alone: the same bytes would have the same tag
}

// freed is the content of a free lease. Some stores refuse an empty object.
const freed = "{}"

// claim is a lease that this process holds.
type claim struct {
	store *Store
	key   string
	etag  string
	since time.Time // by this process's clock; the holder had the lease then
}

// claim takes the lease at key, if it is free. Expect *snapshot.LeasedError.
func (s *Store) claim(ctx context.Context, key string) (*claim, error) {
	const tries = 3 // each time another was faster
	for range tries {
		found, err := s.get(ctx, key, longestHolder, false)
		on := condition{etag: found.etag}
		switch {
		case errors.Is(err, errAbsent):
			on = condition{absent: true}
		case err != nil:
			return nil, err
		case string(found.data) != freed && found.age < s.duration+leaseMargin:
			return nil, &snapshot.LeasedError{Name: key[len(s.root):], By: holderOf(found.data).By}
		}
		c := &claim{store: s, key: key}
		if err = c.write(ctx, on); !errors.Is(err, errChanged) {
			return c, err
		}
	}
	return nil, &snapshot.LeasedError{Name: key[len(s.root):]}
}

// holderOf reads a lease. One that nobody can read is held by nobody known.
func holderOf(data []byte) (h holder) {
	if json.Unmarshal(data, &h) != nil {
		return holder{}
	}
	return h
}

// write writes the lease anew. Where another was faster it returns errChanged. An attempt whose answer was lost finds
// its own content.
func (c *claim) write(ctx context.Context, on condition) error {
	since := time.Now()
	data, err := json.Marshal(holder{By: snapshot.Process(), Once: rand.Text()})
	if err != nil {
		return err
	}
	etag, err := c.store.put(ctx, c.key, data, on)
	if errors.Is(err, errChanged) {
		found, readErr := c.store.get(ctx, c.key, longestHolder, false)
		if readErr != nil || string(found.data) != string(data) {
			return err
		}
		etag, err = found.etag, nil
	}
	if err == nil {
		c.etag, c.since = etag, since
	}
	return err
}

// end is when the holder gives up, if it does not renew the lease before.
func (c *claim) end() time.Time { return c.since.Add(c.store.duration - leaseMargin) }

// free gives the lease back, if it is still this claim's.
func (c *claim) free(ctx context.Context) error {
	_, err := c.store.put(ctx, c.key, []byte(freed), condition{etag: c.etag})
	if errors.Is(err, errChanged) {
		return nil
	}
	return err
}

// exclusively runs fn under the collector's lock, which Publish and Collect share. The context that fn gets ends while
// the lock is still held.
func (s *Store) exclusively(ctx context.Context, fn func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, 2*leaseTime+askBound) // one that was killed may hold it
	defer cancel()
	c, err := s.await(ctx)
	if err != nil {
		return err
	}
	locked, unlock := context.WithDeadline(ctx, c.end())
	defer unlock()
	err = fn(locked)
	freeing, done := context.WithDeadline(context.WithoutCancel(ctx), c.end())
	defer done()
	return errors.Join(err, c.free(freeing))
}

// await waits for the collector's lock.
func (s *Store) await(ctx context.Context) (*claim, error) {
	wait, most := 10*time.Millisecond, time.Second
	poll := time.NewTimer(wait)
	defer poll.Stop()
	for {
		c, err := s.claim(ctx, s.root+lockKey)
		if !errors.Is(err, snapshot.ErrLeased) {
			return c, err
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for another member's publish or collect: %w", context.Cause(ctx))
		case <-poll.C:
			wait = min(2*wait, most)
			poll.Reset(wait)
		}
	}
}

// Lease implements snapshot.Leaser.
func (s *Store) Lease(ctx context.Context, name string) (snapshot.Lease, error) {
	ctx, cancel := context.WithTimeout(ctx, askBound)
	defer cancel()
	c, err := s.claim(ctx, s.root+leasesKey+snapshot.FileName(name))
	if leased := (*snapshot.LeasedError)(nil); errors.As(err, &leased) {
		leased.Name = name
	}
	if err != nil {
		return nil, s.wrap(err, "lease")
	}
	renewing, stop := context.WithCancel(context.WithoutCancel(ctx))
	l := &lease{claim: c, lost: make(chan struct{}), stop: stop, stopped: make(chan struct{})}
	go l.renew(renewing)
	return l, nil
}

type lease struct {
	claim   *claim // of renew until stopped, then of Release
	lost    chan struct{}
	stop    func()
	stopped chan struct{}
	release sync.Once
}

// Lost implements snapshot.Lease.
func (l *lease) Lost() <-chan struct{} { return l.lost }

// Release implements snapshot.Lease.
func (l *lease) Release() error {
	var err error
	l.release.Do(func() {
		l.stop()
		<-l.stopped
		select {
		case <-l.lost:
			return
		default:
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Until(l.claim.end()))
		defer cancel()
		err = l.claim.store.wrap(l.claim.free(ctx), "release lease")
	})
	return err
}

// renew renews the lease until it is released, taken by another, or over because the store does not answer.
func (l *lease) renew(ctx context.Context) {
	defer close(l.stopped)
	tick := time.NewTicker(l.claim.store.duration / renewals)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			asking, cancel := context.WithDeadline(ctx, l.claim.end())
			err := l.claim.write(asking, condition{etag: l.claim.etag})
			cancel()
			if ctx.Err() == nil && (errors.Is(err, errChanged) || time.Now().After(l.claim.end())) {
				close(l.lost)
				return
			}
		}
	}
}
