package consumer

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

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

	// reading is how the replica stood a moment ago. Who only looks at numbers takes them from here, and waits for no record
	// that is being applied.
	reading atomic.Pointer[reading]
	read    time.Time // when it was taken

	caughtUp atomic.Bool // the replica has passed an end of the journal

	asks  chan func()   // lookups that wait
	ended chan struct{} // closed when none is answered any more
}

// newFollower begins with the replica as restored; open is the dispute because of which it was, if there is one.
func newFollower(member string, replica *index.Replica, leaderEpoch int32, open *dispute) *follower {
	f := &follower{
		replica: replica, leaderEpoch: leaderEpoch, advanced: make(chan struct{}),
		disputes: disputes{member: member, began: replica.Next(), open: open, guilty: map[string]int64{}},
		asks:     make(chan func(), maxLookups), ended: make(chan struct{}),
	}
	f.publish()
	return f
}

// reading is what Stats shows of a replica.
type reading struct {
	index      index.Stats
	next       int64 // journal offset that is applied next
	appendTime int64 // of the record applied last, ms
}

// readingEvery is how old a reading becomes while one record after another is applied.
const readingEvery = 100 * time.Millisecond

// publish takes a reading. The caller holds mu, or is alone.
func (f *follower) publish() {
	f.reading.Store(&reading{index: f.replica.Stats(), next: f.replica.Next(), appendTime: f.appendTime})
	f.read = time.Now()
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
	if time.Since(f.read) > readingEvery {
		f.publish()
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
	f.publish()
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
