package member

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/files"
)

// TestSearchesLeaveTheJournalHalfTheTime: searches that take long take turns, and rest for as long as they worked.
func TestSearchesLeaveTheJournalHalfTheTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := restedFollower(t)
		const took, steps, searches = 10 * time.Millisecond, 5, 3
		held := time.Duration(0) // how long the replica was
		ended := make(chan error, searches)
		begun := time.Now()
		for range searches {
			left := steps
			go func() {
				ended <- f.Search(t.Context(), func(*index.Replica) bool {
					time.Sleep(took)
					held += took
					left--
					return left == 0
				})
			}()
		}
		for range searches {
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
		if all := time.Since(begun); held != searches*steps*took || all < 2*held {
			t.Errorf("the replica was held for %v of %v", held, all)
		}
	})
}

// TestSearchesEnd: with whoever asks, and with the replica.
func TestSearchesEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := restedFollower(t)
		cause := errors.New("the client went away")
		ctx, cancel := context.WithCancelCause(t.Context())
		ended := make(chan error)
		search := func(ctx context.Context) {
			ended <- f.Search(ctx, func(*index.Replica) bool { time.Sleep(time.Millisecond); return false })
		}
		go search(ctx)
		time.Sleep(time.Second)
		cancel(cause)
		if err := <-ended; !errors.Is(err, cause) {
			t.Errorf("nobody asks any more: %v", err)
		}
		go search(t.Context())
		time.Sleep(time.Second)
		close(f.ended)
		if err := <-ended; !errors.Is(err, ErrNoReplica) {
			t.Errorf("the replica is gone: %v", err)
		}
	})
}

// TestWaitEnds: with the replica's time, also where nothing else ends.
func TestWaitEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := restedFollower(t)
		f.Files = &files.Directory{}
		ended := make(chan error)
		for _, wait := range []func(context.Context, int64) error{f.Wait, f.Erased} {
			go func() { ended <- wait(context.Background(), 7) }()
		}
		synctest.Wait()
		close(f.ended)
		for range 2 {
			if err := <-ended; !errors.Is(err, ErrNoReplica) {
				t.Errorf("the replica is gone: %v", err)
			}
		}
	})
}

func restedFollower(t *testing.T) *Follower {
	t.Helper()
	replica, err := index.NewReplica(index.DefaultParams(), 1)
	if err != nil {
		t.Fatal(err)
	}
	return newFollower(&Setup{Name: "m", Counters: &Counters{}}, replica, journal.Begin{LeaderEpoch: -1}, nil)
}
