package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/target"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/consumer/backfill"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/sink"
)

// TailCommand is the verb tail.
func TailCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tail [unique|duplicate|rejected]",
		Short: "Show the documents of the output topics, and new ones as they come",
		Long: "Show the documents of an output topic, or of all three, and new ones as they come, until Ctrl-C: the " +
			"coordinates in the\n" +
			"source, what the verdict's headers say, and the document. Only what is committed is shown.\n\n" +
			"Without --from or --last it begins with the oldest. --from is a duration (10m), a time ago (\"2h ago\"), or a time\n" +
			"(2026-01-01, 2026-01-01T09:30:00Z; without a zone it is UTC).",
		Example: "  unecho tail duplicate\n" +
			"  unecho tail --last 20 --follow=false\n" +
			"  unecho tail duplicate --from 10m --json | jq -c '{source, match, similarity}'",
		Args: cmdline.AtMost(1, "unique|duplicate|rejected"),
		RunE: tail,
	}
	target.AddSourceFlags(cmd)
	cmdline.Add(cmd, cmdline.Output, func(f cmdline.Flags) {
		f.Text("from", "when", "", "begin with documents that were forwarded then")
		f.Int("last", -1, "begin with so many of the newest documents, 0 for new ones only; -1 is no bound")
		f.BoolP("follow", "f", true, "go on with new documents until Ctrl-C")
	})
	cmdline.AddJSON(cmd, "a JSON object for each document, a line each")
	return cmd
}

func tail(cmd *cobra.Command, args []string) (err error) {
	which, err := Outputs(args)
	if err != nil {
		return exit.Usage(err)
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
	if cmdline.Bool(cmd, "json") {
		show = func(r *topic.Record) error { return WriteJSON(out, r) }
	}
	err = topic.Tail(ctx, s.Kafka, past, follows, show, topics...)
	if errors.Is(err, context.Canceled) && (follows || !exit.Signalled(ctx)) {
		return nil // Ctrl-C is the end of what follows, and nobody reads what is cut off
	}
	return err
}

// mostLast bounds the documents that are kept to be sorted.
const mostLast = 10_000

// begin is where the reading begins, by the flags, if it is now.
func begin(cmd *cobra.Command, now time.Time) (past topic.Past, err error) {
	from := cmdline.Text(cmd, "from")
	switch past.Last = cmdline.Int(cmd, "last"); {
	case past.Last < -1 || past.Last > mostLast:
		return past, fmt.Errorf("--last %d is out of range: write 0 to %d", past.Last, mostLast)
	case from == "":
		return past, nil
	}
	if back, err := time.ParseDuration(from); err == nil && back >= 0 {
		past.From = now.Add(-back)
		return past, nil
	}
	b, err := backfill.ParseBound(from, now)
	at, is := b.Time()
	if err != nil || !is {
		return past, fmt.Errorf("--from %q is no time: write 10m, \"2h ago\", 2026-01-01 or 2026-01-01T09:30:00Z", from)
	}
	past.From = at
	return past, nil
}

// Outputs are the outputs that the arguments name: one, or all.
func Outputs(args []string) ([]string, error) {
	all := []string{sink.Unique, sink.Duplicate, sink.Rejected}
	if len(args) == 0 {
		return all, nil
	}
	if !slices.Contains(all, args[0]) {
		return nil, fmt.Errorf("there is no output %q: write unique, duplicate or rejected", args[0])
	}
	return args, nil
}

// Topics are the topics of outputs of a source topic, each once.
func Topics(p sink.Params, source string, outputs []string) (topics []string) {
	unique, duplicate, rejected := p.Topics(source)
	of := map[string]string{sink.Unique: unique, sink.Duplicate: duplicate, sink.Rejected: rejected}
	for _, output := range outputs {
		if of[output] != "" && !slices.Contains(topics, of[output]) {
			topics = append(topics, of[output])
		}
	}
	return topics
}

// Only returns which records of those topics are of the outputs; nil if all of them are.
func Only(p sink.Params, outputs []string) func(*topic.Record) bool {
	if !p.Together() || slices.Contains(outputs, sink.Unique) && slices.Contains(outputs, sink.Duplicate) {
		return nil
	}
	return func(r *topic.Record) bool { return slices.Contains(outputs, r.Header(sink.HeaderVerdict)) }
}

// WriteRecord writes one line for a record of an output. withVerdict is for several outputs in one list.
func WriteRecord(w io.Writer, r *topic.Record, withVerdict bool) error {
	var b strings.Builder
	if withVerdict {
		fmt.Fprintf(&b, "%-9s  ", terminal.Printable(r.Header(sink.HeaderVerdict), 60))
	}
	b.WriteString(terminal.Printable(r.Header(sink.HeaderSource), terminal.LongLine))
	switch r.Header(sink.HeaderVerdict) {
	case sink.Duplicate:
		said := func(name string) string { return terminal.Printable(r.Header(name), 60) }
		fmt.Fprintf(&b, "  %s of %s (%s), copy %s", said(sink.HeaderSimilarity), said(sink.HeaderMatchID),
			said(sink.HeaderMethod), said(sink.HeaderCopy))
	case sink.Rejected:
		fmt.Fprintf(&b, "  %s %s", terminal.Printable(r.Header(sink.HeaderReason), 60),
			terminal.Printable(r.Header(sink.HeaderDetail), 200))
	}
	_, err := fmt.Fprintf(w, "%s  %s\n", b.String(), terminal.Printable(string(r.Value), 160))
	return err
}

// WriteJSON writes a record of an output as one JSON object: its place, the verdict's headers without their prefix,
// key and value. What is not UTF-8 has replacement characters.
func WriteJSON(w io.Writer, r *topic.Record) error {
	out := map[string]any{
		"topic": r.Topic, "partition": r.Partition, "offset": r.Offset, "time": r.Time.UTC().Format(time.RFC3339Nano),
		"value": string(r.Value),
	}
	if r.Key != nil {
		out["key"] = string(r.Key)
	}
	for _, h := range r.Headers {
		name, ours := strings.CutPrefix(h.Key, sink.Prefix)
		if !ours {
			continue
		}
		value := string(h.Value)
		out[name] = value
		if h.Key == sink.HeaderSimilarity || h.Key == sink.HeaderCopy {
			if x, err := strconv.ParseFloat(value, 64); err == nil {
				out[name] = x
			}
		}
	}
	return terminal.WriteJSON(w, out)
}
