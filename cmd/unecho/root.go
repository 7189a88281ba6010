package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/exit"
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
		{"service", "The service:", []*cobra.Command{demoCommand(), runCommand(), fillCommand(), backfillCommand(), produceCommand(), tailCommand(), topCommand(), lookupCommand(), recentCommand(), doctorCommand(), auditCommand(), routingCommand(), settingsCommand(), takeoverCommand(), forgetCommand(), snapshotCommand()}},
		{"files", "Files, and choosing the settings:", []*cobra.Command{
			dedupCommand(), explainCommand(), tuneCommand(), planCommand(), evalCommand(), sketchCommand(),
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
