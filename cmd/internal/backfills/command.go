package backfills

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/assembly"
	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/target"
	"github.com/unecho/unecho/consumer/backfill"
	"github.com/unecho/unecho/consumer/protocol"
)

// Command replays a range of topics, and holds the verbs about such jobs.
func Command(version string) *cobra.Command {
	cmd := cmdline.Works(&cobra.Command{
		Use:   "backfill",
		Short: "Replay a range of topics as a job with an end, through an index of its own",
		Long:  backfillLong,
		Example: "  unecho backfill --topic news --from 2026-01-01 --to end --config unecho.yaml\n" +
			"  unecho backfill --topic news --from -24h --dry-run --json\n" +
			"  unecho backfill --topic news --from 0=1200,1=1340 --to 0=9000,1=9100 --name repair\n" +
			"  unecho backfill --into search --config search.yaml\n" +
			"  unecho backfill --name archive --time published --files 2024.jsonl.gz 2025.jsonl.gz",
		Args: func(cmd *cobra.Command, args []string) error {
			if cmd.Flag("files").Changed { // the names of more files
				return nil
			}
			return cmdline.AtMost(0, "")(cmd, args)
		},
		RunE: working(version, replay),
	})
	target.AddFlags(cmd)
	cmdline.Add(cmd, cmdline.Input, func(f cmdline.Flags) {
		f.Texts("topic", "topic", "what is replayed; repeatable (default sources.topics)")
		f.Text("from", "when", backfill.Start().Text, "where the range begins")
		f.Text("to", "when", backfill.End().Text,
			"where the range ends; end is where the topics end when this is first started")
		f.Text("order", "choice", "time",
			"time judges in the order of the documents' times, the same at each run; arrival as they come, faster")
	})
	cmdline.Add(cmd, cmdline.Input, func(f cmdline.Flags) {
		f.Texts("files", "file...", "take the documents of files, not of topics; - is standard input")
		f.Text("format", "choice", corpus.Auto, "of --files: "+corpus.FormatsHelp())
		f.Text("time", "field", "", "of --files: the field or column with a document's time (RFC 3339, or seconds or ms "+
			"since 1970)")
		f.Int("partitions", 0, "of --files: of the topic that they are copied to, 1 by default; with --order arrival the "+
			"processes share the work by partitions")
	})
	cmdline.Offer(cmd, "order", "time", "arrival")
	cmdline.Offer(cmd, "format", corpus.Formats()...)
	cmdline.Add(cmd, cmdline.Output, func(f cmdline.Flags) {
		f.Text("unique", "topic", "", "where unique documents go (default {source}.backfill.unique)")
		f.Text("duplicate", "topic", "", "where duplicates go (default {source}.backfill.duplicate, or nowhere with outputs.duplicate.drop)")
		f.Text("rejected", "topic", "", "where documents go that cannot be judged (default {source}.backfill.rejected)")
		f.Text("clusters", "topic", "", "where records of clusters go (default {source}.backfill.clusters with outputs.clusters, else nowhere)")
		f.Text("verdicts", "topic", "", "where records of verdicts go (default {source}.backfill.verdicts with outputs.verdicts, else nowhere)")
		f.Bool("dry-run", false, "judge and report, and forward nothing")
	})
	cmdline.AddJSON(cmd, "the summary as one JSON object")
	cmdline.Add(cmd, cmdline.Service, func(f cmdline.Flags) {
		f.Text("name", "name", "", "of the job (default the topic's)")
		f.Text("into", "group", "", "go on as the live group of that name when the range is judged, without a gap")
		assembly.AddAcceptFirst(f)
		f.Int("max-rate", 0, "documents a second at most; 0 is no bound. With --order time the bound of the feeding "+
			"process counts, else each process has its own")
	})
	cmd.AddCommand(backfillListCommand(), backfillRemoveCommand())
	return cmd
}

const backfillLong = "Replay a range of topics through an index of its own, exactly once, as a job that ends. The " +
	"documents' own times decide the\n" +
	"window, so that a year replayed in an hour is judged as it would have been. However many processes work on it, and however\n" +
	"often they are killed, the verdicts are the same.\n\n" +
	"The first start fixes the range. Start the same command on other machines to go faster; after a kill or Ctrl-C the same\n" +
	"command goes on. The exit code is 0 when all is judged, 130 when a signal came before.\n\n" +
	"The job takes the settings of the configuration, but reads and writes nothing of the live group's: it has a group, a\n" +
	"journal and an index of its own, and its outputs are {source}.backfill.unique and so on, with --name NAME\n" +
	"{source}.backfill.NAME.unique. To write where others write, name that topic.\n\n" +
	"WHEN is a time (2026-01-01, 2026-01-01T09:30:00Z; without a zone it is UTC), a time ago (-24h, \"7d ago\"), or offsets: one\n" +
	"number for all partitions, or 0=100,1=250, or news/0=100 where there are several topics; partitions that a list does not\n" +
	"name are not read. --to is the first that is not read.\n\n" +
	"--files replays documents of files instead, in their order: each line of JSONL or of text, each row of CSV and TSV as a JSON\n" +
	"object, each other file as a whole; compressed by gzip or zstd or not. They are copied to a topic of the job first, each\n" +
	"once, and the same command goes on with that too."

