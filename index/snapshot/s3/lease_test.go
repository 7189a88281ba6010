package s3

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/unecho/unecho/index/snapshot"
)

// age makes an object older.
func (f *fake) age(key string, by time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.older[key] += by
}

// A lease of a process that was killed is taken by another after its duration, and not before.
func TestLeaseOfTheKilled(t *testing.T) {
	f := newFake(t)
	s := f.store(t)
	key := s.root + leasesKey + "writer"
	dead, err := s.claim(t.Context(), key)
	must(t, err)
	f.age(key, leaseTime-time.Second)
	if _, err := s.Lease(t.Context(), "writer"); !errors.Is(err, snapshot.ErrLeased) || !strings.Contains(err.Error(), "pid ") {
		t.Fatalf("a lease that is not over: got %v, want who holds it", err)
	}
	f.age(key, 2*leaseMargin+time.Second)
	next, err := s.Lease(t.Context(), "writer")
	must(t, err)
	if err := dead.write(t.Context(), condition{unchanged: true, etag: dead.etag}); !errors.Is(err, errChanged) {
		t.Errorf("the dead holder renews: %v", err)
	}
	must(t, dead.free())
	if _, err := s.Lease(t.Context(), "writer"); !errors.Is(err, snapshot.ErrLeased) {
		t.Errorf("the dead holder has freed the lease of the next one: %v", err)
	}
	must(t, next.Release())
}

// A lease is renewed for as long as the store answers, and lost before another could take it.
func TestLeaseWithoutTheStore(t *testing.T) {
	f := newFake(t)
	s := f.store(t)
	s.duration = leaseMargin + 2*time.Second
	held, err := s.Lease(t.Context(), "writer")
	must(t, err)
	l := held.(*lease)
	first := l.claim.etag
	renewed := make(chan struct{}, 100)
	f.answer(func(w http.ResponseWriter, r *http.Request, store http.Handler) {
		store.ServeHTTP(w, r)
		renewed <- struct{}{}
	})
	<-renewed
	<-renewed
	f.refuse(http.StatusForbidden, "AccessDenied", "no")
	<-l.lost
	if now := time.Now(); now.Before(l.claim.end()) || now.After(l.claim.since.Add(s.duration)) {
		t.Errorf("it is lost %v after it was held for sure, want %v to %v", now.Sub(l.claim.since), s.duration-leaseMargin, s.duration)
	}
	if l.claim.etag == first {
		t.Error("it was never renewed")
	}
	f.answer(func(w http.ResponseWriter, r *http.Request, store http.Handler) { store.ServeHTTP(w, r) })
	must(t, held.Release())
}

// Who cannot renew a lease gives it up at the end of what is sure, whenever it was tried last.
func TestLeaseIsLostInTime(t *testing.T) {
	s := newFake(t).store(t)
	s.clock.base = roundTrip(func(r *http.Request) (*http.Response, error) { return refused(r), nil })
	synctest.Test(t, func(t *testing.T) {
		c := &claim{store: s, key: "lease", etag: "tag", since: time.Now()}
		l := &lease{claim: c, lost: make(chan struct{}), stopped: make(chan struct{})}
		go l.renew(t.Context())
		<-l.lost
		if held := time.Since(c.since); held != leaseTime-leaseMargin {
			t.Errorf("it is lost after %v, want %v", held, leaseTime-leaseMargin)
		}
	})
}

// Another took the lease, which it could because the clocks of both run apart.
func TestLeaseTakenAway(t *testing.T) {
	f := newFake(t)
	s := f.store(t)
	s.duration = leaseMargin + 2*time.Second
	held, err := s.Lease(t.Context(), "writer")
	must(t, err)
	f.rewrite(t, leasesKey+"writer", func([]byte) []byte { return []byte(`{"by":"another"}`) })
	<-held.Lost()
	must(t, held.Release())
	if _, err := s.claim(t.Context(), s.root+leasesKey+"writer"); !errors.Is(err, snapshot.ErrLeased) {
		t.Errorf("releasing freed the lease of another: %v", err)
	}
}

// A write arrived, and its answer was lost: the next attempt finds that the lease is its own.
func TestLostAnswer(t *testing.T) {
	f := newFake(t)
	s := f.store(t)
	lost := 0
	f.answer(func(w http.ResponseWriter, r *http.Request, store http.Handler) {
		if r.Method != http.MethodPut || lost == 1 {
			store.ServeHTTP(w, r)
			return
		}
		lost++
		store.ServeHTTP(httptest.NewRecorder(), r)
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	l, err := s.Lease(t.Context(), "writer")
	must(t, err)
	if lost != 1 {
		t.Fatalf("%d answers were lost, want 1", lost)
	}
	must(t, l.Release())
}

// A renewal arrived, and all its answers were lost: the next ones go on from it, and the lease is not lost.
func TestLostAnswersOfARenewal(t *testing.T) {
	f := newFake(t)
	s := f.store(t)
	c, err := s.claim(t.Context(), s.root+leasesKey+"writer")
	must(t, err)
	f.answer(func(w http.ResponseWriter, r *http.Request, store http.Handler) {
		store.ServeHTTP(httptest.NewRecorder(), r)
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	if err := c.write(t.Context(), condition{unchanged: true, etag: c.etag}); err == nil || errors.Is(err, errChanged) {
		t.Fatalf("without an answer: %v, want an error that says nothing of another holder", err)
	}
	f.answer(func(w http.ResponseWriter, r *http.Request, store http.Handler) { store.ServeHTTP(w, r) })
	if err := c.write(t.Context(), condition{unchanged: true, etag: c.etag}); !errors.Is(err, errAgain) {
		t.Fatalf("the next renewal: %v, want that it is tried again", err)
	}
	must(t, c.write(t.Context(), condition{unchanged: true, etag: c.etag}))
}

// A publisher was killed with the collector's lock. The next one waits until the lock is over.
func TestLockOfTheKilled(t *testing.T) {
	f := newFake(t)
	s := f.store(t)
	_, err := s.claim(t.Context(), s.root+lockKey)
	must(t, err)
	published := make(chan error, 1)
	asked := make(chan struct{}, 1000)
	f.answer(func(w http.ResponseWriter, r *http.Request, store http.Handler) {
		store.ServeHTTP(w, r)
		asked <- struct{}{}
	})
	go func() { published <- s.Publish(t.Context(), snapshot.Manifest{Index: "orders"}) }()
	for range 5 {
		<-asked
	}
	select {
	case err := <-published:
		t.Fatalf("published beside one that holds the lock: %v", err)
	default:
	}
	f.age(s.root+lockKey, leaseTime+2*leaseMargin)
	must(t, <-published)
}
