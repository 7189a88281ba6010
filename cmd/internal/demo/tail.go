package demo

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/target"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/consumer/topic"
)

// TailCommand is the verb tail.
func TailCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tail [unique|duplicate|rejected]",
		Short: "Show the documents of the output topics, and new ones as they come",
		Long: "Show the documents of an output topic, or of all three, and new ones as they come, until Ctrl-C: the " +
			"coordinates in the\n" +
			"source, what the verdict's headers say, and the document. Only what is committed is shown.\n\n" +
			"Without --from, --last or --new it begins with the oldest. --from is a duration (10m), a time ago (\"2h ago\"), or a time\n" +
			"(2026-01-01, 2026-01-01T09:30:00Z; without a zone it is UTC).",
		Example: "  unecho tail duplicate\n" +
			"  unecho tail --last 20 --follow=false\n" +
			"  unecho tail duplicate --from 10m --json | jq -c '{source, match, similarity}'\n" +
			"  unecho tail unique --new | head",
		Args: cmdline.AtMost(1, "unique|duplicate|rejected"),
		RunE: tail,
	}
	target.AddSourceFlags(cmd)
	cmdline.Add(cmd, cmdline.Output, func(f cmdline.Flags) {
		f.Text("from", "when", "", "begin with documents that were forwarded then")
		f.Int("last", -1, "begin with so many of the newest documents; -1 is no bound")
		f.Bool("new", false, "only what comes from now on, like --last 0")
		f.BoolP("follow", "f", true, "go on with new documents until Ctrl-C")
		f.Bool("values", false, "the documents alone, unchanged, a line each")
	})
	cmdline.AddJSON(cmd, "a JSON object for each document, a line each")
	return cmd
}

func tail(cmd *cobra.Command, args []string) (err error) {
	which, err := Outputs(args)
	if err != nil {
		return exit.Usage(err)
	}
	if cmdline.Bool(cmd, "json") && cmdline.Bool(cmd, "values") {
		return exit.Usage(errors.New("--json and --values are two forms: choose one"))
	}
	past, err := begin(cmd, time.Now())
	if err != nil {
		return exit.Usage(err)
	}
	ctx, stop := exit.UntilSignal(cmd.Context(), io.Discard)
	var watch sync.WaitGroup
	watch.Go(func() { terminal.WhenUnread(ctx, cmd.OutOrStdout(), stop) })
	defer watch.Wait()
	defer stop()
	follows := cmdline.Bool(cmd, "follow")
	if !follows {
		defer exit.MarkInterrupted(ctx, &err)
	}
	s, source, err := target.Source(cmd)
	if err != nil {
		return err
	}
	topics := Topics(s.Config.Sink, source, which)
	if len(topics) == 0 {
		return exit.Usage(errors.New("duplicates are written nowhere (outputs.duplicate.drop): there is nothing to read"))
	}
	past.Only = Only(s.Config.Sink, which)
	if err := topic.Reach(ctx, s.Kafka, topics...); err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	show := func(r *topic.Record) error { return WriteRecord(out, r, len(which) > 1) }
	switch {
	case cmdline.Bool(cmd, "json"):
		show = func(r *topic.Record) error { return WriteJSON(out, r) }
	case cmdline.Bool(cmd, "values"):
		show = func(r *topic.Record) error { return WriteValue(out, r) }
	}
	err = topic.Tail(ctx, s.Kafka, past, follows, show, topics...)
	if errors.Is(err, context.Canceled) && (follows || !exit.Signalled(ctx)) {
		return nil // Ctrl-C is the end of what follows, and nobody reads what is cut off
	}
	return err
}
