package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/snapshots"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/index/snapshot/verify"
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
		Args: cmdline.AtMost(1, "one OFFSET"),
		RunE: onStore(true, verifySnapshots),
	}
	addJournalFlag(cmd)
	addStoreFlags(cmd)
	return cmd
}

// errDamaged ends verify after it has written the details.
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
	verifier := verify.New(v.store, snapshots.RestoreOf)
	reports := make([]verify.Report, len(infos))
	bad := false
	for i, info := range infos {
		if reports[i], err = verifier.Verify(ctx, info); err != nil {
			return err
		}
		bad = bad || len(reports[i].Problems) > 0
		if err := v.print(&reports[i]); err != nil {
			return err
		}
	}
	if len(args) == 0 {
		_, err = fmt.Fprintln(v.cmd.OutOrStdout(), verify.Outlook(reports))
	}
	if err == nil && bad {
		err = errDamaged
	}
	return err
}

func (v *storeVerb) print(r *verify.Report) error {
	out := v.cmd.OutOrStdout()
	if len(r.Problems) == 0 {
		documents, bytes := r.Manifest.Totals()
		_, err := fmt.Fprintf(out, "%d  whole: %s documents in %s, %s\n",
			r.Info.Position.Offset, terminal.Grouped(int(documents)), terminal.Several(len(r.Manifest.Segments), "segment"), terminal.Mebibytes(bytes))
		return err
	}
	for _, problem := range r.Problems {
		if _, err := fmt.Fprintf(out, "%d  damaged: %s\n", r.Info.Position.Offset, terminal.Harmless(problem.Error())); err != nil {
			return err
		}
	}
	return nil
}
