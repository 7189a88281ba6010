package member

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/snapshot"
)

// Keeper writes the replica's snapshots, says so in the journal, and trims what no snapshot needs any more. One member
// writes at a time; that is only to save work.
type Keeper struct {
	*Follower
	Params snapshot.Params
	// Alone says whether a member that stays alone may trim the journal now. It is nil while the member fills a window:
	// it is not in its group then, and nobody can tell.
	Alone  func(context.Context) (bool, error)
	store  snapshot.Store
	name   string
	writer *snapshot.Writer
	// adopted is the journal offset of the last snapshot whose segments the writer took over.
	adopted int64
	// collectAt is when segments are to be collected that the last snapshot has put out of use; zero: that is done.
	collectAt time.Time
	// seen is since when the newest snapshot is known.
	seen time.Time
}

// NewKeeper keeps the snapshots of a replica in a store, in the name of a member.
func NewKeeper(f *Follower, store snapshot.Store, p snapshot.Params, name string) *Keeper {
	k := &Keeper{
		Follower: f, store: store, Params: p, name: name,
		writer: snapshot.NewWriter(store, f.Agreed.Index, f.Agreed.Fingerprint), adopted: -1,
		collectAt: time.Now().Add(snapshot.Grace + p.Every), seen: time.Now(),
	}
	if f.Files != nil {
		k.writer.Files = healed{f.old}
	}
	return k
}

// Run takes a snapshot whenever one is due, until ctx is done.
func (k *Keeper) Run(ctx context.Context) {
	tick := time.NewTicker(k.Params.Every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			k.keep(ctx, k.WriteIfDue)
		case <-ctx.Done():
			return
		}
	}
}

// Take takes a snapshot now, unless nothing has changed or another member is taking one.
func (k *Keeper) Take(ctx context.Context) { k.keep(ctx, k.Write) }

// keep runs take while no other member takes a snapshot. A failure is counted and logged, unless ctx has ended. The stream
// goes on then, and the journal is not trimmed.
func (k *Keeper) keep(ctx context.Context, take func(context.Context) error) {
	most := max(5*k.Params.Every, time.Minute)
	bound, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	err := k.leased(bound, take)
	if errors.Is(err, snapshot.ErrLeased) {
		return
	}
	if err != nil && bound.Err() != nil {
		err = fmt.Errorf("it took longer than %v, and was given up: %w", most, err)
	}
	switch {
	case err == nil || errors.Is(err, snapshot.ErrStale) || ctx.Err() != nil:
	case errors.Is(err, errUntrimmed):
		k.Counters.TrimErrs.Add(1)
		k.Logger.Error().Err(err).Msg("the journal is not trimmed: the stream goes on, and the snapshot is taken")
	default:
		k.Counters.SnapshotErrs.Add(1)
		k.Counters.SnapshotErr.Store(&Failure{Err: err, At: time.Now()})
		k.Logger.Error().Err(err).Msg("snapshot is not taken: the stream goes on, the journal is not trimmed")
	}
}

// leased runs take under the writer's lease. Without leases two members may write at once, and the store publishes
// the newer snapshot.
func (k *Keeper) leased(ctx context.Context, take func(context.Context) error) error {
	if k.Leases == nil {
		return take(ctx)
	}
	lease, err := k.Leases.Lease(ctx, "writer")
	if err != nil {
		return err
	}
	return errors.Join(take(ctx), lease.Release())
}

// WriteIfDue takes a snapshot, unless another member has taken one within the interval. That saves work. It also
// keeps the second newest snapshot, below which the journal is trimmed, old enough for a member that is just
// restoring the one before.
func (k *Keeper) WriteIfDue(ctx context.Context) error {
	infos, err := k.snapshots(ctx)
	if err != nil || len(infos) > 0 && !k.due(infos[0], time.Now()) {
		return err
	}
	return k.Write(ctx)
}

// snapshots lists those of this journal, the newest first.
func (k *Keeper) snapshots(ctx context.Context) ([]snapshot.Info, error) {
	infos, err := k.store.Manifests(ctx)
	if err != nil {
		return nil, fmt.Errorf("list snapshots: %w", err)
	}
	return slices.DeleteFunc(infos, func(i snapshot.Info) bool { return i.Position.JournalTopic != k.Log.ID }), nil
}

// due says whether a snapshot is to follow the newest one: that is known for most of the interval, because members tick at
// different moments. How old it says that it is, by the clock of who took it, counts for nothing.
func (k *Keeper) due(newest snapshot.Info, now time.Time) bool {
	if k.Counters.SnapshotNext.Swap(newest.Position.Offset) != newest.Position.Offset { // another member's, who may be gone
		k.seen, k.collectAt = now, now.Add(snapshot.Grace+k.Params.Every)
		k.Counters.SnapshotTime.Store(newest.Taken)
	}
	return now.Sub(k.seen) >= k.Params.Every*3/4
}

