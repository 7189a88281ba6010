package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

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
			tune.CommonCommand(),
		}},
		{"program", "The program:", []*cobra.Command{
			configCommand(), manCommand(), printing("version", "Print the version", versionLine),
		}},
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

func manCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "man DIR",
		Short:   "Write a man page for each command into a directory",
		Example: "  unecho man /usr/local/share/man/man1",
		Args:    cmdline.Exactly("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil { // man pages are for everybody
				return fmt.Errorf("write man pages: %w", err)
			}
			root := cmd.Root()
			root.DisableAutoGenTag = true // a page without a date is the same each time
			header := &doc.GenManHeader{Title: "UNECHO", Section: "1", Source: "unecho " + version()}
			if err := doc.GenManTree(root, header, args[0]); err != nil {
				return fmt.Errorf("write man pages: %w", err)
			}
			return nil
		},
	}
}

func versionLine() string {
	return fmt.Sprintf("unecho %s %s %s/%s\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// version returns what the Go toolchain recorded: a tag, or a pseudo-version with the commit.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(unknown)"
	}
	return info.Main.Version
}
