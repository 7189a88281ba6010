package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer/audit"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/index/snapshot"
)

func auditCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "Prove from the topics that nothing was lost, doubled, altered or judged otherwise",
		Long: "Read source, journal and outputs, judge the journal once more by a slow and obvious program, and hold every source record\n" +
			"against what came out: exactly once, in the right topic, in the order of its partition, its bytes and headers untouched,\n" +
			"with the verdict that the journal gives. It only reads, and may run beside the service: what the group has not committed\n" +
			"yet is not due. Where the journal is trimmed it begins with the oldest snapshot that the journal still continues, and\n" +
			"counts what was judged before it, which is compared in all but the verdict.\n\n" +
			"It takes --memory, some 16 MiB for each broker, and for each document of the window its evidence and about 2.5 kB; a\n" +
			"temporary file takes about 200 bytes for each document of the source.\n\n" +
			"What an earlier journal decided, before this one took its place, is held against the source only, and counted. What another\n" +
			"routing sent elsewhere is not due, and counted; the configuration of then audits it.\n\n" +
			"The last line says what is proven, and --json has it as outcome: proven; partly (verdicts before the snapshot are not\n" +
			"known); delivered (none is known); nothing (no record was due); broken. The exit code is 0 if nothing was found wrong with\n" +
			"what was due, 1 if anything was, 2 if it could not be done or nothing was due, and 130 if it was interrupted.",
		Example: "  unecho audit --config unecho.yaml\n" +
			"  unecho audit --config unecho.yaml --json >audit.json\n" +
			"  unecho audit --config unecho.yaml --source-topics news --temp-dir /var/tmp --memory 256MiB",
		Args: atMost(0, ""),
		RunE: onService(runAudit),
	}
	addServiceFlags(cmd, "kafka.brokers", "source.topics", "consumer.group", "journal.topic", "sink.unique", "sink.duplicate", "sink.rejected",
		"index.name", "snapshot.store", "snapshot.directory")
	flags := cmd.Flags()
	flags.Bool("all", false, "count what the group has not committed as lost: for a service that is stopped and had caught up")
	flags.Bool("json", false, "the report as one JSON object")
	flags.Int("findings", audit.DefaultFindings, "how many findings of each kind are spelled out")
	flags.String("memory", setting.Bytes(audit.DefaultMemory).String(), "memory for sorting what is found out about each record")
	flags.String("temp-dir", "", "where the temporary file is written (default the system's)")
	return cmd
}

// errBroken is what audit ends with when it has told the details.
var errBroken = errors.New("not everything that was promised was kept")

func runAudit(ctx context.Context, cmd *cobra.Command, c config.Config) error {
	in, err := auditInputs(cmd, c)
	if err != nil {
		return err
	}
	if err := topicsThere(ctx, cmd, c, &in); err != nil {
		return interruptedOr(ctx, err)
	}
	shown := terminal.NewStages(cmd.ErrOrStderr())
	in.Progress = func(p audit.Progress) { shown.Stage(string(p.Stage), p.Done, p.Total) }
	report, err := audit.Run(ctx, in)
	shown.End()
	if err != nil {
		return interruptedOr(ctx, err)
	}
	if err := writeAudit(cmd, in.Journal, &report); err != nil {
		return err
	}
	switch report.Outcome() {
	case audit.Broken:
		return errBroken
	case audit.Nothing:
		return exit.Undone(errNothing)
	case audit.Delivered, audit.Partly, audit.Proven:
	}
	return nil
}

// errNothing is what audit ends with when it has said that nothing was due.
var errNothing = errors.New("nothing was due, and so nothing is proven: does the group commit, and are these its topics? --all counts what it has not committed, too")

// interruptedOr is an error after which nothing is known.
func interruptedOr(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return exit.Undone(errors.New("interrupted: nothing is proven, and nothing was left behind"))
	}
	return exit.Undone(err)
}

// auditInputs are what the flags and the configuration say.
func auditInputs(cmd *cobra.Command, c config.Config) (audit.Inputs, error) {
	if c.Sink.DryRun {
		return audit.Inputs{}, exit.Usage(errors.New("sink.dry_run is set: such a service forwards nothing that could be audited"))
	}
	var memory setting.Bytes
	if err := memory.UnmarshalText([]byte(cmd.Flag("memory").Value.String())); err != nil {
		return audit.Inputs{}, exit.Usage(fmt.Errorf("--memory: %w", err))
	}
	findings, err := cmd.Flags().GetInt("findings")
	if err != nil || findings < 1 {
		return audit.Inputs{}, exit.Usage(errors.New("--findings: write a number from 1"))
	}
	settings := c.Settings()
	in := audit.Inputs{
		Sources: c.Source.Topics, Journal: journalTopic(c), Outputs: c.Sink.Topics, Params: c.Judge, Settings: settings,
		Index: c.Judge.Index.Name, Algorithm: fmt.Sprintf("%s:%016x", c.Judge.Algorithm(), index.Fingerprint(settings)),
		MaxBatchBytes: int(c.Source.MaxBatchBytes), JournalParams: c.Journal,
		Group: c.Consumer.Group, Owner: c.Consumer.Group, Memory: int(memory), Findings: findings, Directory: cmd.Flag("temp-dir").Value.String(),
		Snapshots: func(ctx context.Context) (snapshot.Store, error) { return openStore(ctx, c, true) },
	}
	if flagBool(cmd, "all") {
		in.Group = ""
	}
	in.ProducerTime, err = onEmbedded(cmd, c)
	return in, err
}

