package dedup

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/index/files"
	"github.com/unecho/unecho/index/paging"
	"github.com/unecho/unecho/index/wire"
)

// emptyBytes is what the tables take, at most, that find next to nothing. --memory does not count it, nor what a block takes
// for the time in which it is made: 52 MB, or where blocks are merged 38 MiB and the filters of the new one, which are no more
// than an eighth of all filters.
const emptyBytes = 32 << 20

// keep has old documents lie in files, from when they take more memory than they may.
func (x *Index) keep(ctx context.Context) error {
	of := x.replica.Files()
	if x.params.Directory == nil || of.Uncovered() == x.sealed {
		return nil
	}
	x.sealed = of.Uncovered()
	if !x.paged && x.replica.Stats().WindowBytes <= int64(x.params.Memory) {
		return nil
	}
	if !x.paged && x.begins != nil {
		x.begins()
	}
	x.paged = true
	if err := paging.Keep(ctx, x.params.Directory, of); err != nil && ctx.Err() == nil {
		if bad := x.damaged(ctx); len(bad) > 0 { // which a merge found
			return x.lost(ctx, bad)
		}
		return fmt.Errorf("keep old documents in --directory: %w", err)
	}
	x.sealed = of.Uncovered()
	// If it is stopped, what is not kept is in memory still.
	if ctx.Err() == nil && x.replica.Stats().Memory > int64(x.params.Memory)+emptyBytes {
		return x.full(x.next)
	}
	return nil
}

// damaged returns the blocks that are not what was written.
func (x *Index) damaged(ctx context.Context) map[string]error {
	bad := map[string]error{}
	for _, b := range x.replica.Files().Blocks() {
		if err := files.Check(ctx, x.params.Directory, b); errors.Is(err, wire.ErrCorrupt) || errors.Is(err, files.ErrMissingBlock) {
			bad[b.File()] = err
		}
	}
	return bad
}

// lost says which file cannot be read. A block is removed: it is made anew where the run goes on.
func (x *Index) lost(_ context.Context, bad map[string]error) error {
	name, err := files.Unreadable(bad)
	if !files.ValidBlockName(name) {
		return err
	}
	needed := x.replica.Files().Names()
	delete(needed, name)
	return errors.Join(err, x.params.Directory.Keep(func() map[string]bool { return needed }))
}

// openDirectory opens the directory for old documents that the command line asks for, if it does.
func (r *dedupRun) openDirectory(c *Checkpoint) (err error) {
	run := "unecho dedup"
	if c != nil {
		at, err := filepath.Abs(filepath.Dir(c.path))
		if err != nil {
			return fmt.Errorf("--checkpoint: %w", err)
		}
		run += " --checkpoint " + at
	}
	s, resumes := c.resumed()
	r.Directory, err = files.OpenRun(cmdline.Text(r.cmd, "directory"), run, resumes && len(s.Files) > 0)
	return err
}
