package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/snapshot"
)

func snapshotVerifyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "verify [OFFSET]",
		Short: "Read and decode snapshots whole, and say what a start would do",
		Long: "Read and decode the snapshot at OFFSET, or all of them, whole: checksums, documents, and whether the parts belong together.\n" +
			"It says which segment of which snapshot is damaged, and which one a member that starts would restore. A few segments are\n" +
			"in memory at a time. The exit code is 1 if anything is damaged.",
		Example: "  unecho snapshot verify --config unecho.yaml\n" +
			"  unecho snapshot verify 128 --directory /var/lib/unecho/snapshots",
		Args: atMost(1, "one OFFSET"),
		RunE: onStore(openExisting, verifySnapshots),
	}
	addJournalFlag(cmd)
	addStoreFlags(cmd)
	return cmd
}

// errDamaged is what verify ends with when it has told the details.
var errDamaged = errors.New("not all snapshots are whole")

func verifySnapshots(ctx context.Context, v *storeVerb, args []string) error {
	infos, err := v.listed(ctx)
	if err == nil && len(args) > 0 {
		var one snapshot.Info
		one, err = v.pick(ctx, args)
		infos = []snapshot.Info{one}
	}
	if err != nil {
		return err
	}
	if len(infos) == 0 {
		fmt.Fprintln(v.cmd.ErrOrStderr(), "no snapshots")
		return nil
	}
	verifier := &verifier{store: v.store, seen: map[string]decodedSegment{}}
	reports := make([]snapshotReport, len(infos))
	bad := false
	for i, info := range infos {
		if reports[i], err = verifier.verify(ctx, info); err != nil {
			return err
		}
		bad = bad || len(reports[i].problems) > 0
		if err := v.print(&reports[i]); err != nil {
			return err
		}
	}
	if len(args) == 0 {
		_, err = fmt.Fprintln(v.cmd.OutOrStdout(), outlook(reports))
	}
	if err == nil && bad {
		err = errDamaged
	}
	return err
}

// snapshotReport is what verify found about a snapshot; without problems it is whole.
type snapshotReport struct {
	info     snapshot.Info
	manifest snapshot.Manifest
	problems []error
}

func (v *storeVerb) print(r *snapshotReport) error {
	out := v.cmd.OutOrStdout()
	if len(r.problems) == 0 {
		documents, bytes := r.manifest.Totals()
		_, err := fmt.Fprintf(out, "%d  whole: %s documents in %s, %s\n",
			r.info.Position.Offset, terminal.Grouped(int(documents)), terminal.Several(len(r.manifest.Segments), "segment"), terminal.Mebibytes(bytes))
		return err
	}
	for _, problem := range r.problems {
		if _, err := fmt.Fprintf(out, "%d  damaged: %v\n", r.info.Position.Offset, problem); err != nil {
			return err
		}
	}
	return nil
}

// verifier reads each segment once, however many snapshots name it.
type verifier struct {
	store snapshot.Store
	seen  map[string]decodedSegment // by fingerprint and name
}

type decodedSegment struct {
	shape index.Shape
	err   error
}

// verify checks one snapshot. The error is one of the store, not of the snapshot.
func (v *verifier) verify(ctx context.Context, info snapshot.Info) (snapshotReport, error) {
	r := snapshotReport{info: info}
	var err error
	if r.manifest, err = v.store.Manifest(ctx, info.Position); err != nil {
		return r.found(err)
	}
	state, _, err := stateOf(&r.manifest)
	if err != nil {
		return r.found(err)
	}
	if err := v.segments(ctx, state, &r.manifest); err != nil {
		return r, err
	}
	shapes := make([]index.Shape, 0, len(r.manifest.Segments))
	for _, s := range r.manifest.Segments {
		d := v.seen[seenKey(&r.manifest, s)]
		if d.err == nil && (d.shape.Number != s.Number || d.shape.Sealed != s.Sealed || d.shape.Documents != s.Documents) {
			d.err = errors.New("it is not what the manifest says")
		}
		if d.err != nil {
			r.problems = append(r.problems, fmt.Errorf("segment %d (%s): %w", s.Number, s.Name[:16], d.err))
		}
		shapes = append(shapes, d.shape)
	}
	if len(r.problems) == 0 {
		if err := state.Check(shapes); err != nil {
			r.problems = append(r.problems, err)
		}
	}
	return r, nil
}

// found keeps an error that tells of damage, and returns any other.
func (r snapshotReport) found(err error) (snapshotReport, error) {
	if !damage(err) {
		return r, err
	}
	r.problems = append(r.problems, err)
	return r, nil
}

func damage(err error) bool {
	return snapshot.Damaged(err) || errors.Is(err, snapshot.ErrNewerFormat) || errors.Is(err, index.ErrCorrupt) || errors.Is(err, index.ErrVersion)
}

func seenKey(m *snapshot.Manifest, s snapshot.Segment) string {
	return fmt.Sprint(m.Fingerprint, s.Name)
}

// segments reads and decodes those that were not seen yet, on all cores.
func (v *verifier) segments(ctx context.Context, state *index.Restore, m *snapshot.Manifest) error {
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

// outlook says what a member that starts now would do, as far as the store decides it.
func outlook(reports []snapshotReport) string {
	var passed []string
	for _, r := range reports {
		at := r.info.Position
		if !at.SameJournal(reports[0].info.Position) {
			continue
		}
		switch {
		case len(r.problems) == 0 && len(passed) == 0:
			return fmt.Sprintf("a member that starts restores the one at %d", at.Offset)
		case len(r.problems) == 0:
			return fmt.Sprintf("a member that starts passes over %s and restores the one at %d", strings.Join(passed, ", "), at.Offset)
		case errors.Is(errors.Join(r.problems...), snapshot.ErrNewerFormat), errors.Is(errors.Join(r.problems...), index.ErrVersion):
			return fmt.Sprintf("a member of this version refuses to start by the one at %d", at.Offset)
		}
		passed = append(passed, fmt.Sprint(at.Offset))
	}
	return "a member that starts finds no snapshot to restore: it needs the whole journal, from its first record. Members that run " +
		"write new ones, and damaged segments again, one with each snapshot: leave them running until this says that all is whole"
}
