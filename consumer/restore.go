package consumer

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/index/snapshot"
)

// restore builds the replica from the newest snapshot of this journal that is whole, or an empty one, and says where the
// journal is to be followed from. Snapshots of the state at below or beyond are left out.
//
// A restore that takes long may be overtaken: what it reads is pruned, and the journal trimmed to newer snapshots, which it
// then takes instead. A store that is away for a while is waited for.
func (sh *shared) restore(ctx context.Context, from snapshot.Store, below int64) (*index.Replica, journal.Place, error) {
	store := &patient{Store: from, logger: sh.logger, bound: storePatience}
	for newest := int64(-1); ; {
		start, end, err := sh.journalBounds(ctx)
		if err != nil {
			return nil, journal.Place{}, err
		}
		infos, err := store.Manifests(ctx)
		if err != nil {
			return nil, journal.Place{}, fmt.Errorf("list snapshots: %w", err)
		}
		replica, place, last, err := sh.restoreOne(ctx, store, infos, start, end, below)
		if err != nil || replica != nil {
			return replica, place, err
		}
		if last > newest && start > 0 {
			newest = last
			continue
		}
		if start > 0 && below < math.MaxInt64 {
			return nil, journal.Place{}, errUndecidable(below, start)
		}
		return sh.fromTheStart(start)
	}
}

// restoreOne loads the newest of the snapshots that is whole; it returns no replica if none is. last is the newest one tried.
func (sh *shared) restoreOne(
	ctx context.Context, store snapshot.Store, infos []snapshot.Info, start, end, below int64,
) (replica *index.Replica, place journal.Place, last int64, err error) {
	last = -1
	for _, info := range infos {
		at := info.Position
		if at.JournalTopic != sh.journalID {
			sh.logger.Warn().Stringer("snapshot", at).Msg("snapshot of another journal, or of one of the same name that was deleted: passed over")
			continue
		}
		if at.Offset < start || at.Offset >= below && at.Offset <= end {
			continue
		}
		if at.Offset > end {
			return nil, place, last, &StopError{
				What:   fmt.Sprintf("snapshot %d lies beyond the end of journal %s, %d: the journal lost records", at.Offset, sh.journalTopic, end),
				Remedy: "restore the journal, or delete journal and snapshots to begin anew; offsets committed so far stay as they are",
			}
		}
		last = max(last, at.Offset)
		replica, err := sh.load(ctx, store, at)
		if err == nil {
			return replica, journal.Place{Offset: max(start, at.Offset-1), LeaderEpoch: at.LeaderEpoch}, last, nil // with its mark
		}
		if !snapshot.Damaged(err) && !errors.Is(err, index.ErrCorrupt) { // it may be sound: falling back would lose what it holds
			return nil, place, last, fmt.Errorf("restore %v: %w", at, err)
		}
		sh.logger.Error().Err(err).Stringer("snapshot", at).Msg("snapshot is unusable: falling back to the one before")
	}
	return nil, place, last, nil
}

// fromTheStart begins with an empty replica, which is right only if the journal is whole.
func (sh *shared) fromTheStart(start int64) (*index.Replica, journal.Place, error) {
	if start > 0 && !sh.sourceParams.AcceptJournalGap {
		return nil, journal.Place{}, &StopError{
			What:   fmt.Sprintf("journal %s begins at %d, and no usable snapshot reaches so far", sh.journalTopic, start),
			Remedy: "give this member the store that the others use (snapshot.store), or start once with source.accept_journal_gap: true and an empty memory",
		}
	}
	replica, err := index.NewReplica(sh.indexParams, sh.fingerprint)
	if err != nil {
		return nil, journal.Place{}, fmt.Errorf("begin anew: %w", err)
	}
	replica.Await(start)
	return replica, journal.Place{Offset: start, LeaderEpoch: -1}, nil
}

func (sh *shared) load(ctx context.Context, store snapshot.Store, at snapshot.Position) (*index.Replica, error) {
	began := time.Now()
	m, err := store.Manifest(ctx, at)
	if err != nil {
		return nil, err
	}
	state, err := index.NewRestore(sh.indexParams, sh.fingerprint, m.State)
	if err != nil {
		return nil, err
	}
	if err := sh.sameSettings(state.Settings()); err != nil {
		return nil, err
	}
	replica, err := snapshot.Restore(ctx, store, &m, state)
	if err != nil {
		return nil, err
	}
	sh.logger.Info().Int64("journal_offset", at.Offset).Int("documents", replica.Stats().Documents).
		Dur("took_ms", time.Since(began)).Msg("snapshot restored")
	sh.counters.snapshotNext.Store(at.Offset)
	sh.counters.snapshotTime.Store(m.Taken)
	return replica, nil
}

// sameSettings refuses settings in force that differ from ours, and prints the difference.
func (sh *shared) sameSettings(inForce []byte) error {
	if inForce == nil || index.Fingerprint(inForce) == sh.fingerprint {
		return nil
	}
	what := fmt.Sprintf("the settings differ from those that journal %s was begun with:", sh.journalTopic)
	for _, line := range setting.Diff(sh.settings, inForce) {
		what += "\n    " + line
	}
	return &StopError{
		What:   what,
		Remedy: "use the same settings as the other members; to change them, stop all members, name a new journal.topic and start once with source.accept_journal_gap: true (what is remembered is not carried over)",
	}
}

// journalBounds reads the first offset of the journal and the one after its last.
func (sh *shared) journalBounds(ctx context.Context) (start, end int64, err error) {
	if start, err = sh.journalOffset(ctx, kadm.NewClient(sh.admin).ListStartOffsets); err != nil {
		return 0, 0, err
	}
	end, err = sh.journalEnd(ctx)
	return start, end, err
}

func (sh *shared) journalEnd(ctx context.Context) (int64, error) {
	end, err := sh.journalOffset(ctx, kadm.NewClient(sh.admin).ListEndOffsets)
	if err == nil {
		sh.counters.journalEnd.Store(end)
	}
	return end, err
}

// leaderPatience is how long the journal may be without a leader, or out of reach, before what asks for its offsets fails: a
// start should not restore everything again because a broker was just restarted. Kafka takes 9 s to miss a broker
// (broker.session.timeout.ms), and elects another leader then.
const leaderPatience = 15 * time.Second

func (sh *shared) journalOffset(ctx context.Context, list func(context.Context, ...string) (kadm.ListedOffsets, error)) (int64, error) {
	for began := time.Now(); ; {
		listed, err := list(ctx, sh.journalTopic)
		if err == nil {
			err = listed.Error()
		}
		if err == nil {
			o, _ := listed.Lookup(sh.journalTopic, 0)
			return o.Offset, nil
		}
		if ctx.Err() != nil || !passing(err) || time.Since(began) > leaderPatience {
			return 0, fmt.Errorf("list offsets of journal: %w", err)
		}
		if err := pause(ctx, 50*time.Millisecond); err != nil {
			return 0, err
		}
	}
}
