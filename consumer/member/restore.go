package member

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/snapshot"
)

// Restore builds the replica from the newest snapshot of this journal that is whole, or an empty one. Because of an
// open dispute, snapshots of the state at the disputed offset or beyond are left out.
//
// A restore that takes long may be overtaken: the snapshot that it reads is pruned, and the journal is trimmed to
// newer ones. It then takes a newer one instead. It waits for a store that is away for a while.
func Restore(ctx context.Context, setup *Setup, open *Dispute) (*Follower, error) {
	below := int64(math.MaxInt64)
	if open != nil {
		below = open.Offset
	}
	replica, place, err := setup.restore(ctx, below)
	if err != nil {
		return nil, err
	}
	setup.Counters.FileErr.Store(nil)
	return newFollower(setup, replica, place, open), nil
}

func (s *Setup) restore(ctx context.Context, below int64) (*index.Replica, journal.Begin, error) {
	store := &waitingStore{Store: s.Store, logger: s.Logger, bound: storePatience}
	for newest := int64(-1); ; {
		// The start is read before the snapshots are listed, because members write a snapshot before they trim. The end is
		// read after, because a member may have written one meanwhile.
		start, _, err := s.Log.Range(ctx)
		if err != nil {
			return nil, journal.Begin{}, err
		}
		infos, err := store.Manifests(ctx)
		if err != nil {
			return nil, journal.Begin{}, fmt.Errorf("list snapshots: %w", err)
		}
		end, err := s.Log.End(ctx)
		if err != nil {
			return nil, journal.Begin{}, err
		}
		replica, place, last, err := s.restoreOne(ctx, store, infos, start, end, below)
		if err != nil || replica != nil {
			return replica, place, err
		}
		if last > newest && start > 0 {
			newest = last
			continue
		}
		if start > 0 && below < math.MaxInt64 {
			return nil, journal.Begin{}, errUndecidable(below, start)
		}
		return s.fromTheStart(start)
	}
}

// restoreOne loads the newest of the snapshots that is whole; it returns no replica if none is. last is the newest
// one tried.
func (s *Setup) restoreOne(
	ctx context.Context, store snapshot.Store, infos []snapshot.Info, start, end, below int64,
) (replica *index.Replica, place journal.Begin, last int64, err error) {
	last = -1
	for _, info := range infos {
		at := info.Position
		if at.JournalTopic != s.Log.ID {
			s.Logger.Warn().Stringer("snapshot", at).
				Msg("snapshot of another journal, or of one of the same name that was deleted: passed over")
			continue
		}
		if at.Offset < start || at.Offset >= below && at.Offset <= end {
			continue
		}
		if at.Offset > end {
			return nil, place, last, &stop.Error{
				What: fmt.Sprintf("snapshot %d lies beyond the end of journal %s, %d: the journal lost records", at.Offset,
					s.Log.Topic, end),
				Remedy: "restore the journal, or delete journal and snapshots to begin anew; offsets committed so far stay as " +
					"they are",
			}
		}
		last = max(last, at.Offset)
		replica, err := s.load(ctx, store, at)
		if err == nil {
			// with its mark
			return replica, journal.Begin{Offset: max(start, at.Offset-1), LeaderEpoch: at.LeaderEpoch}, last, nil
		}
		// it may be sound: falling back would lose what it holds
		if !snapshot.Damaged(err) && !errors.Is(err, index.ErrCorrupt) {
			return nil, place, last, fmt.Errorf("restore %v: %w", at, err)
		}
		s.Logger.Error().Err(err).Stringer("snapshot", at).Msg("snapshot is unusable: falling back to the one before")
	}
	return nil, place, last, nil
}

// fromTheStart begins with an empty replica, which is right only if the journal is whole.
func (s *Setup) fromTheStart(start int64) (*index.Replica, journal.Begin, error) {
	if gap := s.Log.Gap(); start > 0 && s.AcceptJournalGap != gap {
		return nil, journal.Begin{}, &stop.Error{
			What: fmt.Sprintf("journal %s begins at %d, and no usable snapshot reaches so far", s.Log.Topic, start),
			Remedy: "give this member the store that the others use (snapshots), or a copy of the directory of the one that was " +
				"alone (for: only), or import its snapshots (unecho snapshot export, import); if there are none left, start once " +
				"with --accept-journal-gap " + gap + " and an empty memory",
		}
	}
	replica, err := index.NewReplica(s.Agreed.Index, s.Agreed.Fingerprint)
	if err != nil {
		return nil, journal.Begin{}, fmt.Errorf("begin anew: %w", err)
	}
	replica.Await(start)
	return replica, journal.Begin{Offset: start, LeaderEpoch: -1}, nil
}

func (s *Setup) load(ctx context.Context, store snapshot.Store, at snapshot.Position) (*index.Replica, error) {
	began := time.Now()
	m, err := store.Manifest(ctx, at)
	if err != nil {
		return nil, err
	}
	state, err := index.NewRestore(s.Agreed.Index, s.Agreed.Fingerprint, m.State)
	if err != nil {
		return nil, err
	}
	if err := sameSettings(ctx, s, state.Settings()); err != nil {
		return nil, err
	}
	replica, err := snapshot.Restore(ctx, store, s.Files.Beside(), &m, state, nil)
	if err != nil {
		return nil, err
	}
	s.Logger.Info().Int64("journal_offset", at.Offset).Int("documents", replica.Stats().Documents).Int("blocks", len(replica.Files().Blocks())).
		Dur("took_ms", time.Since(began)).Msg("snapshot restored")
	s.Counters.SnapshotNext.Store(at.Offset)
	s.Counters.SnapshotTime.Store(m.Taken)
	return replica, nil
}
