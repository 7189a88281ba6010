package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/embedded"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/memory"
	"github.com/unecho/unecho/cmd/internal/ops"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer"
)

func runCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Run the service until SIGTERM",
		Long: "Run the service: read documents, judge them, forward them. SIGTERM or Ctrl-C finishes and commits what is " +
			"begun,\n" +
			"takes a snapshot and leaves the group; a second one leaves at once.\n\n" +
			"With --embedded, a broker in this process takes the place of your Kafka, its data in --dir. Produce to it and see the\n" +
			"topics fill with unecho produce and unecho tail. It is for trying things out: data of a broker that was killed " +
			"are refused.",
		Example: "  unecho run --config unecho.yaml\n" +
			"  unecho run --config unecho.yaml --set consumer.member=unecho-0\n" +
			"  unecho run --embedded --dir ./data --listen 127.0.0.1:9092",
		Args: cmdline.AtMost(0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return runService(cmd) },
	}
	cmdline.AddSet(cmd)
	cmdline.Add(cmd, cmdline.Service, func(f cmdline.Flags) {
		f.TextP("config", "c", "file", "", "the configuration file (default "+cmdline.DefaultFile+", if it is there)")
		f.Bool("embedded", false, "run a Kafka broker in this process, and use it")
		f.Text("dir", "dir", embedded.Dir, "with --embedded: the directory for the broker's data and the snapshots")
		f.Text("listen", "address", "127.0.0.1:0", "with --embedded: the broker's address; port 0 takes a free one")
	})
	return cmd
}

func runService(cmd *cobra.Command) error {
	inProcess, dir := cmdline.Bool(cmd, "embedded"), cmd.Flag("dir").Value.String()
	c, err := serviceConfig(cmd, inProcess, dir, layers{})
	json := terminal.IsJSON(cmd.ErrOrStderr(), c.Log)
	switch {
	case err == nil:
		err = serve(cmd, c, inProcess, dir)
	case !json && cmd.Flag("config").Value.String() == "" && cmdline.ConfigPath(nil) == "":
		fmt.Fprintf(cmd.ErrOrStderr(),
			"no %s here: `unecho config init -o %s` writes one, `unecho run --embedded` needs none\n", cmdline.DefaultFile,
			cmdline.DefaultFile)
	}
	if err != nil && json {
		return &exit.Error{Logged: true, Err: err}
	}
	return err
}

// serve runs the service that c describes.
func serve(cmd *cobra.Command, c config.Config, inProcess bool, dir string) error {
	logger, err := serviceLogger(cmd.ErrOrStderr(), c)
	if err != nil {
		return err
	}
	say := func() { fmt.Fprintln(cmd.ErrOrStderr(), "unecho: "+exit.Finishing) }
	if terminal.IsJSON(cmd.ErrOrStderr(), c.Log) {
		say = func() { logger.Info().Msg(exit.Finishing) }
	}
	var leave func()
	var kafka embedded.Broker
	if inProcess {
		leave = func() { _ = kafka.Close() }
	}
	ctx, stop := exit.UntilSignalSaid(cmd.Context(), say, leave)
	defer stop()
	if inProcess {
		if err := kafka.Start(ctx, &c, dir, cmd.Flag("listen").Value.String(), logger); err != nil {
			return err
		}
		defer func() {
			if err := kafka.Close(); err != nil {
				logger.Error().Err(err).Msg("embedded broker was not closed cleanly")
			}
		}()
	}
	memory.Limit(c.Judge.Window)
	memory.WarnOfLimit(c, memory.ContainerLimits(), logger)
	p, err := build(ctx, c, inProcess, logger)
	if err != nil {
		return err
	}
	if inProcess && !terminal.IsJSON(cmd.ErrOrStderr(), c.Log) {
		p.tell = cmd.ErrOrStderr() // a log for programs has the address in it
	}
	return p.Run(ctx, c.Log.Every, logger)
}

// serviceLogger returns the logger of a service, whose level can be changed where there is something to ask.
func serviceLogger(w io.Writer, c config.Config) (zerolog.Logger, error) {
	logger, err := terminal.NewLogger(w, c.Log)
	if err == nil && c.Ops.Listen != "" {
		logger = ops.Adjustable(logger)
	}
	return logger, err
}

// Backfill returns how far the service is with its range.
func (p *parts) Backfill() consumer.Progress { return p.service.Backfill() }

// Run serves until ctx is done, then closes what build opened. Every so often it says how the service stands.
func (p *parts) Run(ctx context.Context, every time.Duration, logger zerolog.Logger) error {
	group, inner := errgroup.WithContext(ctx)
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	if p.ops != nil {
		group.Go(func() error { return p.ops.Serve(serving) })
		group.Go(p.tellPage)
	}
	group.Go(func() error {
		memory.BoundGarbage(serving, p.service.Stats)
		return nil
	})
	group.Go(func() error {
		ops.SayStanding(serving, every, p.service.Stats, logger)
		return nil
	})
	group.Go(func() error {
		defer stop()
		return p.service.Run(inner)
	})
	err := group.Wait()
	stop()
	p.close(ctx, logger)
	return err
}

// tellPage says where the page is, to somebody who has just started the service and may not know.
func (p *parts) tellPage() error {
	if url := p.ops.URL(); url != "" && p.tell != nil {
		fmt.Fprintf(p.tell, "its page is %s\n", url)
	}
	return nil
}

// layers are what a verb adds to the configuration.
type layers struct {
	base  func(*config.Config) // changes the defaults; may be nil
	under []string             // settings that outrank file and environment only, in the form of --set
	over  []string             // settings that outrank everything
}

// serviceConfig returns the configuration. With an embedded broker it has defaults for everything that one needs.
func serviceConfig(cmd *cobra.Command, inProcess bool, dir string, l layers) (config.Config, error) {
	base := config.Default()
	if l.base != nil {
		l.base(&base)
	}
	if inProcess {
		base = embedded.Defaults(base, dir)
	}
	sets, err := cmd.Flags().GetStringArray("set")
	if err != nil {
		return base, err
	}
	var args []string
	if path := cmd.Flag("config").Value.String(); path != "" {
		args = append(args, path)
	}
	loaded, err := config.ResolveFrom(base, cmdline.ConfigPath(args), os.Environ(),
		slices.Concat(l.under, sets, cmdline.Given(cmd), cmdline.LogSets(cmd), l.over))
	return loaded.Config, err
}