// readFlags returns the flags, of which fill has fewer, or what is wrong with them. args are the names of more files.
func readFlags(cmd *cobra.Command, args []string, now time.Time) (*Flags, error) {
	var wrong []error
	has := func(name string) bool { return cmd.Flag(name) != nil }
	text := func(name string) string {
		if !has(name) {
			return ""
		}
		return cmdline.Text(cmd, name)
	}
	bound := func(name string) backfill.Bound {
		if !cmd.Flag(name).Changed && text(name) == "" {
			return backfill.Bound{}
		}
		b, err := backfill.ParseBound(text(name), now)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("--%s: %w", name, err))
		}
		return b
	}
	f := &Flags{
		Topics: cmdline.Texts(cmd, "topic"), From: bound("from"), To: bound("to"),
		Unique: text("unique"), Duplicate: text("duplicate"), Rejected: text("rejected"), Verdicts: text("verdicts"), Clusters: text("clusters"),
		Name: text("name"), Into: text("into"), Files: args, Format: text("format"), Time: text("time"),
		MaxRate: cmdline.Int(cmd, "max-rate"), DryRun: cmdline.Bool(cmd, "dry-run"), JSON: cmdline.Bool(cmd, "json"),
		Sets: cmdline.Texts(cmd, "set"), Config: configArgs(cmd), Directory: text("directory"),
		Given: func(flag string) bool { return has(flag) && cmd.Flag(flag).Changed },
	}
	if f.Fill = !has("order"); !f.Fill {
		f.Files, f.Partitions = append(cmdline.Texts(cmd, "files"), args...), cmdline.Int(cmd, "partitions")
		var known bool
		if f.Order, known = protocol.ParseOrder(text("order")); !known {
			wrong = append(wrong, fmt.Errorf("--order %s: there is time and arrival", text("order")))
		}
	}
	var err error
	if f.Accepted, err = assembly.Accepted(cmd); err != nil {
		return nil, err
	}
	if err := errors.Join(append(wrong, f.Check())...); err != nil {
		return nil, exit.Usage(err)
	}
	return f, nil
}

// configArgs are the arguments that name the configuration as this command line does.
func configArgs(cmd *cobra.Command) (args []string) {
	if file := cmd.Flag("config"); file.Changed {
		args = append(args, "--config", file.Value.String())
	}
	return args
}

// working runs a verb with the flags of its command line.
func working(version string, do func(context.Context, *Flags, *shell) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		flags, err := readFlags(cmd, args, time.Now())
		if err != nil {
			return err
		}
		return do(cmd.Context(), flags, &shell{cmd: cmd, version: version})
	}
}

func backfillListCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the backfills that a cluster has, how far they are, and how to go on",
		Long: "List the backfills that a cluster has: those at work, those that are half finished, with the command that " +
			"goes on, and those\n" +
			"that are finished and not removed. A backfill that went on as a live group (--into) is that group's, and not listed. The\n" +
			"exit code is 2 if a backfill cannot be read; the others are listed all the same.",
		Example: "  unecho backfill list --config unecho.yaml",
		Args:    cmdline.AtMost(0, ""),
		RunE:    target.OnCluster(listBackfills),
	}
	target.AddFlags(cmd, "kafka.brokers")
	cmdline.AddJSON(cmd, "one JSON object a line")
	return cmd
}

func listBackfills(ctx context.Context, cmd *cobra.Command, s *target.Service, _ []string) error {
	with := strings.Join(append([]string{""}, configArgs(cmd)...), " ")
	return exit.Undone(List(ctx, s.Kafka, with, cmdline.Bool(cmd, "json"), cmd.OutOrStdout()))
}

func backfillRemoveCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "remove NAME",
		Short: "Delete what a backfill keeps: its group, its journal, its files, its snapshots",
		Long: "Delete what a backfill keeps: its group, its journal, its topics of files, and its snapshots in the configured store.\n" +
			"What it has written to its outputs stays. One at work is refused: stop its processes first. A removal that was\n" +
			"interrupted is finished by the same command.",
		Example: "  unecho backfill remove news --config unecho.yaml",
		Args:    cmdline.Exactly("NAME"),
		RunE:    target.OnCluster(removeBackfill),
	}
	target.AddFlags(cmd, "kafka.brokers")
	cmdline.Add(cmd, cmdline.Service, func(f cmdline.Flags) { f.Bool("yes", false, "do not ask") })
	return cmd
}

func removeBackfill(ctx context.Context, cmd *cobra.Command, s *target.Service, args []string) error {
	name := args[0]
	if err := backfill.CheckName(name); err != nil {
		return exit.Usage(err)
	}
	if sure, err := cmdline.Confirmed(ctx, cmd,
		fmt.Sprintf("delete group, journal, snapshots and loaded files of backfill %s? Its outputs stay.", name)); err != nil || !sure {
		return err
	}
	return Remove(ctx, s.Config, s.Kafka, name, cmd.OutOrStdout(), cmd.ErrOrStderr())
}
