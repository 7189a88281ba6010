package demo

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/assembly"
	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/target"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/index/eval/synthetic"
)

// Command is the verb.
func Command(version string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Run the whole service on a broker in this process, with a feed of articles",
		Long: "Run the whole service on a broker in this process, and send it a feed of articles: originals, exact and " +
			"edited copies,\n" +
			"and look-alikes that are no copies. Verdicts show as they fall; the summary at the end holds them against the exact\n" +
			"similarities. Any Kafka client on this machine can look at the broker while the demo runs. With --page, a browser shows\n" +
			"the service at work, and the demo stays until Ctrl-C.",
		Example: "  unecho demo\n" +
			"  unecho demo --page\n" +
			"  unecho demo --documents 100000 --json | tail -1\n" +
			"  unecho demo --input articles.jsonl --dir ./demo",
		Args: cmdline.AtMost(0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return show(cmd, version) },
	}
	cmdline.AddSet(cmd)
	p := synthetic.DefaultParams()
	cmdline.Add(cmd, cmdline.Input, func(f cmdline.Flags) {
		f.Int("documents", p.Documents, "documents of the feed")
		f.Uint64("seed", p.Seed, "the same seed gives the same documents")
		f.Text("input", "file", "", "read documents from a JSONL file instead (- is standard input): objects with text and id")
		f.Float64("pace", 0, "documents a second, 0 is full speed; if not given, 60 on a terminal or with --page")
	})
	cmdline.Add(cmd, cmdline.Service, func(f cmdline.Flags) {
		f.Text("dir", "dir", "", "keep everything in this directory, and go on there the next time (default a temporary one)")
		f.Text("listen", "address", "127.0.0.1:0", "the broker's address; port 0 takes a free one")
	})
	cmdline.Add(cmd, cmdline.Output, func(f cmdline.Flags) {
		f.Bool("page", false, "serve the page of the service on http.listen, with more documents, until Ctrl-C")
	})
	cmdline.AddJSON(cmd, "the summary as one JSON object on the last line")
	return cmd
}

func show(cmd *cobra.Command, version string) (err error) {
	var kafka target.Broker
	ctx, stop := exit.UntilSignalWith(cmd.Context(), exit.Announces(cmd.ErrOrStderr(), false, zerolog.Nop()), func() { _ = kafka.Close() })
	defer stop()
	signal.Ignore(syscall.SIGPIPE) // into head: the write fails, and what follows removes the directory
	dir, remove, err := Dir(cmdline.Text(cmd, "dir"))
	if err != nil {
		return err
	}
	defer remove()
	p, docs, err := demoOf(cmd, dir, version)
	if err != nil {
		return err
	}
	if err := kafka.Start(ctx, &p.Config, dir, cmdline.Text(cmd, "listen"), p.Logger); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, kafka.Close()) }()
	fmt.Fprintf(cmd.ErrOrStderr(), "a Kafka broker listens on %s, its data in %s\n", p.Config.Kafka.Brokers[0], dir)
	opts, err := broker.Options(p.Config.Kafka, p.Logger)
	if err != nil {
		return err
	}
	p.Setup = assembly.Setup(p.Config, opts)
	p.Sum = func(s Summary) error {
		if ctx.Err() != nil && cmd.Flag("dir").Changed {
			fmt.Fprintf(cmd.ErrOrStderr(), "stopped; `unecho demo --dir %s` goes on from here\n", dir)
		}
		if cmdline.Bool(cmd, "json") {
			return terminal.WriteJSON(cmd.OutOrStdout(), s)
		}
		return s.WriteText(cmd.OutOrStdout())
	}
	return Run(ctx, p, docs)
}

// demoOf returns what the flags ask for: a service on a broker that is still to be started, and the documents for it.
func demoOf(cmd *cobra.Command, dir, version string) (p Params, docs *Documents, err error) {
	base := target.Defaults(config.Default(), dir)
	read := &base.Sources[0].Reading
	read.Format, read.Fields, read.ID = "json", []string{"text"}, "field:id"
	paged := cmdline.Bool(cmd, "page")
	if base.HTTP.ShowText = true; !paged { // the texts are made up, and the address is this machine's
		base.HTTP.Listen = ""
	}
	base.Log.Level = "warn"
	loaded, err := config.ResolveFrom(base, "", os.Environ(), append(cmdline.Texts(cmd, "set"), cmdline.LogSets(cmd)...))
	if err != nil {
		return p, nil, err
	}
	logger, err := terminal.NewLogger(cmd.ErrOrStderr(), loaded.Config.Log)
	if err != nil {
		return p, nil, err
	}
	p = Params{
		Params: assembly.Params{Config: loaded.Config, InProcess: true, Version: version, Logger: logger, Tell: cmd.ErrOrStderr()},
		Out:    cmd.OutOrStdout(), Notes: cmd.ErrOrStderr(),
		Pace: cmdline.Float(cmd, "pace"), Stay: paged,
	}
	if !cmd.Flag("pace").Changed {
		p.Pace = PaceFor(p.Out, paged)
	}
	sent := synthetic.DefaultParams()
	sent.Documents, sent.Seed = cmdline.Int(cmd, "documents"), cmdline.Uint64(cmd, "seed")
	if paged && !cmd.Flag("documents").Changed {
		sent.Documents = Watched
	}
	docs, err = Open(cmdline.Text(cmd, "input"), sent)
	return p, docs, err
}
