package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/assembly"
	"github.com/unecho/unecho/cmd/internal/backfills"
	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/dedup"
	"github.com/unecho/unecho/cmd/internal/demo"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/explain"
	"github.com/unecho/unecho/cmd/internal/groups"
	"github.com/unecho/unecho/cmd/internal/inspect"
	"github.com/unecho/unecho/cmd/internal/snapshots"
	"github.com/unecho/unecho/cmd/internal/tune"
)

// rootCommand is the command tree.
func rootCommand() *cobra.Command {
	root := cmdline.GroupCommand(&cobra.Command{
		Use:   "unecho",
		Short: "A near-duplicate filter for Kafka",
		Long: "unecho reads documents from Kafka, decides for each whether a near-identical one was seen within a rolling\n" +
			"window, and forwards it, untouched, to a topic of unique documents or a topic of duplicates.",
		SilenceErrors: true,
		SilenceUsage:  true,
	})
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return exit.Usage(fmt.Errorf("%w; %s", err, cmdline.FlagAdvice(cmd, err)))
	})
	root.Version = versionLine()
	root.SetVersionTemplate("{{.Version}}")
	root.InitDefaultVersionFlag()
	root.Flags().Lookup("version").Usage = "print the version"
	cmdline.AddLogFlags(root)
	for _, group := range []struct {
		id, title string
		commands  []*cobra.Command
	}{
		{"service", "The service:", []*cobra.Command{
			demo.Command(version()), assembly.Command(version()), backfills.FillCommand(version()), backfills.Command(version()),
			demo.ProduceCommand(), demo.TailCommand(), inspect.TopCommand(), inspect.LookupCommand(), inspect.RecentCommand(),
			inspect.DoctorCommand(), inspect.AuditCommand(), groups.RoutingCommand(), groups.SettingsCommand(), groups.HandoverCommand(),
			groups.ForgetCommand(), snapshots.Command(),
		}},
		{"files", "Files, and choosing the settings:", []*cobra.Command{
			dedup.Command(version()), explain.Command(), tune.Command(version()), explain.PlanCommand(), tune.EvalCommand(version()),
		}},
		{"program", "The program:", []*cobra.Command{configCommand(), manCommand(), versionCommand()}},
	} {
		root.AddGroup(&cobra.Group{ID: group.id, Title: group.title})
		for _, cmd := range group.commands {
			cmd.GroupID = group.id
			root.AddCommand(cmd)
		}
	}
	root.SetHelpCommandGroupID("program")
	root.SetCompletionCommandGroupID("program")
	return root
}
