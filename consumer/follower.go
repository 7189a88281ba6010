package consumer

import (
	"context"
	"fmt"
	"sync"

	"github.com/unecho/unecho/index"
)

// follower owns the replica. One goroutine applies the journal to it; the others look, and wait for it to pass an offset.
type follower struct {
	mu          sync.Mutex
	replica     *index.Replica
	leaderEpoch int32         // of the last applied record
	appendTime  int64         // of the last applied record, ms
	advanced    chan struct{} // closed and replaced when a batch of records is applied

	asks  chan func()   // lookups that wait
	ended chan struct{} // closed when none is answered any more
}

func newFollower(replica *index.Replica, leaderEpoch int32) *follower {
	return &follower{
		replica: replica, leaderEpoch: leaderEpoch, advanced: make(chan struct{}),
		asks: make(chan func(), maxLookups), ended: make(chan struct{}),
	}
}

// apply is the only place that changes the replica.
func (f *follower) apply(at index.Stamp, leaderEpoch int32, rec index.Record) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	effect := f.replica.Apply(at, rec)
	f.leaderEpoch, f.appendTime = leaderEpoch, at.LogAppendTime
	if d := effect.Accused; d != nil {
		return &StopError{
			What: fmt.Sprintf("this replica differs from that of %s at journal offset %d (hash %016x here, %016x there)",
				d.Member, d.Offset, d.Ours, d.Theirs),
			Remedy: "this member stops; when it starts again it restores and replays. If it stops here again, stop " + d.Member + ", whose replica is the wrong one",
		}
	}
	return nil
}

// passed wakes those who wait.
func (f *follower) passed() {
	f.mu.Lock()
	defer f.mu.Unlock()
	close(f.advanced)
	f.advanced = make(chan struct{})
}

// wait returns when the replica has applied the record at offset.
func (f *follower) wait(ctx context.Context, offset int64) error {
	for {
		f.mu.Lock()
		next, advanced := f.replica.Next(), f.advanced
		f.mu.Unlock()
		if next > offset {
			return nil
		}
		select {
		case <-advanced:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// look calls fn with the replica, which must not change it nor keep it.
func (f *follower) look(fn func(*index.Replica)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	fn(f.replica)
}
