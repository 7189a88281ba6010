package s3

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/index/snapshot/objects"
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

// goodbyeBound is how long giving a lease back may take: it ends by itself.
const goodbyeBound = 2 * time.Second

// holder is the content of a lease. That of a free one has no values.
type holder struct {
	By    string `json:"by"` // for people
	ID    string `json:"id"` // of the claim
	Count int    `json:"count"`
}

// freed is the content of a free lease. Some stores refuse an empty object.
const freed = "{}"

// claim is a lease that this process holds.
type claim struct {
	store *Store
	key   string
	id    string
	count int // writings of this claim: the same bytes would have the same tag
	etag  string
	since time.Time // by this process's clock; the holder had the lease then
}

// claim takes the lease at key, if it is free. Expect *snapshot.LeasedError.
func (s *Store) claim(ctx context.Context, key string) (*claim, error) {
	const tries = 3 // each time another was faster
	for range tries {
		found, err := s.get(ctx, key, longestHolder, false)
		on := condition{unchanged: true, etag: found.etag}
		switch {
		case errors.Is(err, objects.ErrAbsent):
			on = condition{absent: true}
		case err != nil:
			return nil, err
		case string(found.data) != freed && found.age < s.duration+leaseMargin:
			return nil, &snapshot.LeasedError{Name: key[len(s.root):], By: holderOf(found.data).By}
		}
		c := &claim{store: s, key: key, id: rand.Text()}
		if err = c.write(ctx, on); !errors.Is(err, errChanged) && !errors.Is(err, errAgain) {
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

// errAgain: the lease is still this claim's, and was not renewed.
var errAgain = errors.New("the lease is not renewed: it is tried again")

// write writes the lease anew. Where another was faster it returns errChanged. An attempt whose answer was lost is found in
// the store: this one counts, and an earlier one tells only the tag by which the next attempt goes.
func (c *claim) write(ctx context.Context, on condition) error {
	since := time.Now()
	c.count++
	data, err := json.Marshal(holder{By: snapshot.Process(), ID: c.id, Count: c.count})
	if err != nil {
		return err
	}
	done, err := c.store.put(ctx, c.key, data, on)
	if errors.Is(err, errChanged) {
		found, readErr := c.store.get(ctx, c.key, longestHolder, false)
		is := holderOf(found.data)
		switch {
		case errors.Is(readErr, objects.ErrAbsent):
			return err
		case readErr != nil:
			return readErr
		case is.ID == c.id && is.Count < c.count:
			c.etag = found.etag
			return errAgain
		case is.ID == c.id:
			done.ETag, err = found.etag, nil
		case on.unchanged && found.etag == on.etag: // refused for another reason
			return errAgain
		}
	}
	if err == nil {
		c.etag, c.since = done.ETag, since
	}
	return err
}

// end is when the holder gives up, if it does not renew the lease before.
func (c *claim) end() time.Time { return c.since.Add(c.store.duration - leaseMargin) }

// free gives the lease back, if it is still this claim's.
func (c *claim) free() error {
	ctx, cancel := context.WithTimeout(context.Background(), min(goodbyeBound, time.Until(c.end())))
	defer cancel()
	_, err := c.store.put(ctx, c.key, []byte(freed), condition{unchanged: true, etag: c.etag})
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
	return errors.Join(fn(locked), c.free())
}

// await waits for the collector's lock.
func (s *Store) await(ctx context.Context) (*claim, error) {
	wait, most := 10*time.Millisecond, time.Second
	poll := time.NewTimer(wait)
	defer poll.Stop()
	for {
		c, err := s.claim(ctx, s.root+lockKey)
		var leased *snapshot.LeasedError
		if !errors.As(err, &leased) {
			return c, err
		}
		select {
		case <-ctx.Done():
			return nil, s.target.waited(leased.By)
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
		err = l.claim.store.wrap(l.claim.free(), "release lease")
	})
	return err
}

// renew renews the lease until it is released, taken by another, or over because the store does not answer. A renewal that
// hangs leaves time for the next one.
func (l *lease) renew(ctx context.Context) {
	defer close(l.stopped)
	c := l.claim
	every := c.store.duration / renewals
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-time.After(time.Until(c.end())):
		}
		asking, cancel := context.WithTimeout(ctx, min(every, time.Until(c.end())))
		err := c.write(asking, condition{unchanged: true, etag: c.etag})
		cancel()
		c.store.refresh(err)
		if ctx.Err() == nil && (errors.Is(err, errChanged) || !time.Now().Before(c.end())) {
			close(l.lost)
			return
		}
	}
}
