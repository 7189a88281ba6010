package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/live"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer/backfill"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/sink"
)

func tailCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tail [unique|duplicate|rejected]",
		Short: "Show the documents of the output topics, and new ones as they come",
		Long: "Show the documents of an output topic, or of all three, and new ones as they come, until Ctrl-C: the coordinates in the\n" +
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
	addClientFlags(cmd)
	cmdline.Add(cmd, cmdline.Output, func(f cmdline.Flags) {
		f.Text("from", "when", "", "begin with documents that were forwarded then")
		f.Int("last", -1, "begin with so many of the newest documents; -1 is no bound")
		f.Bool("new", false, "only what comes from now on, like --last 0")
		f.BoolP("follow", "f", true, "go on with new documents until Ctrl-C")
		f.Bool("json", false, "a JSON object for each document, a line each")
		f.Bool("values", false, "the documents alone, unchanged, a line each")
	})
	return cmd
}

func tail(cmd *cobra.Command, args []string) (err error) {
	which, err := outputNames(args)
	if err != nil {
		return exit.Usage(err)
	}
	past, err := pastOf(cmd)
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
	c, source, err := clientConfig(cmd)
	if err != nil {
		return err
	}
	topics := outputTopics(c, source, which)
	opts, err := kafkaOf(cmd, c)
	if err != nil {
		return err
	}
	if err := topic.Reach(ctx, opts, topics...); err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	show := func(r *topic.Record) error { return live.WriteRecord(out, r, len(topics) > 1) }
	switch {
	case cmdline.Bool(cmd, "json"):
		show = func(r *topic.Record) error { return live.WriteJSON(out, r) }
	case cmdline.Bool(cmd, "values"):
		show = func(r *topic.Record) error { return live.WriteValue(out, r) }
	}
	err = topic.Tail(ctx, opts, past, follows, show, topics...)
	if errors.Is(err, context.Canceled) && (follows || !exit.Signalled(ctx)) {
		return nil // Ctrl-C is the end of what follows, and nobody reads what is cut off
	}
	return err
}

// mostLast bounds the documents that are kept to be sorted.
const mostLast = 10_000

// pastOf reads where the reading begins.
func pastOf(cmd *cobra.Command) (past topic.Past, err error) {
	switch {
	case cmdline.Bool(cmd, "json") && cmdline.Bool(cmd, "values"):
		return past, errors.New("--json and --values are two forms: choose one")
	case cmdline.Bool(cmd, "new") && (cmd.Flag("last").Changed || cmd.Flag("from").Changed):
		return past, errors.New("--new shows nothing of the past: leave out --last and --from")
	}
	if past.Last, err = cmd.Flags().GetInt("last"); err != nil {
		return past, err
	}
	if cmdline.Bool(cmd, "new") {
		past.Last = 0
	}
	if past.Last < -1 || past.Last > mostLast {
		return past, fmt.Errorf("--last %d is out of range: write 0 to %d", past.Last, mostLast)
	}
	text, now := cmd.Flag("from").Value.String(), time.Now()
	if text == "" {
		return past, nil
	}
	if back, err := time.ParseDuration(text); err == nil && back >= 0 {
		past.From = now.Add(-back)
		return past, nil
	}
	b, err := backfill.ParseBound(text, now)
	at, is := b.Time()
	if err != nil || !is {
		return past, fmt.Errorf("--from %q is no time: write 10m, \"2h ago\", 2026-01-01 or 2026-01-01T09:30:00Z", text)
	}
	past.From = at
	return past, nil
}

// outputNames are the outputs that the arguments name: one, or all.
func outputNames(args []string) ([]string, error) {
	all := []string{sink.Unique, sink.Duplicate, sink.Rejected}
	if len(args) == 0 {
		return all, nil
	}
	if !slices.Contains(all, args[0]) {
		return nil, fmt.Errorf("there is no output %q: write unique, duplicate or rejected", args[0])
	}
	return args, nil
}

// outputTopics are the topics of outputs of a source topic.
func outputTopics(c config.Config, source string, outputs []string) (topics []string) {
	unique, duplicate, rejected := c.Sink.Topics(source)
	of := map[string]string{sink.Unique: unique, sink.Duplicate: duplicate, sink.Rejected: rejected}
	for _, output := range outputs {
		topics = append(topics, of[output])
	}
	return topics
}
