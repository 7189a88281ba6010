package member

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/files"
	"github.com/unecho/unecho/index/window"
)

// KeepFiles writes old documents of a follower's replica to files, and the blocks that find them, until ctx is done. The
// error says why the replica cannot go on.
func KeepFiles(ctx context.Context, f *Follower) error {
	if f.Files == nil {
		return nil
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return f.old.keep(ctx) })
	group.Go(func() error { return f.old.keepBlocks(ctx) })
	return group.Wait()
}

// keepBlocks makes the blocks that are due, until ctx is done. The error says why this replica cannot go on.
func (o *old) keepBlocks(ctx context.Context) error {
	var failing failing
	for {
		made, err := o.makeBlock(ctx)
		switch {
		case errors.Is(err, files.ErrVanished):
			return gone(err)
		case errors.Is(err, ErrFileLost):
			return err
		case ctx.Err() == nil:
			failing.note(o.f, err)
		}
		pause := fileEvery
		if err != nil {
			pause = filePause
		}
		if made {
			continue
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil
		}
	}
}

// makeBlock makes a block if one is due.
func (o *old) makeBlock(ctx context.Context) (made bool, err error) {
	var run *window.Run
	o.f.Look(func(r *index.Replica) { run = r.Files().Due() })
	if run == nil {
		return false, nil
	}
	for _, name := range run.Linked() {
		data, err := healed{o}.Read(ctx, name)
		if err == nil {
			err = run.Read(name, data)
		}
		if err != nil {
			return false, err
		}
	}
	name := run.File()
	o.making.Store(&name) // else tidy removes it before the replica knows of it
	defer o.making.Store(nil)
	b, err := o.f.Files.Block(ctx, run)
	if err != nil {
		for _, part := range run.Parts { // is one of them damaged?
			err = errors.Join(err, o.healBlock(part.File(), err))
		}
		return false, err
	}
	o.f.mu.Lock()
	if o.f.replica.Files().Adopt(b); !o.f.within {
		o.f.publish()
	}
	o.f.mu.Unlock()
	o.untidy.Store(true)
	o.wake()
	return true, nil
}

// healBlock reads a block again. One that is damaged or lost is removed: it is made anew when the replica is restored.
func (o *old) healBlock(name string, why error) error {
	o.f.Counters.FileErrs.Add(1)
	o.f.Logger.Warn().Err(why).Str("block", name).
		Msg("a block of old documents cannot be read: it is read again, or made anew from their files")
	var b *window.Block
	o.f.Look(func(r *index.Replica) { b = r.Files().BlockOf(name) })
	if b == nil {
		return nil // another one is in its place since
	}
	err := files.Check(o.f.Files, b)
	if err == nil || errors.Is(err, files.ErrVanished) {
		return err
	}
	o.f.Look(func(r *index.Replica) { err = errors.Join(err, o.tidyOf(r, name)) })
	return fmt.Errorf("%w: %w", ErrFileLost, err)
}

// wake wakes a follower that waits for what is written.
func (o *old) wake() {
	select {
	case o.filed <- struct{}{}:
	default:
	}
}
