package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/snapshots"
)

func snapshotShowCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show [OFFSET]",
		Short: "Show a snapshot: settings, source partitions, segments",
		Long:  "Show what the snapshot at OFFSET (default the newest) holds: settings, source partitions, segments. It reads the manifest only.",
		Example: "  unecho snapshot show --config unecho.yaml\n" +
			"  unecho snapshot show 128 --directory /var/lib/unecho/snapshots --json",
		Args: cmdline.AtMost(1, "one OFFSET"),
		RunE: onStore(true, showSnapshot),
	}
	cmdline.Add(cmd, cmdline.Output, func(f cmdline.Flags) { f.Bool("json", false, "write one JSON object") })
	addJournalFlag(cmd)
	addStoreFlags(cmd)
	return cmd
}

func showSnapshot(ctx context.Context, v *storeVerb, args []string) error {
	info, err := v.pick(ctx, args)
	if err != nil {
		return err
	}
	m, err := v.store.Manifest(ctx, info.Position)
	if err != nil {
		return err
	}
	state, settings, err := snapshots.StateOf(&m)
	if err != nil {
		return fmt.Errorf("read snapshot at %v: %w", info.Position, err)
	}
	d := snapshots.DetailOf(info, &m, state, settings)
	if cmdline.Bool(v.cmd, "json") {
		return json.NewEncoder(v.cmd.OutOrStdout()).Encode(d)
	}
	return d.WriteText(v.cmd.OutOrStdout())
}
