package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/bounds"
	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/named"
	"github.com/unecho/unecho/config"
)

// settingsCommand holds the verbs about the settings that decide verdicts.
func settingsCommand() *cobra.Command {
	cmd := cmdline.GroupCommand(&cobra.Command{
		Use:   "settings",
		Short: "Show, compare and change the settings that decide verdicts",
		Long: "The settings that decide verdicts are in force by the group's journal. Those by which entries are made are " +
			"fixed: a member that\n" +
			"differs in them does not start. The bounds (similarity.threshold, the window, index.keep and others) can be changed by one\n" +
			"command: every member switches at the same place in the journal, none is started again, and what is remembered " +
			"stays.",
	})
	cmd.AddCommand(settingsShowCommand(), settingsDiffCommand(), settingsApplyCommand())
	return cmd
}

func settingsShowCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "show", Short: "Print the settings in force", Args: cmdline.AtMost(0, ""),
		RunE: onSettings(func(_ context.Context, cmd *cobra.Command, group *bounds.Group) error {
			return group.Show(cmd.OutOrStdout(), cmdline.Bool(cmd, "json"))
		}),
	}
	addSettingsFlags(cmd)
	return cmd
}

func settingsDiffCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "diff", Short: "Compare a configuration with the settings in force",
		Long: "Compare a configuration with the settings in force. The exit code is 0 if they agree, 1 if they differ, 2 " +
			"if that could\n" +
			"not be found out.",
		Args: cmdline.AtMost(0, ""),
		RunE: onSettings(func(_ context.Context, cmd *cobra.Command, group *bounds.Group) error {
			return group.Diff(cmd.OutOrStdout(), cmdline.Bool(cmd, "json"))
		}),
	}
	addSettingsFlags(cmd)
	return cmd
}

func settingsApplyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "apply", Short: "Put the bounds of a configuration in force for all members",
		Long: "Put the bounds of a configuration in force. All members read that at the same place in the journal and work " +
			"on by it, whatever\n" +
			"their files say. What narrower bounds have no room for is forgotten from there on, up to 1,024 documents with each that is\n" +
			"judged. The exit code is 0 if the bounds are in force, 1 if they are refused, 2 if that could not be done.",
		Example: "  unecho settings apply --config unecho.yaml --dry-run\n" +
			"  unecho settings apply --config unecho.yaml",
		Args: cmdline.AtMost(0, ""),
		RunE: onSettings(func(ctx context.Context, cmd *cobra.Command, group *bounds.Group) error {
			return group.Apply(ctx, cmd.OutOrStdout(), bounds.How{
				DryRun: cmdline.Bool(cmd, "dry-run"), Back: cmdline.Bool(cmd, "back"), JSON: cmdline.Bool(cmd, "json"),
			})
		}),
	}
	addSettingsFlags(cmd)
	cmdline.Add(cmd, cmdline.Output, func(f cmdline.Flags) {
		f.Bool("dry-run", false, "only print what would change")
		f.Bool("back", false, "go back to bounds that were replaced by others")
	})
	return cmd
}

func addSettingsFlags(cmd *cobra.Command) {
	named.AddFlags(cmd, "kafka.brokers", "source.topics", "consumer.group", "journal.topic")
	cmdline.Add(cmd, cmdline.Output, func(f cmdline.Flags) { f.Bool("json", false, "one JSON object") })
}

// onSettings runs a verb after the journal was read.
func onSettings(do func(context.Context, *cobra.Command, *bounds.Group) error) func(*cobra.Command, []string) error {
	return named.OnService(func(ctx context.Context, cmd *cobra.Command, c config.Config) error {
		options, err := named.Kafka(cmd, c)
		if err != nil {
			return exit.Undone(err)
		}
		group, err := bounds.Read(ctx, c, options)
		if err != nil {
			return err
		}
		return do(ctx, cmd, group)
	})
}
