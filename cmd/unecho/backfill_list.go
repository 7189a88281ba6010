package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/backfills"
	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer/backfill"
)

func backfillListCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the backfills that a cluster has, how far they are, and how to go on",
		Long: "List the backfills that a cluster has: those at work, those that are half finished, with the command that goes on, and those\n" +
			"that are finished and not removed. A backfill that went on as a live group (--into) is that group's, and not listed.",
		Example: "  unecho backfill list --config unecho.yaml",
		Args:    cmdline.AtMost(0, ""),
		RunE:    onService(listBackfills),
	}
	addServiceFlags(cmd, "kafka.brokers")
	cmdline.Add(cmd, cmdline.Output, func(f cmdline.Flags) { f.Bool("json", false, "one JSON object a line") })
	return cmd
}

func listBackfills(ctx context.Context, cmd *cobra.Command, c config.Config) error {
	options, err := kafkaOf(cmd, c)
	if err != nil {
		return exit.Undone(err)
	}
	all, err := backfill.List(ctx, options)
	if err != nil {
		return exit.Undone(err)
	}
	with := strings.Join(append([]string{""}, configArgs(cmd)...), " ")
	entries := make([]backfills.Entry, len(all))
	for i := range all {
		entries[i] = backfills.EntryOf(&all[i], with)
	}
	if cmdline.Bool(cmd, "json") {
		return backfills.WriteListJSON(cmd.OutOrStdout(), entries)
	}
	return backfills.WriteList(cmd.OutOrStdout(), entries)
}
