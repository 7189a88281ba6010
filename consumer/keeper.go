package consumer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/snapshot"
)

// keeper writes the replica's snapshots, says so in the journal, and trims what no snapshot needs any more. One member
// writes at a time; that is only to save work.
type keeper struct {
	*shared
	store  snapshot.Store
	params snapshot.Params
	member string
	stored map[uint64]snapshot.Segment // sealed segments that are in the store, by number
}

func (k *keeper) run(ctx context.Context) {
	tick := time.NewTicker(k.params.Every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			k.keep(ctx, k.snapshotIfDue)
		case <-ctx.Done():
			return
		}
	}
}

// keep has take make a snapshot while no other member does. What fails is counted and said; the stream goes on, and the
// journal is not trimmed.
func (k *keeper) keep(ctx context.Context, take func(context.Context) error) {
	ctx, cancel := context.WithTimeout(ctx, max(5*k.params.Every, time.Minute))
	defer cancel()
	lease, err := k.store.Lease(ctx, "writer")
	if errors.Is(err, snapshot.ErrLeased) {
		return
	}
	if err == nil {
		err = take(ctx)
		err = errors.Join(err, lease.Release())
	}
	if err != nil && !errors.Is(err, snapshot.ErrStale) && ctx.Err() == nil {
		k.counters.snapshotErrs.Add(1)
		k.logger.Error().Err(err).Msg("snapshot is not taken: the stream goes on, the journal is not trimmed")
	}
}

// snapshotIfDue leaves it when another member has taken one within the interval. It saves work, and keeps the second newest
// snapshot, below which the journal is trimmed, old enough for a member that is just restoring the one before.
func (k *keeper) snapshotIfDue(ctx context.Context) error {
	infos, err := k.store.Manifests(ctx)
	if err != nil {
		return fmt.Errorf("list snapshots: %w", err)
	}
	for _, i := range infos {
		if i.Position.JournalTopic != k.journalID {
			continue
		}
		age := time.Since(time.UnixMilli(i.Taken))
		if age < 0 || age >= k.params.Every*3/4 { // members tick at different moments, and their clocks may differ
			break
		}
		k.counters.snapshotNext.Store(i.Position.Offset)
		k.counters.snapshotTime.Store(i.Taken)
		return nil
	}
	return k.snapshot(ctx)
}

func (k *keeper) snapshot(ctx context.Context) error {
	if !k.changed() {
		return nil
	}
	capture, position := k.capture()
	m := snapshot.Manifest{
		Index: k.indexName, Position: position, Taken: time.Now().UnixMilli(), Fingerprint: k.fingerprint, State: capture.State,
	}
	fresh, err := k.putSegments(ctx, &capture, &m)
	if err != nil {
		return err
	}
	err = k.store.Publish(ctx, m)
	if errors.Is(err, snapshot.ErrMissingSegment) {
		clear(k.stored) // somebody collected them: put all again the next time
	}
	if err != nil {
		return fmt.Errorf("publish snapshot: %w", err)
	}
	if err := k.verify(ctx, position, fresh); err != nil {
		return err
	}
	k.counters.snapshotNext.Store(position.Offset)
	k.counters.snapshotTime.Store(m.Taken)
	if _, err := k.store.Collect(ctx, k.params.Keep); err != nil {
		return fmt.Errorf("collect snapshots: %w", err)
	}
	if err := k.checkpoint(ctx, &capture); err != nil {
		return err
	}
	return k.trim(ctx)
}

// changed says whether there was anything but checkpoints since the newest snapshot: else each snapshot, by its own
// checkpoint, would be the reason for the next one.
func (k *keeper) changed() (yes bool) {
	k.follower.look(func(r *index.Replica) { yes = r.Stats().Changed > k.counters.snapshotNext.Load() })
	return yes
}

func (k *keeper) capture() (index.Capture, snapshot.Position) {
	k.follower.mu.Lock()
	defer k.follower.mu.Unlock()
	c := k.follower.replica.Capture()
	return c, snapshot.Position{JournalTopic: k.journalID, LeaderEpoch: k.follower.leaderEpoch, Offset: c.Next}
}

// putSegments stores what is not stored yet and lists all segments in the manifest.
func (k *keeper) putSegments(ctx context.Context, c *index.Capture, m *snapshot.Manifest) (fresh []snapshot.Segment, err error) {
	kept := map[uint64]snapshot.Segment{}
	for i := range c.Segments {
		view := &c.Segments[i]
		segment, ok := k.stored[view.Number]
		if !ok {
			data := view.Append(nil)
			segment = snapshot.NewSegment(data, view.Documents())
			if err := k.store.PutSegment(ctx, segment.Name, data); err != nil {
				return nil, fmt.Errorf("put segment: %w", err)
			}
			fresh = append(fresh, segment)
		}
		if view.Sealed {
			kept[view.Number] = segment
		}
		m.Segments = append(m.Segments, segment)
	}
	k.stored = kept
	return fresh, nil
}

// verify reads back what was written: the journal is trimmed by nothing less.
func (k *keeper) verify(ctx context.Context, at snapshot.Position, fresh []snapshot.Segment) error {
	if _, err := k.store.Manifest(ctx, at); err != nil {
		return fmt.Errorf("verify snapshot: %w", err)
	}
	ignore := func(int, []byte) error { return nil }
	if err := snapshot.FetchSegments(ctx, k.store, fresh, 2, ignore); err != nil {
		return fmt.Errorf("verify snapshot: %w", err)
	}
	return nil
}

// checkpoint lets the other replicas compare themselves with this one.
func (k *keeper) checkpoint(ctx context.Context, c *index.Capture) error {
	_, err := k.appender.Append(ctx, &index.Checkpoint{Header: k.header(), Member: k.member, Offset: c.Next, Hash: c.Hash})
	return err
}

// trim deletes the journal below the second newest snapshot, if all members see the store.
func (k *keeper) trim(ctx context.Context) error {
	if !k.store.Shared() {
		return nil
	}
	infos, err := k.store.Manifests(ctx)
	if err != nil {
		return fmt.Errorf("list snapshots: %w", err)
	}
	var own []int64
	for _, i := range infos {
		if i.Position.JournalTopic == k.journalID {
			own = append(own, i.Position.Offset)
		}
	}
	if len(own) < 2 || own[1] <= 0 {
		return nil
	}
	var offsets kadm.Offsets
	offsets.AddOffset(k.journalTopic, 0, own[1], -1)
	deleted, err := kadm.NewClient(k.admin).DeleteRecords(ctx, offsets)
	if err == nil {
		err = deleted.Error() // a missing right stands only here
	}
	if err != nil {
		return fmt.Errorf("trim journal: %w", err)
	}
	return nil
}