func journalTopic(c config.Config) string { return c.Journal.Name(c.Consumer.Group) }

// topicsThere makes sure that Kafka answers and has the topics.
func topicsThere(ctx context.Context, cmd *cobra.Command, c config.Config, in *audit.Inputs) (err error) {
	if in.Options, err = kafkaOf(cmd, c); err != nil {
		return err
	}
	names := append([]string{in.Journal}, in.Sources...)
	for _, source := range in.Sources {
		unique, duplicate, rejected := in.Outputs(source)
		names = append(names, unique, duplicate, rejected)
	}
	return topic.Reach(ctx, in.Options, names...)
}

// auditLine is a report in JSON, which is a promise to scripts. OK says that something was checked, and nothing found.
type auditLine struct {
	OK      bool          `json:"ok"`
	Outcome audit.Outcome `json:"outcome"`
	*audit.Report
}

func writeAudit(cmd *cobra.Command, journal string, r *audit.Report) error {
	out := cmd.OutOrStdout()
	if flagBool(cmd, "json") {
		if r.Findings == nil {
			r.Findings = []audit.Finding{}
		}
		return json.NewEncoder(out).Encode(auditLine{r.OK() && r.Outcome() != audit.Nothing, r.Outcome(), r})
	}
	var b strings.Builder
	fmt.Fprintf(&b, "journal %s, replayed from offset %d to %d\n\n", journal, r.From, r.To)
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, line := range []struct {
		name  string
		count int
		means string
		rare  bool // shown only if there are some
	}{
		{"records", r.Records, "of the source that were due", false},
		{"pending", r.Pending, "that the group has not committed yet: not due", true},
		{"skipped", r.Skipped, "in no output and not due: the group's offset was set beyond them, or began behind them", true},
		{"elsewhere", r.Elsewhere, "in no output and not due: another routing was in force, by which they went to other topics, or nowhere", true},
		{"not judged", r.Unjudged, fmt.Sprintf("whose verdict lies before the snapshot at %d: compared in all but that", r.From), true},
		{"unique", r.Unique, "", false},
		{"duplicate", r.Duplicate, "", false},
		{"rejected", r.Rejected, "", false},
		{"earlier", r.Earlier, "outputs that an earlier journal decided: they are as their source records, and no more is known", true},
		{"unchecked", r.Unchecked, "outputs whose source record is gone", true},
		{"lost", r.Lost, "in no output", false},
		{"doubled", r.Doubled, "in an output once more than it may be", false},
		{"different", r.Different, "its topic or our headers are not what the journal decided", false},
		{"misordered", r.Misordered, "before one that precedes it in its source partition", false},
		{"altered", r.Altered, "key, value, headers or timestamp are not as they were", false},
		{"invented", r.Invented, "an output without a source record", false},
	} {
		if line.count > 0 || !line.rare {
			fmt.Fprintf(table, "%s\t%12s\t%s\n", line.name, terminal.Grouped(line.count), line.means)
		}
	}
	_ = table.Flush() // into memory
	b.WriteString("\n" + findings(r))
	_, err := io.WriteString(out, trimmedLines(b.String()))
	return err
}

// findings are what was found, or what is proven.
func findings(r *audit.Report) string {
	const delivered = "proven: each record that was due came out once, unchanged and in order"
	switch r.Outcome() {
	case audit.Proven:
		return "proven: each record that was due came out once, unchanged, in its topic and in order, as the journal decided\n"
	case audit.Partly:
		return fmt.Sprintf("%s;\n%s of %s in its topic, as the journal decided; not checked: what it decided of the other %s\n",
			delivered, terminal.Grouped(r.Records-r.Unjudged), terminal.Grouped(r.Records), terminal.Grouped(r.Unjudged))
	case audit.Delivered:
		return delivered + "; not checked: what the journal decided, of any\n"
	case audit.Nothing:
		return "nothing to check: no record was due\n"
	case audit.Broken:
	}
	var b strings.Builder
	for i := range r.Findings {
		b.WriteString(r.Findings[i].String() + "\n")
	}
	if more := r.Broken() - len(r.Findings); more > 0 {
		fmt.Fprintf(&b, "and %s more: --findings spells out as many of each kind\n", terminal.Grouped(more))
	}
	return b.String()
}

// trimmedLines takes the blanks from the ends of lines.
func trimmedLines(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return b.String()
}
