package archive

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/index/window"
)

// Follows returns why a store cannot take a snapshot, given those of the same journal that it has; nil if it can.
func Follows(ctx context.Context, store snapshot.Store, m *snapshot.Manifest) error {
	infos, err := store.Manifests(ctx)
	if err != nil {
		return err
	}
	for _, i := range infos {
		if !i.Position.SameJournal(m.Position) {
			continue
		}
		if i.Position.Newer(m.Position) {
			return fmt.Errorf("%w at offset %d, this one is of offset %d", snapshot.ErrStale, i.Position.Offset,
				m.Position.Offset)
		}
		if there, err := store.Manifest(ctx, i.Position); err == nil && there.Fingerprint != m.Fingerprint {
			return errors.New("its settings differ from those of the snapshots of the same journal in the store")
		}
	}
	return nil
}

// Put stores the snapshot: first its segments, each decoded before and read back after, and then its manifest, when all
// segments are known to belong together. stored is called after each segment. The reader must not have been read from.
func (r *Reader) Put(ctx context.Context, store snapshot.Store, state *index.Restore, stored func()) error {
	shapes := map[string]window.Shape{}
	for {
		s, data, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		d, err := state.Decode(data)
		if err != nil {
			return fmt.Errorf("segment %s: %w", s.Name[:16], err)
		}
		shapes[s.Name] = d.Shape()
		if err := put(ctx, store, s, data); err != nil {
			return err
		}
		stored()
	}
	var all []window.Shape
	for _, s := range r.manifest.Segments {
		all = append(all, shapes[s.Name])
	}
	if err := state.Check(all); err != nil {
		return err
	}
	return store.Publish(ctx, r.manifest)
}

func put(ctx context.Context, store snapshot.Store, s snapshot.Segment, data []byte) error {
	if err := store.PutSegment(ctx, s.Name, data); err != nil {
		return err
	}
	_, err := snapshot.FetchSegment(ctx, store, s)
	return err
}
