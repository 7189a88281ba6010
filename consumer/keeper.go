package consumer

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

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
	writer *snapshot.Writer
	// adopted is the journal offset of the last snapshot whose segments the writer took over.
	adopted int64
}

func newKeeper(sh *shared, store snapshot.Store, p snapshot.Params, member string) *keeper {
	writer := snapshot.NewWriter(store, sh.indexParams, sh.fingerprint)
	return &keeper{shared: sh, store: store, params: p, member: member, writer: writer, adopted: -1}
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
	if err := k.adopt(ctx); err != nil {
		return err
	}
	if err := k.scrub(ctx); err != nil {
		return err
	}
	began := time.Now()
	capture, position, err := k.capture(ctx)
	if err != nil {
		return err
	}
	m := snapshot.Manifest{Index: k.indexName, Position: position, Taken: began.UnixMilli()}
	written, err := k.writer.Write(ctx, &capture, m)
	if err != nil {
		return err
	}
	k.logger.Debug().Int64("journal_offset", position.Offset).Int("segments", written.Segments).Int64("bytes", written.Bytes).
		Dur("took_ms", time.Since(began)).Msg("snapshot taken")
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

// adopt lets the writer pass over what another member has stored; after a start, what was restored. That member's segments
// are ours as well where the journal's checkpoint has shown that its state is.
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
		if err == nil {
			k.writer.Adopt(&m)
		} else if !snapshot.Damaged(err) {
			return err
		}
	}
	return nil
}

func (k *keeper) scrub(ctx context.Context) error {
	damage, err := k.writer.Scrub(ctx)
	if err != nil {
		return fmt.Errorf("read segment again: %w", err)
	}
	if damage != nil {
		k.logger.Warn().Err(damage).Msg("a stored segment was damaged: it is written again")
	}
	return nil
}

// changed says whether there was anything but marks and checkpoints since the newest snapshot: else each snapshot, by its own
// checkpoint, would be the reason for the next one.
func (k *keeper) changed() (yes bool) {
	k.follower.look(func(r *index.Replica) { yes = r.Stats().Changed > k.counters.snapshotNext.Load() })
	return yes
}

// capture takes the state behind a mark, where every replica remembers its hash: by the time of the checkpoint, which comes when
// the snapshot is written, any number of records may have followed.
func (k *keeper) capture(ctx context.Context) (index.Capture, snapshot.Position, error) {
	for times := 0; ; times++ {
		if err := k.beforeRepeat(ctx, times); err != nil {
			return index.Capture{}, snapshot.Position{}, err
		}
		number := rand.Uint64()
		taken := k.follower.captureBehind(number)
		last, err := k.appender.Append(ctx, &index.Mark{Header: k.header(), Number: number})
		if err == nil {
			err = k.follower.wait(ctx, last)
		}
		if err != nil {
			return index.Capture{}, snapshot.Position{}, err
		}
		select {
		case c := <-taken:
			return c.Capture, snapshot.Position{JournalTopic: k.journalID, LeaderEpoch: c.leaderEpoch, Offset: c.Next}, nil
		default: // nobody could read the mark
		}
	}
}

// checkpoint lets the other replicas compare themselves with this one.
func (k *keeper) checkpoint(ctx context.Context, c *index.Capture) error {
	_, err := k.appender.Append(ctx, &index.Checkpoint{
		Header: k.header(), Member: k.member, Offset: c.Next, Hash: c.Hash, Settings: k.settings, Routes: c.Routes,
	})
	return err
}
