package snapshot

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/window"
)

// Segments has segments of one process. See Store for what Read does.
type Segments interface {
	Read(ctx context.Context, name string) ([]byte, error)
}

// Files has segments of one process, and blocks that find their documents, so that memory need not hold them. index/files
// says what its methods do.
type Files interface {
	Segments
	Put(ctx context.Context, name string, data []byte) error
	Blocks(ctx context.Context) ([]*window.Block, error)
	Block(ctx context.Context, run *window.Run) (*window.Block, error)
	Keep(needed func() map[string]bool) (removed int, err error)
}

// Restore fetches and decodes the segments of a snapshot whose state is already decoded, and returns the replica. It
// decodes segments while others are fetched, and links bands, on all cores. Only a few segments are in memory besides
// what the replica keeps. With files, sealed segments lie there: they are fetched only if they are not there, and
// whole. So do the blocks that find their documents: they are made if they are not there. What else lies there is removed
// first: there may be no room for both.
func Restore(ctx context.Context, store Store, files Files, m *Manifest, state *index.Restore) (*index.Replica, error) {
	if state.Next() != m.Position.Offset {
		return nil, fmt.Errorf("%w: it holds the state at %d", index.ErrCorrupt, state.Next())
	}
	decode := func(i int, data []byte) (*window.Decoded, error) {
		d, err := state.Decode(data)
		if err == nil && files != nil {
			d.Lies(m.Segments[i].Name, data)
		}
		return d, err
	}
	add := func(_ int, d *window.Decoded) error { return state.Add(d) }
	if files != nil {
		var sealed []string
		for _, s := range m.Segments {
			if s.Sealed {
				sealed = append(sealed, s.Name)
			}
		}
		if err := Find(ctx, files, sealed, state); err != nil {
			return nil, err
		}
		store = newBeside(store, files, m)
		add = func(_ int, d *window.Decoded) error { return errors.Join(state.Add(d), blockDue(ctx, files, state)) }
	}
	if err := ReadSegments(ctx, store, m.Segments, readAhead(), decode, add); err != nil {
		return nil, err
	}
	return state.Replica(spread)
}

// Find has a replica use the blocks that are there for sealed segments of these names, which it is made of in this order, and
// removes what it cannot use.
func Find(ctx context.Context, files Files, sealed []string, state *index.Restore) error {
	all, err := files.Blocks(ctx)
	if err != nil {
		return err
	}
	found, names := window.Cover(all, sealed), map[string]bool{}
	state.Found(found)
	for _, b := range found {
		names[b.File()] = true
	}
	for _, name := range sealed {
		names[name] = true
	}
	_, err = files.Keep(func() map[string]bool { return names })
	return err
}

// blockDue makes the blocks that are due behind a segment. None is merged: one that is damaged would be found so late.
func blockDue(ctx context.Context, files Files, state *index.Restore) error {
	for run := state.Files().DueNew(); run != nil; run = state.Files().DueNew() {
		b, err := files.Block(ctx, run)
		if err != nil {
			return err
		}
		state.Files().Adopt(b)
	}
	return nil
}

// beside is a store of which sealed segments are kept in files.
type beside struct {
	Store
	files  Files
	sealed map[string]bool
}

func newBeside(store Store, files Files, m *Manifest) *beside {
	b := &beside{Store: store, files: files, sealed: map[string]bool{}}
	for _, s := range m.Segments {
		b.sealed[s.Name] = s.Sealed
	}
	return b
}

// Segment implements Store.
func (b *beside) Segment(ctx context.Context, name string) ([]byte, error) {
	if !b.sealed[name] {
		return b.Store.Segment(ctx, name)
	}
	data, err := b.files.Read(ctx, name)
	if err == nil || ctx.Err() != nil {
		return data, err
	}
	if data, err = b.Store.Segment(ctx, name); err == nil {
		err = b.files.Put(ctx, name, data)
	}
	return data, err
}

// readAhead is how many segments are fetched and decoded at once: enough to keep all cores busy while others wait for
// the store, and few because each may take 16 MiB.
func readAhead() int { return runtime.GOMAXPROCS(0) + 2 }

// spread links the bands of a replica on all cores.
func spread(n int, link func(i int)) {
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		group.Go(func() error { link(i); return nil })
	}
	_ = group.Wait() // link returns no error
}
