package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/consumer/backfill"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/internal/corpus"
)

// backfillCommand replays a range of topics, and holds the verbs about such jobs.
func backfillCommand() *cobra.Command {
	cmd := cmdline.Works(&cobra.Command{
		Use:   "backfill",
		Short: "Replay a range of topics as a job with an end, through an index of its own",
		Long:  backfillLong,
		Example: "  unecho backfill --topic news --from 2026-01-01 --to end --config unecho.yaml\n" +
			"  unecho backfill --topic news --from -24h --dry-run --json\n" +
			"  unecho backfill --topic news --from 0=1200,1=1340 --to 0=9000,1=9100 --name repair\n" +
			"  unecho backfill --into search --config search.yaml\n" +
			"  unecho backfill --prime search --config search.yaml\n" +
			"  unecho backfill --name archive --time published --files 2024.jsonl.gz 2025.jsonl.gz",
		Args: func(cmd *cobra.Command, args []string) error {
			if cmd.Flag("files").Changed { // the names of more files
				return nil
			}
			return cmdline.AtMost(0, "")(cmd, args)
		},
		RunE: backfillTopics,
	})
	addServiceFlags(cmd)
	cmdline.Add(cmd, cmdline.Input, func(f cmdline.Flags) {
		f.Texts("topic", "topic", "what is replayed; repeatable (default source.topics)")
		f.Text("from", "when", backfill.Start().Text, "where the range begins")
		f.Text("to", "when", backfill.End().Text, "where the range ends; end is where the topics end when this is first started")
		f.Text("order", "choice", "time", "time judges in the order of the documents' times, the same at each run; arrival as they come, faster")
	})
	cmdline.Add(cmd, cmdline.Input, func(f cmdline.Flags) {
		f.Texts("files", "file...", "replay the documents of files, not of topics; - is standard input")
		f.Text("format", "choice", corpus.Auto, "of --files: auto (by name), jsonl, csv, tsv, lines, or text: the file is a document")
		f.Text("time", "field", "", "of --files: the field or column with a document's time (RFC 3339, or seconds or ms since 1970)")
	})
	cmdline.Offer(cmd, "order", "time", "arrival")
	cmdline.Offer(cmd, "format", corpus.Formats()...)
	cmdline.Add(cmd, cmdline.Output, func(f cmdline.Flags) {
		f.Text("unique", "topic", "", "where unique documents go (default {source}.backfill.unique)")
		f.Text("duplicate", "topic", "", "where duplicates go (default {source}.backfill.duplicate)")
		f.Text("rejected", "topic", "", "where documents go that cannot be judged (default {source}.backfill.rejected)")
		f.Bool("dry-run", false, "judge and report, and forward nothing")
		f.Bool("json", false, "the summary as one JSON object")
	})
	cmdline.Add(cmd, cmdline.Service, func(f cmdline.Flags) {
		f.Text("name", "name", "", "of the job (default the topic's)")
		f.Text("into", "group", "", "go on as the live group of that name when the range is judged, without a gap")
		f.Text("prime", "group", "", "fill the window of the live group of that name with history, and forward nothing")
		f.Int("max-rate", 0, "documents a second at most; 0 is no bound. With order time the bound of the process that feeds counts, else each process has its own")
	})
	cmd.AddCommand(backfillListCommand(), backfillRemoveCommand())
	return cmd
}

const backfillLong = "Replay a range of topics through an index of its own, exactly once, as a job that ends. The documents' own times decide the\n" +
	"window, so that a year replayed in an hour is judged as it would have been. However many processes work on it, and however\n" +
	"often they are killed, the verdicts are the same.\n\n" +
	"The first start fixes the range. Start the same command on other machines to go faster; after a kill or Ctrl-C the same\n" +
	"command goes on. The exit code is 0 when all is judged, 130 when a signal came before.\n\n" +
	"The job takes the settings of the configuration, but reads and writes nothing of the live group's: it has a group, a\n" +
	"journal and an index of its own, and its outputs are {source}.backfill.unique and so on, with --name NAME\n" +
	"{source}.backfill.NAME.unique. To write where others write, name that topic.\n\n" +
	"WHEN is a time (2026-01-01, 2026-01-01T09:30:00Z; without a zone it is UTC), a time ago (-24h, \"7d ago\"), or offsets: one\n" +
	"number for all partitions, or 0=100,1=250, or news/0=100 where there are several topics; partitions that a list does not\n" +
	"name are not read. --to is the first that is not read any more.\n\n" +
	"--prime GROUP forwards nothing: it fills the window of a live group with what was before the group began, so that copies of\n" +
	"that are duplicates from now on. It takes the configuration of the group's members, and the range is, by default, as far\n" +
	"back as window.age, up to where the group began. What the group judged is never driven out.\n\n" +
	"--files replays documents of files instead, in their order: each line of JSONL or of text, each row of CSV and TSV as a JSON\n" +
	"object, each other file as a whole; compressed by gzip or zstd or not. They are copied to a topic of the job first, each\n" +
	"once, and the same command goes on with that too."

// backfillFlags are the flags of the verb.
type backfillFlags struct {
	topics                      []string
	from, to                    backfill.Bound
	order                       protocol.Order
	unique, duplicate, rejected string
	name, into, prime           string
	files                       []string // their documents are replayed
	format, time                string   // of the files
	maxRate                     int
}

