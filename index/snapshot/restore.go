package snapshot

import (
	"context"
	"fmt"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/window"
)

// Files has segments of one process, so that memory need not hold them. See Store for what its methods do.
type Files interface {
	Put(ctx context.Context, name string, data []byte) error
	Read(ctx context.Context, name string) ([]byte, error)
}

// Restore fetches and decodes the segments of a snapshot whose state is already decoded, and returns the replica. It
// decodes segments while others are fetched, and links bands, on all cores. Only a few segments are in memory besides
// what the replica keeps. With files, sealed segments lie there: they are fetched only if they are not there, and
// whole.
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
	if files != nil {
		store = newBeside(store, files, m)
	}
	add := func(_ int, d *window.Decoded) error { return state.Add(d) }
	if err := ReadSegments(ctx, store, m.Segments, readAhead(), decode, add); err != nil {
		return nil, err
	}
	return state.Replica(spread)
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
