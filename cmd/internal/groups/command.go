package groups

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/target"
)

// SettingsCommand holds the verbs about the settings that decide verdicts.
func SettingsCommand() *cobra.Command {
	diff := &cobra.Command{
		Use: "diff", Short: "Compare a configuration with the settings in force",
		Long: "Compare a configuration with the settings in force. The exit code is 0 if they agree, 1 if they differ, 2 " +
			"if that could\n" +
			"not be found out.",
	}
	apply := &cobra.Command{
		Use: "apply", Short: "Put the bounds of a configuration in force for all members",
		Long: "Put the bounds of a configuration in force. All members switch to them at the same place in the journal, whatever\n" +
			"their files say. Documents beyond narrower bounds are forgotten from there on, up to 1,024 with each that is judged.\n" +
			"The exit code is 0 if the bounds are in force, 1 if they are refused, 2 if that could not be done.",
		Example: "  unecho settings apply --config unecho.yaml --dry-run\n" +
			"  unecho settings apply --config unecho.yaml",
	}
	cmdline.AddJSON(diff, "one JSON object")
	cmdline.AddJSON(apply, "one JSON object")
	cmdline.Add(apply, cmdline.Output, func(f cmdline.Flags) {
		f.Bool("back", false, "go back to bounds that were replaced by others")
	})
	return inForceCommand(Settings, &cobra.Command{
		Use: "settings", Short: "Show, compare and change the settings that decide verdicts",
		Long: "The settings that decide verdicts are in force by the group's journal. Settings that entries depend on are fixed: a\n" +
			"member with others does not start. The bounds (duplicates.threshold, the window, duplicates.compare_copies and others) can be changed\n" +
			"by one command: every member switches at the same place in the journal, none is started again, and what is remembered\n" +
			"stays.",
	}, &cobra.Command{Use: "show", Short: "Print the settings in force"}, diff, apply)
}

// RoutingCommand holds the verbs about where documents come from and where they go.
func RoutingCommand() *cobra.Command {
	return inForceCommand(Routing, &cobra.Command{
		Use: "routing", Short: "Show, compare and change what a group reads and where it forwards",
		Long: "The routing of a group is what its members must agree on beside the settings that decide verdicts: " +
			"sources.topics,\n" +
			"sources.start, the topics of the outputs, --dry-run of run. The first member declares it in the journal, and a member that\n" +
			"differs does not start. One command changes it, and what is remembered stays.",
	}, &cobra.Command{Use: "show", Short: "Print the routing in force"}, &cobra.Command{
		Use: "diff", Short: "Compare a configuration with the routing in force",
		Long: "Compare a configuration with the routing in force. The exit code is 0 if they agree, 1 if they differ, 2 if " +
			"that could\n" +
			"not be found out.",
	}, &cobra.Command{
		Use: "apply", Short: "Put the routing of a configuration in force for all members",
		Long: "Put the routing of a configuration in force. Members with another one end when they read it, and log the difference:\n" +
			"start them with this configuration. Documents that are judged and not committed yet go where the new routing says;\n" +
			"what is remembered stays.",
		Example: "  unecho routing apply --config unecho.yaml --dry-run\n" +
			"  unecho routing apply --config unecho.yaml",
	})
}

// inForceCommand holds the verbs about a part of what is in force by a group's journal.
func inForceCommand(of func(*Group) Part, about, show, diff, apply *cobra.Command) *cobra.Command {
	show.RunE, diff.RunE, apply.RunE = onGroup(of, (*Group).show), onGroup(of, (*Group).diff), onGroup(of, (*Group).apply)
	cmdline.AddJSON(show, "one JSON object")
	cmdline.Add(apply, cmdline.Output, func(f cmdline.Flags) { f.Bool("dry-run", false, "only print what would change") })
	for _, verb := range []*cobra.Command{show, diff, apply} {
		verb.Args = cmdline.AtMost(0, "")
		target.AddFlags(verb, "kafka.brokers", "sources.topics", "group")
		about.AddCommand(verb)
	}
	return cmdline.GroupCommand(about)
}

// onGroup runs a verb after the journal was read.
func onGroup(of func(*Group) Part, do func(*Group, context.Context, *cobra.Command) error) func(*cobra.Command, []string) error {
	return target.OnService(func(ctx context.Context, cmd *cobra.Command, s *target.Service, _ []string) error {
		group, err := Read(ctx, of, s)
		if err != nil {
			return err
		}
		return do(group, ctx, cmd)
	})
}
