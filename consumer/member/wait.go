package member

import (
	"cmp"
	"context"
	"sync"

	"github.com/unecho/unecho/consumer/stop"
)

// waiting has those who wait for a replica look again each time that it advances. The replica's mutex guards it.
type waiting struct {
	mu       *sync.Mutex
	advanced chan struct{}   // closed and replaced when the replica has advanced
	ended    <-chan struct{} // closed when the replica's time is over
}

// wake has all look again. The caller holds mu.
func (w *waiting) wake() {
	close(w.advanced)
	w.advanced = make(chan struct{})
}

// until returns when is says so, which is called with mu. It ends as Wait does.
func (w *waiting) until(ctx context.Context, is func() bool) error {
	for {
		w.mu.Lock()
		reached, advanced := is(), w.advanced
		w.mu.Unlock()
		if reached {
			return nil
		}
		select {
		case <-advanced:
		case <-w.ended:
			return cmp.Or(context.Cause(ctx), ErrNoReplica)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Wait returns when the replica has applied the record at offset. It returns ErrNoReplica after the replica's time, and
// the cause of ctx.
func (f *Follower) Wait(ctx context.Context, offset int64) error {
	return f.waiting.until(ctx, func() bool { return f.replica.Next() > offset })
}

// Erased returns when what the record at offset erases is nowhere on this member, or the error for which a file may have
// it still. It ends as Wait does. KeepFiles must run.
func (f *Follower) Erased(ctx context.Context, offset int64) error {
	if f.Files == nil {
		return f.Wait(ctx, offset)
	}
	var kept error
	err := f.waiting.until(ctx, func() bool {
		kept = f.old.tidied.err
		return f.old.tidied.next > offset
	})
	if err == nil && kept != nil {
		err = &stop.Error{
			What: "the documents are erased, but a file of this member may have them still", Err: kept,
			Remedy: "make " + f.Files.Setting() + " writable: the file is removed then",
		}
	}
	return err
}

// Advanced returns a channel that is closed when more records are applied.
func (f *Follower) Advanced() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.waiting.advanced
}
