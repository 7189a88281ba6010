// Package replay begins to judge a journal once more, for those who only look, such as the audit: with a snapshot that the
// journal still continues. They are no members: they join no group.
package replay

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/files"
	"github.com/unecho/unecho/index/snapshot"
)

var (
	// ErrTrimmed says that the journal's head is gone and no snapshot replaces it, so that verdicts cannot be replayed.
	ErrTrimmed = errors.New("its head was trimmed, and there is no whole snapshot to begin with: name the store that " +
		"its members use")
	// ErrSettings says that the journal was written under other settings than those given.
	ErrSettings = errors.New("the journal's settings are not the given ones: use the configuration of its members")
)

// Start says with what a replay of a journal begins.
type Start struct {
	Params   index.Params
	Settings []byte // canonical text of all settings that decide verdicts
	// Snapshots opens the store whose snapshot begins the replay if the journal's head is trimmed. Restore closes the
	// store. nil: there is none.
	Snapshots func(context.Context) (snapshot.Store, error)
	// Files has the sealed segments of the replica; nil: they are in memory.
	Files *files.Directory
	// Restoring is called before each snapshot that is tried. It may refuse, or be nil.
	Restoring func(snapshot.Info) error
	// Newest begins with the newest snapshot, else it is the oldest: then the most records are judged.
	Newest bool
}

// Restore restores a snapshot that the journal with this id still continues, and returns its position. The journal has the
// offsets [from, to). A damaged snapshot is passed over. Reading a snapshot whole verifies it.
func (s *Start) Restore(ctx context.Context, journal [16]byte, from, to int64) (replica *index.Replica, place snapshot.Position, err error) {
	if s.Snapshots == nil {
		return nil, place, ErrTrimmed
	}
	store, err := s.Snapshots(ctx)
	if err != nil {
		return nil, place, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	infos, err := store.Manifests(ctx)
	if err != nil {
		return nil, place, fmt.Errorf("list snapshots: %w", err)
	}
	if !s.Newest {
		slices.Reverse(infos)
	}
	var damaged error
	for _, info := range infos {
		at := info.Position
		if at.JournalTopic != journal || at.Offset < from || at.Offset > to {
			continue
		}
		if s.Restoring != nil {
			if err := s.Restoring(info); err != nil {
				return nil, at, err
			}
		}
		replica, err := s.load(ctx, store, at)
		if err == nil || !snapshot.Damaged(err) && !errors.Is(err, index.ErrCorrupt) {
			return replica, at, err
		}
		damaged = errors.Join(damaged, err)
	}
	return nil, place, errors.Join(ErrTrimmed, damaged)
}

func (s *Start) load(ctx context.Context, store snapshot.Store, at snapshot.Position) (*index.Replica, error) {
	m, err := store.Manifest(ctx, at)
	if err != nil {
		return nil, err
	}
	state, err := index.NewRestore(s.Params, index.Fingerprint(s.Settings), m.State)
	if err != nil {
		return nil, fmt.Errorf("restore %v: %w", at, err)
	}
	if inForce := state.Settings(); inForce != nil && !index.Same(inForce, s.Settings) {
		return nil, OtherSettings(s.Settings, inForce)
	}
	replica, err := snapshot.Restore(ctx, store, s.Files.Beside(), &m, state, nil)
	if err != nil {
		return nil, fmt.Errorf("restore %v: %w", at, err)
	}
	return replica, nil
}

// OtherSettings is ErrSettings with the difference between the given settings and the journal's.
func OtherSettings(given, journal []byte) error {
	return fmt.Errorf("%w:\n    %s", ErrSettings, strings.Join(index.Diff(given, journal), "\n    "))
}
