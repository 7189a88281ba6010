package groups

import (
	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/target"
)

// HandoverCommand is the verb that has a group take over from another one.
func HandoverCommand() *cobra.Command {
	cmd := cmdline.Works(&cobra.Command{
		Use:   "takeover",
		Short: "Have a group take over from the one that it follows",
		Long: "Have the group of a configuration take over from the one that it follows (succeeds). The old group retires by a record\n" +
			"in its journal: its members end, and what they had not committed stays. Once the last one is gone, the new group\n" +
			"forwards from exactly where the old one had committed. Each document comes out once, by one or the other.\n\n" +
			"If anything is killed meanwhile, the same command goes on. To go back afterwards, delete the journal of the old group,\n" +
			"start the old deployment with succeeds naming the new group, and run this with its configuration. --abandon lets the\n" +
			"old group go on instead, as long as the new one has not taken over.",
		Example: "  unecho takeover --config new.yaml --plan\n" +
			"  unecho takeover --config new.yaml\n" +
			"  unecho takeover --config new.yaml --abandon",
		Args: cmdline.AtMost(0, ""),
		RunE: target.OnService(runHandover),
	})
	target.AddFlags(cmd, "kafka.brokers", "sources.topics", "group")
	cmdline.Add(cmd, cmdline.Output, func(f cmdline.Flags) {
		f.Bool("plan", false, "only say what would happen")
		f.Bool("abandon", false, "let the old group go on, if the new one has not taken over yet")
	})
	return cmd
}
