package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/unecho/unecho/index/block"
	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/index/snapshot/durable"
	"github.com/unecho/unecho/index/window"
)

// ReadLinks reads the links of a run's documents, from the segments that have some.
func ReadLinks(ctx context.Context, from snapshot.Segments, run *window.Run) error {
	for _, name := range run.Linked() {
		data, err := from.Read(ctx, name)
		if err == nil {
			err = run.Read(name, data)
		}
		if err != nil {
			return fmt.Errorf("read links of segment %s: %w", name, err)
		}
	}
	return nil
}

// Room says whether the disk has room for the block of a run beside those that it is made of, and for as much again. If
// nobody knows, writing will tell. A run of segments always has room. In the directory of a run over files there is none any
// more when a merge has found the disk full: others use it, or a quota of which Free knows nothing.
func (d *Directory) Room(run *window.Run) (free, needed int64, ok bool) {
	if needed = run.Room(); needed == 0 {
		return 0, 0, true
	}
	free, err := d.Free()
	return free, needed, (err != nil || free >= needed) && !d.crowded.Load()
}

// Block writes the block of a run, and returns it. It reads the links that were not read before.
func (d *Directory) Block(ctx context.Context, run *window.Run) (*window.Block, error) {
	if err := ReadLinks(ctx, d, run); err != nil {
		return nil, err
	}
	var parts []io.ReaderAt
	for _, part := range run.Parts {
		f, _, err := d.OpenBlock(part.File())
		if err != nil {
			return nil, err
		}
		defer closeRead(f)
		parts = append(parts, f)
	}
	var postings *block.Block
	err := d.Write(ctx, run.File(), func(w io.Writer) (err error) {
		postings, err = run.Write(w, parts)
		return err
	})
	if err != nil {
		if len(parts) > 0 && d.of.Run != "" && durable.Full(err) {
			d.crowded.Store(true)
		}
		return nil, err
	}
	return window.NewBlock(run.File(), postings)
}

// Blocks opens the blocks that are there. One that is damaged, or of another version, is none.
func (d *Directory) Blocks(ctx context.Context) (all []*window.Block, err error) {
	entries, err := d.files(ValidBlockName)
	if err != nil {
		return nil, fmt.Errorf("list blocks in %s: %w", d.path, d.explain(err))
	}
	for _, e := range entries {
		b, err := open(d, e.Name)
		if errors.Is(err, ErrVanished) || ctx.Err() != nil {
			return nil, errors.Join(ctx.Err(), err)
		}
		if err == nil {
			all = append(all, b)
		}
	}
	return all, nil
}

func open(d *Directory, name string) (*window.Block, error) {
	f, size, err := d.OpenBlock(name)
	if err != nil {
		return nil, err
	}
	defer closeRead(f)
	postings, err := block.Open(f, size)
	if err != nil {
		return nil, err
	}
	return window.NewBlock(name, postings)
}

// Check reads all of a block in a directory, and returns why it is not what was written.
func Check(ctx context.Context, d *Directory, b *window.Block) error {
	d.handles.drop(b.File()) // what is open may be stale
	f, _, err := d.OpenBlock(b.File())
	if err != nil {
		return err
	}
	defer closeRead(f)
	for i := range b.Postings().Lists() {
		for _, err := range b.Postings().Postings(f, i) {
			if err = cmp.Or(err, ctx.Err()); err != nil {
				return fmt.Errorf("block %s: %w", b.File(), err)
			}
		}
	}
	return nil
}

// closeRead closes a file that was only read, so Close has nothing to tell.
func closeRead(f Reader) { _ = f.Close() }
