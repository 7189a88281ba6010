package demo

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/unecho/unecho/cmd/internal/assembly"
	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/target"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer"
	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/document"
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
			"  unecho demo --input articles.jsonl",
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
	cmdline.Add(cmd, cmdline.Output, func(f cmdline.Flags) {
		f.Bool("page", false, "serve the page of the service on http.listen, with more documents, until Ctrl-C")
	})
	cmdline.AddJSON(cmd, "the summary as one JSON object on the last line")
	return cmd
}

// partitions is how many partitions the source topic has.
const partitions = 4

func show(cmd *cobra.Command, version string) error {
	ctx, stop := exit.UntilSignal(cmd.Context(), cmd.ErrOrStderr())
	defer stop()
	signal.Ignore(syscall.SIGPIPE) // into head: the write fails, and what follows removes the directory
	dir, err := os.MkdirTemp("", "unecho-demo-")
	if err != nil {
		return fmt.Errorf("make a directory for snapshots: %w", err)
	}
	defer os.RemoveAll(dir)
	p, docs, err := demoOf(cmd, dir, version)
	if err != nil {
		return err
	}
	kafka, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(partitions, document.Named(p.Config.Sources)...))
	if err != nil {
		return fmt.Errorf("start a broker: %w", err)
	}
	defer kafka.Close()
	p.Config.Kafka = broker.DefaultParams()
	p.Config.Kafka.Brokers = kafka.ListenAddrs()
	fmt.Fprintf(cmd.ErrOrStderr(), "a Kafka broker listens on %s\n", p.Config.Kafka.Brokers[0])
	opts, err := broker.Options(p.Config.Kafka, p.Logger)
	if err != nil {
		return err
	}
	p.Setup = assembly.Setup(p.Config, opts)
	return Run(ctx, p, docs)
}

// demoOf returns what the flags ask for: a service on a broker that is still to be started, and the documents for it.
func demoOf(cmd *cobra.Command, dir, version string) (p Params, docs *Documents, err error) {
	base := config.Default()
	base.Kafka.Brokers = []string{"127.0.0.1:1"} // the real one is known when it listens
	base.Sources, base.Consumer.Group, base.Snapshot.Directory.Path = target.AnySource(), target.Group, dir
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
		Params: assembly.Params{
			Config: loaded.Config, Version: version, Logger: logger,
			More: func(s *consumer.Setup) { s.ProducerTime = true }, // the broker stamps no time
		},
		Out: cmd.OutOrStdout(), Notes: cmd.ErrOrStderr(), JSON: cmdline.Bool(cmd, "json"),
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
