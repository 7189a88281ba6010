package snapshots

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/index/snapshot/verify"
)

// errDamaged ends verify after it has written the details.
var errDamaged = errors.New("not all snapshots are whole")

// Verify reads and decodes the snapshot at an offset, or all of them, and says what a start would do. What is pruned
// meanwhile is no damage; if all are, those that are there now are verified.
func (s *Shelf) Verify(ctx context.Context, at string) error {
	verifier := verify.New(s.Store, RestoreOf)
	var reports []verify.Report
	for range triesAtMost {
		infos, err := s.meant(ctx, at)
		if err != nil {
			return err
		}
		if len(infos) == 0 {
			fmt.Fprintln(s.Log, "no snapshots")
			return nil
		}
		if reports, err = s.verify(ctx, verifier, infos); err != nil {
			return err
		}
		if at != "" || slices.ContainsFunc(reports, func(r verify.Report) bool { return !r.Gone }) {
			break
		}
	}
	if at == "" {
		if _, err := fmt.Fprintln(s.Out, verify.Outlook(reports)); err != nil {
			return err
		}
	}
	if slices.ContainsFunc(reports, func(r verify.Report) bool { return len(r.Problems) > 0 }) {
		return errDamaged
	}
	return nil
}

func (s *Shelf) meant(ctx context.Context, at string) ([]snapshot.Info, error) {
	if at == "" {
		return s.Store.Manifests(ctx)
	}
	one, err := s.pick(ctx, at)
	return []snapshot.Info{one}, err
}

// verify verifies snapshots and tells of each.
func (s *Shelf) verify(ctx context.Context, verifier *verify.Verifier, infos []snapshot.Info) ([]verify.Report, error) {
	reports := make([]verify.Report, len(infos))
	for i, info := range infos {
		var err error
		if reports[i], err = verifier.Verify(ctx, info); err != nil {
			return nil, err
		}
		if err := s.printReport(&reports[i]); err != nil {
			return nil, err
		}
	}
	return reports, nil
}

func (s *Shelf) printReport(r *verify.Report) error {
	offset := r.Info.Position.Offset
	if r.Gone {
		_, err := fmt.Fprintf(s.Out, "%d  gone: it was pruned meanwhile\n", offset)
		return err
	}
	if len(r.Problems) == 0 {
		documents, bytes := r.Manifest.Totals()
		_, err := fmt.Fprintf(s.Out, "%d  whole: %s documents in %s, %s\n",
			offset, terminal.Grouped(int(documents)), terminal.Several(len(r.Manifest.Segments), "segment"),
			terminal.Mebibytes(bytes))
		return err
	}
	for _, problem := range r.Problems {
		if _, err := fmt.Fprintf(s.Out, "%d  damaged: %s\n", offset, terminal.Harmless(problem.Error())); err != nil {
			return err
		}
	}
	return nil
}
