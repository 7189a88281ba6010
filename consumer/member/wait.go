package member

import (
	"cmp"
	"context"

	"github.com/unecho/unecho/consumer/stop"
)

// wake wakes those who wait.
func (f *Follower) wake() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.publish()
	f.advance()
}

// advance has those who wait look again. The caller holds mu.
func (f *Follower) advance() {
	close(f.advanced)
	f.advanced = make(chan struct{})
}

// Wait returns when the replica has applied the record at offset. It returns ErrNoReplica after the replica's time, and
// the cause of ctx.
func (f *Follower) Wait(ctx context.Context, offset int64) error {
	return f.until(ctx, func() bool { return f.replica.Next() > offset })
}

// Erased returns when what the record at offset erases is nowhere on this member, or the error for which a file may have
// it still. It ends as Wait does. KeepFiles must run.
func (f *Follower) Erased(ctx context.Context, offset int64) error {
	if f.Files == nil {
		return f.Wait(ctx, offset)
	}
	var kept error
	err := f.until(ctx, func() bool {
		kept = f.old.tidied.err
		return f.old.tidied.next > offset
	})
	if err == nil && kept != nil {
		err = &stop.Error{
			What: "the documents are erased, but a file of this member may have them still", Err: kept,
			Remedy: "make duplicates.remember.directory writable: the file is removed then",
		}
	}
	return err
}

// until returns when is says so, which is called with mu.
func (f *Follower) until(ctx context.Context, is func() bool) error {
	for {
		f.mu.Lock()
		reached, advanced := is(), f.advanced
		f.mu.Unlock()
		if reached {
			return nil
		}
		select {
		case <-advanced:
		case <-f.ended:
			return cmp.Or(context.Cause(ctx), ErrNoReplica)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Advanced returns a channel that is closed when more records are applied.
func (f *Follower) Advanced() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.advanced
}
