package consumer

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/index"
)

// follower owns the replica. One goroutine applies the journal to it; the others look, and wait for it to pass an offset.
type follower struct {
	mu          sync.Mutex
	replica     *index.Replica
	disputes    disputes
	claimants   claimants
	leaderEpoch int32         // of the last applied record
	appendTime  int64         // of the last record that had one, ms
	advanced    chan struct{} // closed and replaced when a batch of records is applied

	misrouted func(*index.Replica) error // of a routing that is not ours; nil: there may be such, on the way to the journal's end
	mark      uint64                     // behind which the replica is captured
	taken     chan<- capture             // and where to; nil: nobody asks

	caughtUp atomic.Bool // the replica has passed an end of the journal

	asks  chan func()   // lookups that wait
	ended chan struct{} // closed when none is answered any more
}

// newFollower begins with the replica as restored; open is the dispute because of which it was, if there is one.
func newFollower(member string, replica *index.Replica, leaderEpoch int32, open *dispute) *follower {
	return &follower{
		replica: replica, leaderEpoch: leaderEpoch, advanced: make(chan struct{}),
		disputes: disputes{member: member, began: replica.Next(), open: open, guilty: map[string]int64{}},
		asks:     make(chan func(), maxLookups), ended: make(chan struct{}),
	}
}

// apply is the only place that changes the replica.
func (f *follower) apply(at index.Stamp, leaderEpoch int32, rec index.Record) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.claimants.read(at.Offset < f.disputes.began, rec)
	if at.Offset < f.replica.Next() { // the mark before the snapshot
		return nil
	}
	effect := f.replica.Apply(at, rec)
	f.leaderEpoch = leaderEpoch
	if at.LogAppendTime > 0 {
		f.appendTime = at.LogAppendTime
	}
	if _, ok := rec.(*index.Routing); ok && effect.Applied && f.misrouted != nil {
		if err := f.misrouted(f.replica); err != nil {
			return err
		}
	}
	if mark, ok := rec.(*index.Mark); ok && f.taken != nil && mark.Number == f.mark {
		f.taken <- capture{f.replica.Capture(), leaderEpoch}
		f.taken = nil
	}
	return f.disputes.claim(at.Offset, rec, effect.Disputed)
}

// capture is a replica's state, and the leader epoch of the record before.
type capture struct {
	index.Capture
	leaderEpoch int32
}

// captureBehind has the replica captured when it has applied the mark of that number. Who asked before is forgotten.
func (f *follower) captureBehind(mark uint64) <-chan capture {
	f.mu.Lock()
	defer f.mu.Unlock()
	taken := make(chan capture, 1) // applying waits for nobody
	f.mark, f.taken = mark, taken
	return taken
}

// skip passes a stray.
func (f *follower) skip(at index.Stamp, leaderEpoch int32, why *journal.StrayError) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.claimants.skipped(at.Offset < f.disputes.began, why)
	if at.Offset >= f.replica.Next() {
		f.replica.Skip(at)
		f.leaderEpoch = leaderEpoch
	}
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

// next is the journal offset that the replica applies next.
func (f *follower) next() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.replica.Next()
}

// look calls fn with the replica, which must not change it nor keep it.
func (f *follower) look(fn func(*index.Replica)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	fn(f.replica)
}