// readBackfillFlags returns the flags, or what is wrong with them. args are the names of more files.
func readBackfillFlags(cmd *cobra.Command, args []string, now time.Time) (f backfillFlags, err error) {
	var wrong []error
	text := func(name string) string { return cmd.Flag(name).Value.String() }
	bound := func(name string) backfill.Bound {
		b, err := backfill.ParseBound(text(name), now)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("--%s: %w", name, err))
		}
		return b
	}
	f = backfillFlags{
		topics: cmdline.Gather(cmd.Flags().GetStringArray("topic"))(&wrong), from: bound("from"), to: bound("to"),
		unique: text("unique"), duplicate: text("duplicate"), rejected: text("rejected"), name: text("name"), into: text("into"),
		prime:   text("prime"),
		maxRate: cmdline.Gather(cmd.Flags().GetInt("max-rate"))(&wrong),
	}
	f.files, f.format, f.time = append(cmdline.Gather(cmd.Flags().GetStringArray("files"))(&wrong), args...), text("format"), text("time")
	wrong = append(wrong, f.wrongFiles(cmd)...)
	order, known := protocol.ParseOrder(text("order"))
	f.order = order
	sets := cmdline.Gather(cmd.Flags().GetStringArray("set"))(&wrong)
	switch {
	case !known:
		wrong = append(wrong, fmt.Errorf("--order %s: there is time and arrival", text("order")))
	case f.maxRate < 0:
		wrong = append(wrong, errors.New("--max-rate: write documents a second, or 0 for no bound"))
	case f.into != "" && f.name != "":
		wrong = append(wrong, errors.New("--name and --into: a job that goes on as a live group has that group's name; leave --name out"))
	case f.into != "" && cmdline.Bool(cmd, "dry-run"):
		wrong = append(wrong, errors.New("--into and --dry-run: choose one; a live group that forwards nothing is of no use to its readers"))
	}
	if f.prime != "" {
		wrong = append(wrong, checkPrime(cmd)...)
	} else {
		wrong = append(wrong, ownSettings(sets, f.into != "")...)
	}
	if err := errors.Join(wrong...); err != nil {
		return f, exit.Usage(err)
	}
	return f, nil
}

// ownSettings refuses --set for what a backfill has flags for, or has of its own.
func ownSettings(sets []string, into bool) (wrong []error) {
	instead := map[string]string{
		"source.topics": "use --topic", "consumer.group": "use --name, or --into", "sink.unique": "use --unique", "sink.duplicate": "use --duplicate",
		"sink.rejected": "use --rejected", "sink.dry_run": "use --dry-run",
	}
	if !into {
		instead["journal.topic"] = "a backfill has a journal of its own, named after --name"
		instead["index.name"] = "a backfill has an index of its own, named after --name"
		instead["source.start"] = "use --from"
	}
	for _, set := range sets {
		key, value, _ := strings.Cut(set, "=")
		if advice, own := instead[key]; own {
			wrong = append(wrong, fmt.Errorf("--set %s: %s", key, advice))
		}
		if key == "window.clock" && value != eventClock {
			wrong = append(wrong, fmt.Errorf("--set window.clock=%s: a backfill goes by the documents' own times; leave it out", value))
		}
	}
	return wrong
}

// eventClock is the value of window.clock that a backfill has.
const eventClock = "event"

// asked returns what the command line says of a job that may have begun already, and whether the settings make it a dry run.
func (v *backfillVerb) asked() backfill.Asked {
	f, cmd := v.flags, v.cmd
	asked := backfill.Asked{Topics: f.topics, Files: len(f.files) > 0}
	if asked.Files {
		asked.Topics = []string{backfill.FilesOf(f.name)}
	}
	asked.Outputs.Unique, asked.Outputs.Duplicate, asked.Outputs.Rejected = f.unique, f.duplicate, f.rejected
	if cmd.Flag("from").Changed {
		asked.From = &f.from
	}
	if cmd.Flag("to").Changed {
		asked.To = &f.to
	}
	if cmd.Flag("order").Changed {
		asked.Order = &f.order
	}
	if dry := v.config.Sink.DryRun; dry || cmd.Flag("dry-run").Changed {
		asked.DryRun = &dry
	}
	return asked
}

// listed is the value of a setting that is a list.
func listed(items []string) string { return strings.Join(items, ",") }

// backfillTopics is the verb.
func backfillTopics(cmd *cobra.Command, args []string) error {
	flags, err := readBackfillFlags(cmd, args, time.Now())
	if err != nil {
		return err
	}
	if flags.prime != "" {
		return primeGroup(cmd, &flags)
	}
	v, err := newBackfillVerb(cmd, &flags)
	if err == nil {
		say := func() { fmt.Fprintln(cmd.ErrOrStderr(), "unecho: "+exit.Finishing) }
		if v.logsJSON {
			say = func() { v.logger.Info().Msg(exit.Finishing) }
		}
		ctx, stop := exit.UntilSignalSaid(cmd.Context(), say, nil)
		defer stop()
		err = v.run(ctx)
		exit.MarkInterrupted(ctx, &err)
	}
	if err != nil && v != nil && v.logsJSON {
		return &exit.Error{Logged: true, Err: err}
	}
	return err
}
