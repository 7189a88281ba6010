package snapshots

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/snapshot"
)

// Shelf is an open store, as a verb looks at it.
type Shelf struct {
	Store snapshot.Store
	Out   io.Writer
	Log   io.Writer // for people, beside Out
}

// triesAtMost is how often a verb begins anew because what it looked at was pruned meanwhile.
const triesAtMost = 5

// pick finds the snapshot of an offset that a person wrote, or the newest if it is empty.
func (s *Shelf) pick(ctx context.Context, written string) (snapshot.Info, error) {
	infos, err := s.Store.Manifests(ctx)
	if err != nil {
		return snapshot.Info{}, err
	}
	if len(infos) == 0 {
		return snapshot.Info{}, fmt.Errorf("pick snapshot: %w yet", snapshot.ErrNoStore)
	}
	if written == "" {
		return infos[0], nil
	}
	offset, err := strconv.ParseInt(written, 10, 64)
	if err != nil {
		return snapshot.Info{}, exit.Usage(
			fmt.Errorf("%q is not a journal offset; `unecho snapshot list` shows those of the snapshots", written))
	}
	elsewhere := func(i snapshot.Info) bool { return i.Position.Offset != offset }
	switch found := slices.DeleteFunc(infos, elsewhere); len(found) {
	case 0:
		return snapshot.Info{}, fmt.Errorf("there is no snapshot at offset %d; `unecho snapshot list` shows those there are", offset)
	case 1:
		return found[0], nil
	default:
		return snapshot.Info{}, exit.Usage(fmt.Errorf("there are snapshots of several journals at offset %d, the newest of "+
			"journal %s: leave the offset out for the newest of all", offset, found[0].Position.Journal()))
	}
}

// manifest reads the manifest of the snapshot that pick finds. If that snapshot is pruned meanwhile, the next one is
// picked.
func (s *Shelf) manifest(ctx context.Context, at string) (info snapshot.Info, m snapshot.Manifest, err error) {
	for range triesAtMost {
		if info, err = s.pick(ctx, at); err != nil {
			return info, m, err
		}
		if m, err = s.Store.Manifest(ctx, info.Position); !errors.Is(err, snapshot.ErrNoManifest) {
			return info, m, err
		}
		fmt.Fprintf(s.Log, "the snapshot at offset %d was pruned meanwhile\n", info.Position.Offset)
	}
	return info, m, err
}

// List writes a table of the snapshots, or an object a line.
func (s *Shelf) List(ctx context.Context, asJSON bool) error {
	infos, err := s.Store.Manifests(ctx)
	if err != nil {
		return err
	}
	if len(infos) == 0 {
		fmt.Fprintln(s.Log, "no snapshots")
		return nil
	}
	if asJSON {
		return ListJSON(s.Out, infos)
	}
	return ListText(s.Out, infos)
}

// Show writes what the snapshot at an offset, or the newest, holds.
func (s *Shelf) Show(ctx context.Context, at string, asJSON bool) error {
	info, m, err := s.manifest(ctx, at)
	if err != nil {
		return err
	}
	state, settings, err := StateOf(&m)
	if err != nil {
		return fmt.Errorf("read snapshot at %v: %w", info.Position, err)
	}
	d := DetailOf(info, &m, state, settings)
	return terminal.Write(s.Out, asJSON, &d)
}

// Prune keeps so many of the newest snapshots of each journal.
func (s *Shelf) Prune(ctx context.Context, keep int) error {
	done, err := s.Store.Collect(ctx, keep)
	if err != nil {
		return err
	}
	left, err := s.Store.Manifests(ctx)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.Out, "deleted %s and %s, %s; left: %s\n",
		terminal.Several(done.Manifests, "snapshot"), terminal.Several(done.Segments, "segment"),
		terminal.Mebibytes(done.Bytes), terminal.Several(len(left), "snapshot"))
	return err
}

// StateOf decodes the state of a snapshot by the settings that the snapshot carries. It also returns the settings.
func StateOf(m *snapshot.Manifest) (*index.Restore, []byte, error) {
	settings, err := index.CapturedSettings(m.State)
	if err != nil {
		return nil, nil, err
	}
	c, fingerprint := config.Default(), m.Fingerprint
	if settings != nil {
		if c, err = config.FromSettings(settings); err != nil {
			return nil, settings, err
		}
		fingerprint = index.Fingerprint(settings)
	}
	state, err := index.NewRestore(c.Judge, fingerprint, m.State)
	if err == nil && state.Next() != m.Position.Offset {
		err = fmt.Errorf("%w: it holds the state at %d", index.ErrCorrupt, state.Next())
	}
	return state, settings, err
}

// RestoreOf is StateOf without the settings.
func RestoreOf(m *snapshot.Manifest) (*index.Restore, error) {
	state, _, err := StateOf(m)
	return state, err
}

// Existing returns a function that opens the configured store for a verb that only looks.
func Existing(c config.Config) func(context.Context) (snapshot.Store, error) {
	return func(ctx context.Context) (snapshot.Store, error) {
		return c.Snapshot.Opener().OpenExisting(ctx, c.Consumer.Group)
	}
}
