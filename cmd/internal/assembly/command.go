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
			"takes a snapshot and leaves the group; a second one exits at once.\n\n" +
			"With --embedded, a broker in this process replaces your Kafka, with its data in --dir. Send documents with unecho\n" +
			"produce and read the outputs with unecho tail. It is for trying things out: after a kill the next start refuses the\n" +
			"broker's data.",
		Example: "  unecho run --config unecho.yaml\n" +
			"  unecho run --config unecho.yaml --set advanced.member=unecho-0\n" +
			"  unecho run --embedded --dir ./data --listen 127.0.0.1:9092",
		Args: cmdline.AtMost(0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return runService(cmd, version) },
	}
	cmdline.AddSet(cmd)
	cmdline.Add(cmd, cmdline.Service, func(f cmdline.Flags) {
		f.TextP("config", "c", "file", "", "the configuration file (default "+cmdline.DefaultFile+", if it is there)")
		f.Bool("dry-run", false, "judge and count, and forward nothing; a group of its own shows what another configuration would do")
		f.Bool("embedded", false, "run a Kafka broker in this process, and use it")
		f.Text("dir", "dir", target.Dir, "with --embedded: the directory for the broker's data and the snapshots")
		f.Text("listen", "address", "127.0.0.1:0", "with --embedded: the broker's address; port 0 takes a free one")
		f.Bool("pprof", false, "serve profiles at /debug/pprof of http.listen, to callers on the same machine")
		AddAcceptGap(f)
		f.Texts(acceptOffsets, "TOPIC/PARTITION@OFFSET",
			"go on at that offset although the committed offset of that partition was lost; repeatable, or with commas")
		AddAcceptRejected(f)
	})
	return cmd
}

func runService(cmd *cobra.Command, version string) error {
	inProcess, dir := cmdline.Bool(cmd, "embedded"), cmdline.Text(cmd, "dir")
	accepted, err := Accepted(cmd)
	if err != nil {
		return err
	}
	c, err := target.Config(cmd, inProcess, dir, target.Layers{})
	c.Sink.DryRun = cmdline.Bool(cmd, "dry-run")
	json := terminal.IsJSON(cmd.ErrOrStderr(), c.Log)
	switch {
	case err == nil:
		err = serve(cmd, c, accepted, inProcess, dir, version)
	case !json && cmdline.Text(cmd, "config") == "" && cmdline.ConfigPath(nil) == "":
		fmt.Fprintf(cmd.ErrOrStderr(),
			"no %s here: `unecho config init -o %s` writes one, `unecho run --embedded` needs none\n", cmdline.DefaultFile,
			cmdline.DefaultFile)
	}
	return exit.InLog(err, json)
}

// serve runs the service that c describes.
func serve(cmd *cobra.Command, c config.Config, accepted consumer.Accepted, inProcess bool, dir, version string) error {
	logger, err := Logger(cmd.ErrOrStderr(), c)
	if err != nil {
		return err
	}
	json := terminal.IsJSON(cmd.ErrOrStderr(), c.Log)
	var leave func()
	var kafka target.Broker
	if inProcess {
		leave = func() { _ = kafka.Close() }
	}
	ctx, stop := exit.UntilSignalWith(cmd.Context(), exit.Announces(cmd.ErrOrStderr(), json, logger), leave)
	defer stop()
	if inProcess {
		if err := kafka.Start(ctx, &c, dir, cmdline.Text(cmd, "listen"), logger); err != nil {
			return err
		}
		defer func() {
			if err := kafka.Close(); err != nil {
				logger.Error().Err(err).Msg("embedded broker was not closed cleanly")
			}
		}()
	}
	memory.Bound(c, logger)
	p := Params{Config: c, InProcess: inProcess, Version: version, Logger: logger, Profiles: cmdline.Bool(cmd, "pprof"), Accepted: accepted}
	if inProcess && !json {
		p.Tell = cmd.ErrOrStderr() // a log for programs has the address in it
	}
	built, err := Build(ctx, p)
	if err != nil {
		return err
	}
	return built.Run(ctx, StandingEvery, logger)
}
