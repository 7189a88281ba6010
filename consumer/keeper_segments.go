package consumer

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/snapshot"
)

// adopt learns from the snapshot of another member which sealed segments need not be written again; after a start, from the
// one that was restored. Its segments are ours as well where the journal's checkpoint has shown that its state is.
func (k *keeper) adopt(ctx context.Context) error {
	var confirmed int64
	k.follower.look(func(r *index.Replica) { confirmed = r.Confirmed() })
	if confirmed <= k.adopted {
		return nil
	}
	k.adopted = confirmed
	infos, err := k.store.Manifests(ctx)
	if err != nil {
		return fmt.Errorf("list snapshots: %w", err)
	}
	for _, i := range infos {
		if i.Position.JournalTopic != k.journalID || i.Position.Offset != confirmed {
			continue
		}
		m, err := k.store.Manifest(ctx, i.Position)
		if err != nil {
			return ignoreSpoilt(err)
		}
		for _, s := range m.Segments {
			if _, known := k.stored[s.Number]; s.Sealed && !known && m.Fingerprint == k.fingerprint {
				k.stored[s.Number] = s
			}
		}
	}
	return nil
}

// ignoreSpoilt drops errors about what is damaged or gone: that is written anew, or belongs to nobody.
func ignoreSpoilt(err error) error {
	var corrupt *snapshot.CorruptError
	if errors.As(err, &corrupt) || errors.Is(err, snapshot.ErrNoManifest) || errors.Is(err, snapshot.ErrMissingSegment) {
		return nil
	}
	return err
}

// scrub reads one of the stored segments again, each in its turn. All snapshots share them, so one that rots spoils all: it
// is forgotten here, and then written again, from memory.
func (k *keeper) scrub(ctx context.Context) error {
	s, ok := k.turn()
	if !ok {
		return nil
	}
	_, err := snapshot.FetchSegment(ctx, k.store, s)
	if err == nil {
		return nil
	}
	if ignoreSpoilt(err) != nil {
		return fmt.Errorf("read segment again: %w", err)
	}
	k.logger.Warn().Err(err).Msg("a stored segment was damaged: it is written again")
	delete(k.stored, s.Number)
	return nil
}

// turn is the stored segment after the one that was read last, in a circle.
func (k *keeper) turn() (s snapshot.Segment, ok bool) {
	numbers := make([]uint64, 0, len(k.stored))
	for n := range k.stored {
		numbers = append(numbers, n)
	}
	if len(numbers) == 0 {
		return s, false
	}
	slices.Sort(numbers)
	i, _ := slices.BinarySearch(numbers, k.scrubbed+1)
	k.scrubbed = numbers[i%len(numbers)]
	return k.stored[k.scrubbed], true
}

// putSegments stores what is not stored yet, and lists all segments in the manifest. What it stores it also reads back and
// decodes before it counts as stored; so a snapshot that fails half-way has only the rest to do the next time.
func (k *keeper) putSegments(ctx context.Context, c *index.Capture, m *snapshot.Manifest) error {
	state, err := k.decoded(c, m.State)
	if err != nil {
		return fmt.Errorf("verify snapshot: %w", err)
	}
	kept := map[uint64]snapshot.Segment{}
	var data []byte
	for i := range c.Segments {
		view := &c.Segments[i]
		segment, ok := k.stored[view.Number]
		if !ok {
			data = view.Append(data[:0])
			segment = snapshot.NewSegment(data, view.Documents())
			segment.Number, segment.Sealed = view.Number, view.Sealed
			if err := k.store.PutSegment(ctx, segment.Name, data); err != nil {
				return fmt.Errorf("put segment: %w", err)
			}
			if err := k.verify(ctx, state, segment); err != nil {
				return fmt.Errorf("verify snapshot: %w", err)
			}
		}
		if view.Sealed {
			kept[view.Number], k.stored[view.Number] = segment, segment
		}
		m.Segments = append(m.Segments, segment)
	}
	k.stored = kept
	return nil
}

// decoded is the captured state, decoded again.
func (k *keeper) decoded(c *index.Capture, captured []byte) (*index.Restore, error) {
	state, err := index.NewRestore(k.indexParams, k.fingerprint, captured)
	if err == nil && (state.Next() != c.Next || state.Hash() != c.Hash) {
		err = fmt.Errorf("it is of offset %d with hash %016x, captured at %d with %016x", state.Next(), state.Hash(), c.Next, c.Hash)
	}
	return state, err
}

// verify reads a segment back and decodes it.
func (k *keeper) verify(ctx context.Context, state *index.Restore, s snapshot.Segment) error {
	data, err := snapshot.FetchSegment(ctx, k.store, s)
	if err != nil {
		return err
	}
	d, err := state.Decode(data)
	if err == nil && (d.Number() != s.Number || d.Sealed() != s.Sealed || d.Documents() != s.Documents) {
		err = fmt.Errorf("segment %d of %d documents came back as %d of %d", s.Number, s.Documents, d.Number(), d.Documents())
	}
	return err
}
