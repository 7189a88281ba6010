package verify

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/index/window"
)

// Report is what was found about a snapshot. Without problems the snapshot is whole, unless it is gone.
type Report struct {
	Info     snapshot.Info
	Manifest snapshot.Manifest
	Problems []error
	Gone     bool // it was pruned since it was listed; there are no problems then
}

// Verifier verifies snapshots. It reads each segment once, however many snapshots name it.
type Verifier struct {
	store snapshot.Store
	state func(m *snapshot.Manifest) (*index.Restore, error)
	seen  map[string]decodedSegment // by fingerprint and name
}

type decodedSegment struct {
	shape window.Shape
	err   error
}

// New builds a Verifier of a store's snapshots. The state of each is decoded with the settings that it carries.
func New(store snapshot.Store, state func(m *snapshot.Manifest) (*index.Restore, error)) *Verifier {
	return &Verifier{store: store, state: state, seen: map[string]decodedSegment{}}
}

// Verify checks one snapshot. An error concerns the store, not the snapshot.
func (v *Verifier) Verify(ctx context.Context, info snapshot.Info) (Report, error) {
	r, err := v.examine(ctx, info)
	if err != nil || len(r.Problems) == 0 {
		return r, err
	}
	if _, err := v.store.Manifest(ctx, info.Position); errors.Is(err, snapshot.ErrNoManifest) {
		// A segment that was deleted with this snapshot may be stored again for another.
		maps.DeleteFunc(v.seen, func(_ string, d decodedSegment) bool { return errors.Is(d.err, snapshot.ErrMissingSegment) })
		r.Problems, r.Gone = nil, true
	}
	return r, nil
}

func (v *Verifier) examine(ctx context.Context, info snapshot.Info) (Report, error) {
	r := Report{Info: info}
	var err error
	if r.Manifest, err = v.store.Manifest(ctx, info.Position); err != nil {
		return r.found(err)
	}
	state, err := v.state(&r.Manifest)
	if err != nil {
		return r.found(err)
	}
	if err := v.segments(ctx, state, &r.Manifest); err != nil {
		return r, err
	}
	shapes := make([]window.Shape, 0, len(r.Manifest.Segments))
	for _, s := range r.Manifest.Segments {
		d := v.seen[seenKey(&r.Manifest, s)]
		if d.err == nil && (d.shape.Number != s.Number || d.shape.Sealed != s.Sealed || d.shape.Documents != s.Documents) {
			d.err = errors.New("it is not what the manifest says")
		}
		if d.err != nil {
			r.Problems = append(r.Problems, fmt.Errorf("segment %d (%s): %w", s.Number, s.Name[:16], d.err))
		}
		shapes = append(shapes, d.shape)
	}
	if len(r.Problems) == 0 {
		if err := state.Check(shapes); err != nil {
			r.Problems = append(r.Problems, err)
		}
	}
	return r, nil
}

// found adds an error that means damage to the report, and returns any other.
func (r Report) found(err error) (Report, error) {
	if !damage(err) {
		return r, err
	}
	r.Problems = append(r.Problems, err)
	return r, nil
}

func damage(err error) bool {
	return snapshot.Damaged(err) || errors.Is(err, snapshot.ErrNewerFormat) || errors.Is(err, index.ErrCorrupt) ||
		errors.Is(err, index.ErrVersion)
}

func seenKey(m *snapshot.Manifest, s snapshot.Segment) string {
	return fmt.Sprint(m.Fingerprint, s.Name)
}

// segments reads and decodes the segments not seen before, on all cores.
func (v *Verifier) segments(ctx context.Context, state *index.Restore, m *snapshot.Manifest) error {
	var fresh []snapshot.Segment
	for _, s := range m.Segments {
		if _, seen := v.seen[seenKey(m, s)]; !seen {
			fresh = append(fresh, s)
		}
	}
	results := make([]decodedSegment, len(fresh))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0) + 1)
	for i, s := range fresh {
		group.Go(func() error {
			results[i] = decodeSegment(ctx, v.store, state, s)
			if err := results[i].err; err != nil && !damage(err) {
				return err
			}
			return nil
		})
	}
	err := group.Wait()
	for i, s := range fresh {
		v.seen[seenKey(m, s)] = results[i]
	}
	return err
}

func decodeSegment(ctx context.Context, store snapshot.Store, state *index.Restore, s snapshot.Segment) decodedSegment {
	data, err := snapshot.FetchSegment(ctx, store, s)
	if err != nil {
		return decodedSegment{err: err}
	}
	d, err := state.Decode(data)
	if err != nil {
		return decodedSegment{err: err}
	}
	return decodedSegment{shape: d.Shape()}
}

// Outlook says what a member that starts now would do, as far as the store determines it.
func Outlook(reports []Report) string {
	reports = slices.DeleteFunc(slices.Clone(reports), func(r Report) bool { return r.Gone })
	if len(reports) == 0 {
		return "all of these were pruned meanwhile, as members do when they have written newer ones: verify again"
	}
	var passed []string
	for _, r := range reports {
		at := r.Info.Position
		if !at.SameJournal(reports[0].Info.Position) {
			continue
		}
		switch {
		case len(r.Problems) == 0 && len(passed) == 0:
			return fmt.Sprintf("a member that starts restores the one at %d", at.Offset)
		case len(r.Problems) == 0:
			return fmt.Sprintf("a member that starts skips %s and restores the one at %d", strings.Join(passed, ", "), at.Offset)
		case errors.Is(errors.Join(r.Problems...), snapshot.ErrNewerFormat),
			errors.Is(errors.Join(r.Problems...), index.ErrVersion):
			return fmt.Sprintf("a member of this version refuses to start by the one at %d", at.Offset)
		}
		passed = append(passed, fmt.Sprint(at.Offset))
	}
	return "a member that starts finds no snapshot to restore: it needs the whole journal, from its first record. " +
		"Members that run " +
		"write new ones, and damaged segments again, one with each snapshot: leave them running until this says that all " +
		"is whole"
}