// Write takes a snapshot, unless nothing has changed since the newest one, publishes it, and trims the journal. Where a
// document was erased it goes on until none of the snapshots that are kept is of before.
func (k *Keeper) Write(ctx context.Context) error {
	if !k.changed() {
		before, err := k.beforeErasure(ctx)
		if err != nil || !before {
			return errors.Join(err, k.collectLate(ctx))
		}
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
	m := snapshot.Manifest{Index: k.Group, Position: position, Taken: began.UnixMilli()}
	written, err := k.writer.Write(ctx, &capture, m)
	if err != nil {
		return err
	}
	k.Logger.Debug().Int64("journal_offset", position.Offset).Int("segments", written.Segments).
		Int64("bytes", written.Bytes).
		Dur("took_ms", time.Since(began)).Msg("snapshot taken")
	k.seen = began
	k.Counters.SnapshotNext.Store(position.Offset)
	k.Counters.SnapshotTime.Store(m.Taken)
	k.Counters.SnapshotErr.Store(nil)
	if _, err := k.store.Collect(ctx, snapshot.Kept); err != nil {
		return fmt.Errorf("collect snapshots: %w", err)
	}
	k.collectAt = time.Now().Add(snapshot.Grace + k.Params.Every)
	if err := k.checkpoint(ctx, &capture); err != nil {
		return err
	}
	if err := k.trim(ctx); err != nil {
		return fmt.Errorf("%w: %w", errUntrimmed, err)
	}
	return nil
}

// beforeErasure says whether a snapshot is kept of before the latest erasure that this replica knows of.
func (k *Keeper) beforeErasure(ctx context.Context) (bool, error) {
	var erased int64
	k.Look(func(r *index.Replica) { erased = r.Stats().Erased })
	if erased == 0 {
		return false, nil
	}
	infos, err := k.snapshots(ctx)
	return slices.ContainsFunc(infos, func(i snapshot.Info) bool { return i.Position.Offset < erased }), err
}

// collectLate collects once more when the grace is over of segments that the last snapshot has put out of use. Else
// they would stay for as long as nothing changes, and with them what was erased.
func (k *Keeper) collectLate(ctx context.Context) error {
	if k.collectAt.IsZero() || time.Now().Before(k.collectAt) {
		return nil
	}
	if _, err := k.store.Collect(ctx, snapshot.Kept); err != nil {
		return fmt.Errorf("collect snapshots: %w", err)
	}
	k.collectAt = time.Time{}
	return nil
}

// adopt lets the writer pass over segments that another member has stored, or that were restored at the start.
// Another member's segments are ours as well if its checkpoint in the journal has shown that its state is ours.
func (k *Keeper) adopt(ctx context.Context) error {
	var confirmed int64
	k.Look(func(r *index.Replica) { confirmed = r.Confirmed() })
	if confirmed <= k.adopted {
		return nil
	}
	k.adopted = confirmed
	infos, err := k.snapshots(ctx)
	for _, i := range infos {
		if i.Position.Offset != confirmed {
			continue
		}
		m, err := k.store.Manifest(ctx, i.Position)
		if err == nil {
			k.writer.Adopt(&m)
		} else if !snapshot.Damaged(err) {
			return err
		}
	}
	return err
}

func (k *Keeper) scrub(ctx context.Context) error {
	damage, err := k.writer.Scrub(ctx)
	if err != nil {
		return fmt.Errorf("read segment again: %w", err)
	}
	if damage != nil {
		k.Logger.Warn().Err(damage).Msg("a stored segment was damaged: it is written again")
	}
	return nil
}

// changed says whether there was anything but marks and checkpoints since the newest snapshot. If these counted, the
// checkpoint of each snapshot would be the reason for the next one.
func (k *Keeper) changed() (yes bool) {
	k.Look(func(r *index.Replica) { yes = r.Stats().Changed > k.Counters.SnapshotNext.Load() })
	return yes
}

// capture takes the state behind a mark. Every replica remembers its hash there, for any number of records may follow
// before the checkpoint, which comes when the snapshot is written.
func (k *Keeper) capture(ctx context.Context) (index.Capture, snapshot.Position, error) {
	for times := 0; ; times++ {
		if err := k.Log.BeforeRepeat(ctx, times); err != nil {
			return index.Capture{}, snapshot.Position{}, err
		}
		number := rand.Uint64()
		taken := k.captureBehind(number)
		last, err := k.Log.Append(ctx, &index.Mark{Header: k.Log.Header(), Number: number})
		if err == nil {
			err = k.Wait(ctx, last)
		}
		if err != nil {
			return index.Capture{}, snapshot.Position{}, err
		}
		select {
		case c := <-taken:
			return c.Capture, snapshot.Position{JournalTopic: k.Log.ID, LeaderEpoch: c.leaderEpoch, Offset: c.Next}, nil
		default: // nobody could read the mark
		}
	}
}

// checkpoint lets the other replicas compare themselves with this one.
func (k *Keeper) checkpoint(ctx context.Context, c *index.Capture) error {
	_, err := k.Log.Append(ctx, &index.Checkpoint{
		Header: k.Log.Header(), Member: k.name, Offset: c.Next, Hash: c.Hash, Settings: c.Settings, Bounds: c.Bounds,
		Routes: c.Routes,
	})
	return err
}
