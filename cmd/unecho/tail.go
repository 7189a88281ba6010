package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/sink"
)

func tailCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tail unique|duplicate|rejected",
		Short: "Show the documents of an output topic as they come",
		Long: "Show the documents of an output topic from its beginning, and new ones as they come, until Ctrl-C: the coordinates in\n" +
			"the source, what the verdict's headers say, and the document. Only what is committed is shown.",
		Example: "  unecho tail duplicate\n  unecho tail unique --new | head",
		Args:    cmdline.Exactly("unique|duplicate|rejected"),
		RunE:    func(cmd *cobra.Command, args []string) error { return tail(cmd, args[0]) },
	}
	addClientFlags(cmd)
	cmdline.Add(cmd, cmdline.Output, func(f cmdline.Flags) {
		f.Bool("new", false, "only what comes from now on")
		f.Bool("values", false, "the documents alone, unchanged, a line each")
	})
	return cmd
}

func tail(cmd *cobra.Command, which string) error {
	if which != sink.Unique && which != sink.Duplicate && which != sink.Rejected {
		return exit.Usage(fmt.Errorf("there is no output %q: write unique, duplicate or rejected", which))
	}
	ctx, stop := exit.UntilSignal(cmd.Context(), io.Discard)
	var watch sync.WaitGroup
	watch.Go(func() { terminal.WhenUnread(ctx, cmd.OutOrStdout(), stop) })
	defer watch.Wait()
	defer stop()
	c, source, err := clientConfig(cmd)
	if err != nil {
		return err
	}
	unique, duplicate, rejected := c.Sink.Topics(source)
	name := map[string]string{sink.Unique: unique, sink.Duplicate: duplicate, sink.Rejected: rejected}[which]
	opts, err := kafkaOf(cmd, c)
	if err != nil {
		return err
	}
	if err := topic.Reach(ctx, opts, name); err != nil {
		return err
	}
	reader, err := topic.NewReader(opts, cmdline.Bool(cmd, "new"), name)
	if err != nil {
		return err
	}
	defer reader.Close()
	show := showRecord
	if cmdline.Bool(cmd, "values") {
		show = func(w io.Writer, r *topic.Record) error {
			_, err := fmt.Fprintf(w, "%s\n", r.Value)
			return err
		}
	}
	for {
		err := reader.Next(ctx, func(r *topic.Record) error { return show(cmd.OutOrStdout(), r) })
		if errors.Is(err, context.Canceled) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// showRecord writes one line. What comes from documents is made harmless to terminals.
func showRecord(w io.Writer, r *topic.Record) error {
	var b strings.Builder
	b.WriteString(r.Header(sink.HeaderSource))
	switch r.Header(sink.HeaderVerdict) {
	case sink.Duplicate:
		fmt.Fprintf(&b, "  %s of %s (%s), copy %s", r.Header(sink.HeaderSimilarity), terminal.Printable(r.Header(sink.HeaderMatchID), 60),
			r.Header(sink.HeaderMethod), r.Header(sink.HeaderCopy))
	case sink.Rejected:
		fmt.Fprintf(&b, "  %s: %s", r.Header(sink.HeaderReason), terminal.Printable(r.Header(sink.HeaderDetail), 200))
	}
	_, err := fmt.Fprintf(w, "%s  %s\n", b.String(), terminal.Printable(string(r.Value), 160))
	return err
}
