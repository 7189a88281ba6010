package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/config"
)

// rootCommand is the command tree.
func rootCommand() *cobra.Command {
	root := groupCommand(&cobra.Command{
		Use:   "unecho",
		Short: "A near-duplicate filter for Kafka",
		Long: "unecho reads documents from Kafka, decides for each whether a near-identical one was seen within a rolling\n" +
			"window, and forwards it, untouched, to a topic of unique documents or a topic of duplicates.",
		SilenceErrors: true,
		SilenceUsage:  true,
	})
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return exit.Usage(fmt.Errorf("%w; %s", err, flagAdvice(cmd, err)))
	})
	root.Version = versionLine()
	root.SetVersionTemplate("{{.Version}}")
	root.InitDefaultVersionFlag()
	root.Flags().Lookup("version").Usage = "print the version"
	addLogFlags(root)
	for _, group := range []struct {
		id, title string
		commands  []*cobra.Command
	}{
		{"service", "The service:", []*cobra.Command{demoCommand(), runCommand(), produceCommand(), tailCommand(), doctorCommand(), auditCommand(), routingCommand(), snapshotCommand()}},
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

// flagAdvice says which flag was probably meant, or where all of them stand.
func flagAdvice(cmd *cobra.Command, err error) string {
	var unknown *pflag.NotExistError
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	if errors.As(err, &unknown) {
		if meant, ok := config.Nearest(unknown.GetSpecifiedName(), names); ok {
			return "did you mean --" + meant + "?"
		}
	}
	return fmt.Sprintf("see `%s --help`", cmd.CommandPath())
}

// groupCommand makes cmd a command that only holds others: alone it prints its help.
func groupCommand(cmd *cobra.Command) *cobra.Command {
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	cmd.SuggestionsMinimumDistance = 2
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		advice := fmt.Sprintf("see `%s --help`", cmd.CommandPath())
		if meant := cmd.SuggestionsFor(args[0]); len(meant) > 0 {
			advice = "did you mean " + strings.Join(meant, " or ") + "?"
		}
		return exit.Usage(fmt.Errorf("there is no command %q below %s; %s", args[0], cmd.CommandPath(), advice))
	}
	return cmd
}

// atMost takes up to n arguments, which names describes.
func atMost(n int, names string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) <= n {
			return nil
		}
		if n == 0 {
			return exit.Usage(fmt.Errorf("%s takes no arguments, not %q", cmd.CommandPath(), args[0]))
		}
		return exit.Usage(errors.New(cmd.CommandPath() + " takes no more than " + names))
	}
}
