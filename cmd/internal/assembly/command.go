package assembly

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/memory"
	"github.com/unecho/unecho/cmd/internal/target"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer"
)

// Command is the verb run.
func Command(version string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Run the service until SIGTERM",
		Long: "Run the service: read documents, judge them, forward them. On SIGTERM or Ctrl-C it finishes and commits its work,\n" +
			"takes a snapshot and leaves the group; a second one exits at once.",
		Example: "  unecho run --config unecho.yaml\n" +
			"  unecho run --config unecho.yaml --set advanced.member=unecho-0",
		Args: cmdline.AtMost(0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return runService(cmd, version) },
	}
	cmdline.AddSet(cmd)
	cmdline.Add(cmd, cmdline.Service, func(f cmdline.Flags) {
		f.TextP("config", "c", "file", "", "the configuration file (default "+cmdline.DefaultFile+", if it is there)")
		f.Bool("dry-run", false, "judge and count, and forward nothing; a group of its own shows what another configuration would do")
		f.Bool("pprof", false, "serve profiles at /debug/pprof of http.listen, to callers on the same machine")
		AddAcceptGap(f)
		f.Texts(acceptOffsets, "TOPIC/PARTITION@OFFSET",
			"go on at that offset although the committed offset of that partition was lost; repeatable, or with commas")
		AddAcceptFirst(f)
	})
	return cmd
}

func runService(cmd *cobra.Command, version string) error {
	accepted, err := Accepted(cmd)
	if err != nil {
		return err
	}
	c, err := target.Config(cmd, target.Layers{})
	c.Sink.DryRun = cmdline.Bool(cmd, "dry-run")
	json := terminal.IsJSON(cmd.ErrOrStderr(), c.Log)
	switch {
	case err == nil:
		err = serve(cmd, c, accepted, version)
	case !json && cmdline.ConfigFile(cmd) == "":
		fmt.Fprintf(cmd.ErrOrStderr(),
			"no %s here: `unecho config init -o %s` writes one, `unecho demo` needs none\n", cmdline.DefaultFile, cmdline.DefaultFile)
	}
	return exit.InLog(err, json)
}

// serve runs the service that c describes.
func serve(cmd *cobra.Command, c config.Config, accepted consumer.Accepted, version string) error {
	logger, err := Logger(cmd.ErrOrStderr(), c)
	if err != nil {
		return err
	}
	says := exit.Announces(cmd.ErrOrStderr(), terminal.IsJSON(cmd.ErrOrStderr(), c.Log), logger)
	ctx, stop := exit.UntilSignalWith(cmd.Context(), says)
	defer stop()
	memory.Bound(c, logger)
	built, err := Build(ctx, Params{
		Config: c, Version: version, Logger: logger, Profiles: cmdline.Bool(cmd, "pprof"), Accepted: accepted,
	})
	if err != nil {
		return err
	}
	return built.Run(ctx, StandingEvery, logger)
}
