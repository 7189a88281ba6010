package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/terminal"
)

func snapshotPruneCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Delete all but the newest snapshots, and segments that none needs",
		Long: "Delete all but the newest snapshots (--keep, default snapshot.keep) of each journal, and segments that none of them needs.\n" +
			"Segments stored within the last hour stay: a member may be about to name them. The service does the same after each\n" +
			"snapshot it takes. Room in PostgreSQL is free for new rows once its autovacuum has passed.",
		Example: "  unecho snapshot prune --config unecho.yaml\n" +
			"  unecho snapshot prune --directory /var/lib/unecho/snapshots --keep 2",
		Args: cmdline.AtMost(0, ""),
		RunE: onStore(true, pruneSnapshots),
	}
	addStoreFlags(cmd)
	return cmd
}

func pruneSnapshots(ctx context.Context, v *storeVerb, _ []string) error {
	done, err := v.store.Collect(ctx, v.config.Snapshot.Keep)
	if err != nil {
		return err
	}
	left, err := v.store.Manifests(ctx)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(v.cmd.OutOrStdout(), "deleted %s and %s, %s; left: %s\n",
		terminal.Several(done.Manifests, "snapshot"), terminal.Several(done.Segments, "segment"), terminal.Mebibytes(done.Bytes), terminal.Several(len(left), "snapshot"))
	return err
}
