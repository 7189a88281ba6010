package member

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/unecho/unecho/consumer/retry"
	"github.com/unecho/unecho/consumer/stop"
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
	failing := failing{what: "blocks of old documents", most: mostUncovered}
	var unmerged time.Time // a merge failed then
	for {
		run := o.due(unmerged)
		pause, err := fileEvery, error(nil)
		if run != nil {
			if err = o.makeBlock(ctx, run); err == nil {
				pause = 0
			} else if pause = filePause; len(run.Parts) > 0 {
				unmerged = time.Now()
			}
		}
		switch {
		case errors.Is(err, files.ErrVanished):
			return o.gone(err)
		case errors.Is(err, ErrFileLost):
			return err
		case ctx.Err() != nil:
		case run == nil && len(o.unfiled()) > 0: // one may be due as soon as they lie in files
		case run == nil || len(run.Parts) == 0: // if none is due any more, nothing waits for one
			failing.note(o.f, err)
		case err != nil:
			o.f.Logger.Warn().Err(err).Msg("blocks of old documents are not merged: lookups ask more of them until that can be done")
		}
		if retry.Pause(ctx, pause) != nil {
			return nil //nolint:nilerr // that is its end
		}
	}
}

// mergePause is the time until a merge that failed is tried again. It is needed less than room on the disk.
const mergePause = time.Minute

// due returns a run for which a block is to be made; nil if there is none. Blocks are merged only where there is room for
// both.
func (o *old) due(unmerged time.Time) (run *window.Run) {
	o.f.Look(func(r *index.Replica) { run = r.Files().Due(time.Since(unmerged) > mergePause) })
	if run == nil || len(run.Parts) == 0 {
		return run
	}
	free, needed, room := o.f.Files.Room(run)
	if !room && !o.crowded {
		o.f.Logger.Info().Int64("free_bytes", free).Int64("needed_bytes", needed).
			Msg("blocks of old documents are not merged, for want of room: lookups ask more of them")
	}
	if o.crowded = !room; o.crowded {
		return nil
	}
	return run
}

// makeBlock makes the block of a run.
func (o *old) makeBlock(ctx context.Context, run *window.Run) error {
	began := time.Now()
	if err := files.ReadLinks(ctx, healed{o}, run); err != nil {
		return err
	}
	name := run.File()
	o.making.Store(&name) // else tidy removes it before the replica knows of it
	defer o.making.Store(nil)
	b, err := o.f.Files.Block(ctx, run)
	if damagedBlock(err) {
		for _, part := range run.Parts {
			if heal := o.heal(ctx, part.File(), err); heal != nil {
				return heal
			}
		}
	}
	if errors.Is(err, files.ErrMissingBlock) {
		return nil // a part has left the window, so another run is due
	}
	if err != nil {
		return err
	}
	used := o.use(func(h *window.Files) bool { return h.Adopt(b) })
	o.untidy.Store(true)
	o.f.Logger.Debug().Str("block", name).Bool("used", used).Int64("bytes", b.Postings().Size()).
		Dur("took_ms", time.Since(began)).Msg("a block of old documents is made")
	return nil
}

// blockPatience is how long a block that the disk does not read is tried again before it counts as lost.
const blockPatience = 10 * time.Second

// healBlock reads a block again. One that is damaged or lost is removed: the replica is restored, and it is made anew.
func (o *old) healBlock(ctx context.Context, name string, why error) error {
	var b *window.Block
	o.f.Look(func(r *index.Replica) { b = r.Files().BlockOf(name) })
	if b == nil {
		return nil // another one is in its place since
	}
	o.ails(name, fmt.Errorf("block %s: %w", name, why))
	o.f.Logger.Warn().Err(why).Str("block", name).
		Msg("a block of old documents cannot be read: it is read again; if it is damaged, this replica is restored")
	until := time.Now().Add(blockPatience)
	err := retry.While(ctx, healPause, func() error { return files.Check(ctx, o.f.Files, b) }, func(err error, _ time.Duration) bool {
		o.f.Counters.FileErrs.Add(1)
		return ctx.Err() == nil && !damagedBlock(err) && !errors.Is(err, files.ErrVanished) && time.Now().Before(until)
	})
	if err == nil || ctx.Err() != nil || errors.Is(err, files.ErrVanished) {
		return err
	}
	if err := o.remove(name); err != nil {
		return &stop.Error{
			What: "block " + name + " of old documents is damaged, and cannot be removed", Err: err,
			Remedy: "make " + o.f.Files.Setting() + " writable, and start again",
		}
	}
	return fmt.Errorf("%w: block %s: %w", ErrFileLost, name, err)
}

// damagedBlock says whether an error is that a block is lost or damaged, so that reading it again is of no use.
func damagedBlock(err error) bool {
	return errors.Is(err, index.ErrCorrupt) || errors.Is(err, files.ErrMissingBlock)
}
