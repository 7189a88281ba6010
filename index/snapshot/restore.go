package snapshot

import (
	"context"
	"fmt"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/window"
)

// Restore fetches and decodes the segments of a snapshot whose state is already decoded, and returns the replica. It
// decodes segments while others are fetched, and links bands, on all cores. Only a few segments are in memory besides
// what the replica keeps.
func Restore(ctx context.Context, store Store, m *Manifest, state *index.Restore) (*index.Replica, error) {
	if state.Next() != m.Position.Offset {
		return nil, fmt.Errorf("%w: it holds the state at %d", index.ErrCorrupt, state.Next())
	}
	decode := func(_ int, data []byte) (*window.Decoded, error) { return state.Decode(data) }
	add := func(_ int, d *window.Decoded) error { return state.Add(d) }
	if err := ReadSegments(ctx, store, m.Segments, readAhead(), decode, add); err != nil {
		return nil, err
	}
	return state.Replica(spread)
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
