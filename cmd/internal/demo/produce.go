package demo

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/target"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/index/eval/synthetic"
)

// ProduceCommand is the verb produce.
func ProduceCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "produce FILE|--feed N",
		Short: "Send the lines of a file to the source topic, each as one document",
		Long: "Send the lines of FILE (- is standard input) to the source topic, each as one document. Empty lines are " +
			"passed over.\n" +
			"--feed sends articles of the demo instead: JSON objects with id, title and text, about a third of them copies.",
		Example: "  unecho produce articles.jsonl\n" +
			"  zcat articles.jsonl.gz | unecho produce -\n" +
			"  unecho produce --feed 100000 --pace 50",
		Args: cmdline.AtMost(1, "FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return produce(cmd, args) },
	}
	target.AddSourceFlags(cmd)
	cmdline.Add(cmd, cmdline.Input, func(f cmdline.Flags) {
		f.Int("feed", 0, "send so many articles of the demo, in place of a file")
		f.Uint64("seed", synthetic.DefaultParams().Seed, "of --feed: the same seed gives the same articles")
		f.Float64("pace", 0, "documents a second; 0 is full speed")
	})
	return cmd
}

func produce(cmd *cobra.Command, args []string) (err error) {
	ctx, stop := exit.UntilSignal(cmd.Context(), cmd.ErrOrStderr())
	defer stop()
	defer exit.MarkInterrupted(ctx, &err)
	p, pace := synthetic.DefaultParams(), cmdline.Float(cmd, "pace")
	p.Documents, p.Seed = cmdline.Int(cmd, "feed"), cmdline.Uint64(cmd, "seed")
	if (len(args) == 1) == (p.Documents != 0) {
		return exit.Usage(errors.New("name what is sent: FILE, or --feed N"))
	}
	docs, err := OpenInput(strings.Join(args, ""), p)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, docs.Close()) }()
	s, source, err := target.Source(cmd)
	if err != nil {
		return err
	}
	if pace < 0 {
		return exit.Usage(errors.New("--pace is at least 0"))
	}
	if err := topic.Reach(ctx, s.Kafka, source); err != nil {
		return err
	}
	writer, err := topic.NewWriter(ctx, s.Kafka, source)
	if err != nil {
		return err
	}
	defer writer.Close()
	progress := terminal.NewProgress(cmd.ErrOrStderr(), docs.Size)
	stopped, err := docs.SendTo(ctx, writer, pace, progress)
	if err != nil {
		return err
	}
	if _, err = fmt.Fprintf(cmd.OutOrStdout(), "sent %d documents to %s\n", progress.Documents, source); err == nil && stopped {
		err = errors.New("stopped before all documents were sent")
	}
	return err
}
