package snapshot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/snapshot/durable"
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
	Room(run *window.Run) (free, needed int64, ok bool)
	Keep(needed func() map[string]bool) error
}

// Restore fetches and decodes the segments of a snapshot whose state is already decoded, and returns the replica. It
// decodes segments while others are fetched, and links bands, on all cores. Only a few segments are in memory besides
// what the replica keeps. With files, sealed segments lie there: they are fetched only if they are not there, and
// whole. So do the blocks that find their documents: they are made if they are not there. What else lies there is removed
// first: there may be no room for both. done is called when so many segments are restored; nil: nobody asks.
func Restore(
	ctx context.Context, store Fetcher, files Files, m *Manifest, state *index.Restore, done func(segments int),
) (*index.Replica, error) {
	if state.Next() != m.Position.Offset {
		return nil, fmt.Errorf("%w: it holds the state at %d", index.ErrCorrupt, state.Next())
	}
	if files != nil {
		if err := find(ctx, files, m, state); err != nil {
			return nil, err
		}
	}
	read := func(ctx context.Context, i int) (*window.Decoded, error) {
		data, err := fetch(ctx, store, files, &m.Segments[i])
		if err != nil {
			return nil, err
		}
		d, err := state.Decode(data)
		if err == nil && files != nil {
			d.Lies(m.Segments[i].Name, data)
		}
		return d, err
	}
	add := func(i int, d *window.Decoded) error {
		err := state.Add(d)
		if err == nil && files != nil { // no blocks are merged: one that is damaged would be found so late
			_, err = Cover(ctx, files, state.Files(), false)
		}
		if done != nil {
			done(i + 1)
		}
		return err
	}
	// as many as keep all cores busy while others wait for the store, and few because each may take 16 MiB
	ahead := runtime.GOMAXPROCS(0) + 2
	if files != nil { // memory is small
		ahead = min(ahead, mostAhead)
	}
	if err := readAhead(ctx, len(m.Segments), ahead, read, add); err != nil {
		return nil, err
	}
	replica, err := state.Replica(func(n int, link func(i int)) {
		var group errgroup.Group
		group.SetLimit(runtime.GOMAXPROCS(0))
		for i := range n {
			group.Go(func() error {
				if ctx.Err() == nil { // linking a large window takes long
					link(i)
				}
				return nil
			})
		}
		_ = group.Wait() // there is none
	})
	if err = cmp.Or(ctx.Err(), err); err != nil {
		return nil, err
	}
	return replica, nil
}

// mostAhead bounds the segments in memory besides what a replica with files keeps.
const mostAhead = 8

// find has a replica use the blocks that are there for the sealed segments of a snapshot, and removes the files that it cannot
// use.
func find(ctx context.Context, files Files, m *Manifest, state *index.Restore) error {
	var sealed []string
	names := map[string]bool{}
	for _, s := range m.Segments {
		if s.Sealed {
			sealed, names[s.Name] = append(sealed, s.Name), true
		}
	}
	all, err := files.Blocks(ctx)
	if err != nil {
		return err
	}
	found := window.Cover(all, sealed)
	state.Found(found)
	for _, b := range found {
		names[b.File()] = true
	}
	return files.Keep(func() map[string]bool { return names })
}

// fetch fetches a segment. One that is sealed is read of its file, or lies there then.
func fetch(ctx context.Context, store Fetcher, files Files, s *Segment) ([]byte, error) {
	if files == nil || !s.Sealed {
		return FetchSegment(ctx, store, *s)
	}
	data, damage := files.Read(ctx, s.Name)
	if damage == nil || ctx.Err() != nil {
		return data, damage
	}
	data, err := FetchSegment(ctx, store, *s)
	if errors.Is(err, ErrMissingSegment) {
		return nil, fmt.Errorf("%w, and %w", err, damage)
	}
	if err == nil {
		err = files.Put(ctx, s.Name, data)
	}
	return data, err
}

// Cover makes the blocks that are due: of segments, and with merge of blocks, too, as far as there is room. Others may take
// the room while blocks are merged.
func Cover(ctx context.Context, files Files, of *window.Files, merge bool) (made int, err error) {
	for run := of.Due(merge); run != nil; run = of.Due(merge) {
		if _, _, room := files.Room(run); !room {
			break
		}
		b, err := files.Block(ctx, run)
		if len(run.Parts) > 0 && durable.Full(err) {
			break
		}
		if err != nil {
			return made, err
		}
		if !of.Adopt(b) {
			return made, fmt.Errorf("block %s is of no use for the window that it was made of", b.File())
		}
		made++
	}
	return made, nil
}
