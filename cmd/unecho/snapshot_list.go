package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/snapshots"
)

func snapshotListCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the snapshots, newest first",
		Long:  "List the snapshots, newest first: at which offset of the journal each was taken, when, and how much it holds.",
		Example: "  unecho snapshot list --config unecho.yaml\n" +
			"  unecho snapshot list --directory /var/lib/unecho/snapshots --json",
		Args: cmdline.AtMost(0, ""),
		RunE: onStore(true, listSnapshots),
	}
	cmdline.Add(cmd, cmdline.Output, func(f cmdline.Flags) { f.Bool("json", false, "write one JSON object per line") })
	addJournalFlag(cmd)
	addStoreFlags(cmd)
	return cmd
}

func listSnapshots(ctx context.Context, v *storeVerb, _ []string) error {
	infos, err := v.listed(ctx)
	if err != nil {
		return err
	}
	if len(infos) == 0 {
		fmt.Fprintln(v.cmd.ErrOrStderr(), "no snapshots")
		return nil
	}
	if cmdline.Bool(v.cmd, "json") {
		return snapshots.ListJSON(v.cmd.OutOrStdout(), infos)
	}
	return snapshots.ListText(v.cmd.OutOrStdout(), infos)
}
