package audit

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/snapshot"
)

// restore restores the oldest snapshot that the journal still continues, because then the most records are judged. It
// passes over a damaged one. Reading a snapshot whole verifies it.
func (a *audit) restore(ctx context.Context, journal span) (replica *index.Replica, err error) {
	if a.in.Snapshots == nil {
		return nil, ErrTrimmed
	}
	store, err := a.in.Snapshots(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	infos, err := store.Manifests(ctx)
	if err != nil {
		return nil, fmt.Errorf("list snapshots: %w", err)
	}
	var damaged error
	for _, info := range slices.Backward(infos) {
		at := info.Position
		if at.JournalTopic != a.journalID || at.Offset < journal.from || at.Offset > journal.to {
			continue
		}
		if err := a.progress(StageSnapshot, 0, info.Documents); err != nil {
			return nil, err
		}
		replica, err := a.load(ctx, store, at)
		if err == nil || !snapshot.Damaged(err) && !errors.Is(err, index.ErrCorrupt) {
			return replica, err
		}
		damaged = errors.Join(damaged, err)
	}
	return nil, errors.Join(ErrTrimmed, damaged)
}

func (a *audit) load(ctx context.Context, store snapshot.Store, at snapshot.Position) (*index.Replica, error) {
	m, err := store.Manifest(ctx, at)
	if err != nil {
		return nil, err
	}
	state, err := index.NewRestore(a.in.Params, index.Fingerprint(a.in.Settings), m.State)
	if err != nil {
		return nil, fmt.Errorf("restore %v: %w", at, err)
	}
	if inForce := state.Settings(); inForce != nil && !index.Same(inForce, a.in.Settings) {
		return nil, a.otherSettings(inForce)
	}
	replica, err := snapshot.Restore(ctx, store, &m, state)
	if err != nil {
		return nil, fmt.Errorf("restore %v: %w", at, err)
	}
	return replica, nil
}
