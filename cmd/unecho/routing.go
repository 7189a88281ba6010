package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/named"
	"github.com/unecho/unecho/cmd/internal/routings"
	"github.com/unecho/unecho/config"
)

// routingCommand holds the verbs about where documents come from and where they go.
func routingCommand() *cobra.Command {
	cmd := cmdline.GroupCommand(&cobra.Command{
		Use:   "routing",
		Short: "Show, compare and change what a group reads and where it forwards",
		Long: "The routing of a group is what its members must agree on beside the settings that decide verdicts: " +
			"source.topics,\n" +
			"source.start, the topics of the outputs, sink.dry_run. The first member declares it in the journal, and a member that\n" +
			"differs does not start. To change it is one command, and what is remembered stays.",
	})
	cmd.AddCommand(routingShowCommand(), routingDiffCommand(), routingApplyCommand())
	return cmd
}

func routingShowCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "show", Short: "Print the routing in force", Args: cmdline.AtMost(0, ""),
		RunE: onRouting(func(_ context.Context, cmd *cobra.Command, group *routings.Group) error {
			return group.Show(cmd.OutOrStdout(), cmdline.Bool(cmd, "json"))
		}),
	}
	addRoutingFlags(cmd)
	cmdline.Add(cmd, cmdline.Output, func(f cmdline.Flags) { f.Bool("json", false, "one JSON object") })
	return cmd
}

func routingDiffCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "diff", Short: "Compare a configuration with the routing in force",
		Long: "Compare a configuration with the routing in force. The exit code is 0 if they agree, 1 if they differ, 2 if " +
			"that could\n" +
			"not be found out.",
		Args: cmdline.AtMost(0, ""),
		RunE: onRouting(func(_ context.Context, cmd *cobra.Command, group *routings.Group) error {
			return group.Diff(cmd.OutOrStdout())
		}),
	}
	addRoutingFlags(cmd)
	return cmd
}

func routingApplyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "apply", Short: "Put the routing of a configuration in force for all members",
		Long: "Put the routing of a configuration in force. Members that work by another one end when they read that, and " +
			"say how they\n" +
			"differ: start them with this configuration. What was judged before and is not committed goes where the new routing\n" +
			"says; what is remembered stays.",
		Example: "  unecho routing apply --config unecho.yaml --dry-run\n" +
			"  unecho routing apply --config unecho.yaml",
		Args: cmdline.AtMost(0, ""),
		RunE: onRouting(func(ctx context.Context, cmd *cobra.Command, group *routings.Group) error {
			return group.Apply(ctx, cmd.OutOrStdout(), cmdline.Bool(cmd, "dry-run"))
		}),
	}
	addRoutingFlags(cmd)
	cmdline.Add(cmd, cmdline.Output, func(f cmdline.Flags) { f.Bool("dry-run", false, "only print what would change") })
	return cmd
}

func addRoutingFlags(cmd *cobra.Command) {
	named.AddFlags(cmd, "kafka.brokers", "source.topics", "consumer.group", "journal.topic")
}

// onRouting runs a verb after the journal was read.
func onRouting(do func(context.Context, *cobra.Command, *routings.Group) error) func(*cobra.Command, []string) error {
	return named.OnService(func(ctx context.Context, cmd *cobra.Command, c config.Config) error {
		options, err := named.Kafka(cmd, c)
		if err != nil {
			return exit.Undone(err)
		}
		group, err := routings.Read(ctx, c, options)
		if err != nil {
			return err
		}
		return do(ctx, cmd, group)
	})
}
