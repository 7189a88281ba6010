package inspect

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/memory"
	"github.com/unecho/unecho/cmd/internal/snapshots"
	"github.com/unecho/unecho/cmd/internal/target"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/consumer/audit"
	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/index/snapshot"
)

// AuditCommand is the verb about what came out of a service.
func AuditCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "Prove from the topics that nothing was lost, doubled, altered or judged otherwise",
		Long: "Read source, journal and outputs, judge the journal again by a slow and simple program, and compare every source\n" +
			"record with the outputs: exactly once, in the right topic, in the order of its partition, its bytes and headers\n" +
			"untouched, with the verdict that the journal gives. It only reads, and may run beside the service: records that the\n" +
			"group has not committed yet are not due. If the journal is trimmed, the audit begins with the oldest snapshot that the\n" +
			"journal still continues, and counts records judged before it as unjudged. If such a record is in an output, it is\n" +
			"compared in all but the verdict. If it is in no output, and routings or offsets were changed before, nobody can say\n" +
			"whether it had to be.\n\n" +
			"It takes --memory, some 16 MiB for each broker, and for each document of the window its evidence and about 2.5 kB; a\n" +
			"temporary file takes about 200 bytes for each document of the source. That is some 30 GB for a window of ten million\n" +
			"documents, also where members keep old ones in files, and however short the journal is: the twin of the members that\n" +
			"judges again has all of the window in memory. A window for which no machine has as much cannot be audited. Its\n" +
			"members still compare their states at each checkpoint (unecho_replica_divergences_total). With outputs.clusters it also\n" +
			"has originals in memory: where offsets were set back, each original with copies in such a partition.\n\n" +
			"Records judged by an earlier journal are compared with the source only, and counted. Records that another routing sent\n" +
			"elsewhere, or that another group forwards before or after a takeover, are not due, and counted; audit them with the\n" +
			"configuration of that time or group. A topic of sources.pattern whose outputs could not be made is named, and its\n" +
			"records are not due.\n\n" +
			"The last line says what is proven, and --json has it as outcome: proven; partly (verdicts before the snapshot are not\n" +
			"known); delivered (none is known); skipped (somebody else has committed in the group: the report names what nobody\n" +
			"judged, and the command that judges it); nothing (no record was due); broken. The exit code is 0 if nothing was found\n" +
			"wrong with what was due, 1 if anything was or was skipped, 2 if it could not be done or nothing was due, and 130 if it\n" +
			"was interrupted.",
		Example: "  unecho audit --config unecho.yaml\n" +
			"  unecho audit --config unecho.yaml --json >audit.json\n" +
			"  unecho audit --config unecho.yaml --sources-topics news --temp-dir /var/tmp --memory 256MiB",
		Args: cmdline.AtMost(0, ""),
		RunE: target.OnService(runAudit),
	}
	target.AddFlags(cmd, "kafka.brokers", "sources.topics", "group", "outputs.unique.topic",
		"outputs.duplicate.topic", "outputs.rejected.topic", "snapshots.directory.path", "snapshots.postgres.url", "snapshots.s3.bucket")
	cmdline.Add(cmd, cmdline.Advanced, func(f cmdline.Flags) {
		f.Bool("all", false, "count what the group has not committed as lost: for a service that is stopped and had caught up")
		f.Bool("accept-skipped", false, "offsets that somebody has set beyond documents were meant: those documents are only counted")
		f.Text("memory", "size", setting.Bytes(audit.DefaultMemory).String(),
			"memory for sorting the facts about all records")
		f.Text("temp-dir", "dir", "", "where the temporary file is written (default the system's)")
	})
	cmdline.AddJSON(cmd, "the report as one JSON object")
	cmdline.Add(cmd, cmdline.Output, func(f cmdline.Flags) {
		f.Int("findings", audit.DefaultFindings, "how many findings of each kind are printed")
	})
	return cmd
}

func runAudit(ctx context.Context, cmd *cobra.Command, s *target.Service, _ []string) error {
	if err := s.AsBegun(ctx); err != nil {
		return interruptedOr(ctx, err)
	}
	if cmd.Flag("sources-topics").Changed {
		for i := range s.Config.Sources {
			s.Config.Sources[i].Pattern = ""
		}
	}
	in, err := auditInputs(cmd, s)
	if err != nil {
		return err
	}
	if err := topicsThere(ctx, s, &in); err != nil {
		return interruptedOr(ctx, err)
	}
	shown := terminal.NewStages(cmd.ErrOrStderr())
	in.Progress = func(p audit.Progress) { shown.Stage(string(p.Stage), p.Done, p.Total) }
	in.Restoring = func(s snapshot.Info) {
		if warning := tooLarge(s, in.Memory, memory.Total()); warning != "" {
			fmt.Fprintln(cmd.ErrOrStderr(), warning) // nobody to report an error to
		}
	}
	found, err := audit.Run(ctx, in)
	shown.End()
	if err != nil {
		return interruptedOr(ctx, err)
	}
	if err := cmdline.Print(cmd, NewAuditLine(in.Journal, &found)); err != nil {
		return err
	}
	return verdictOf(&found)
}

// verdictOf is the error with which audit ends after it has written the details.
func verdictOf(found *audit.Report) error {
	switch found.Outcome() {
	case audit.Broken:
		return errors.New("not everything that was promised was kept")
	case audit.Skipped:
		return errors.New("not everything was judged: somebody else has committed in this group")
	case audit.Nothing:
		if found.Absent > 0 {
			return exit.Undone(errors.New("nothing could be judged, and so nothing is proven: the journal that would prove it is trimmed"))
		}
		return exit.Undone(errors.New("nothing was due, and so nothing is proven: does the group commit, and are these its " +
			"topics? --all counts what it has not committed, too"))
	case audit.Delivered, audit.Partly, audit.Proven:
	}
	return nil
}

// tooLarge warns of a snapshot whose documents take more memory than there is: has bytes; 0: nobody knows. Beside the twin they
// are in the replica that was restored, for as long as the twin copies them. It is no error: a system may swap.
func tooLarge(s snapshot.Info, sorting int, has int64) string {
	needed := int64(sorting) + s.Documents*audit.TwinBytes + 2*s.Bytes
	if has == 0 || needed <= has {
		return ""
	}
	return fmt.Sprintf("unecho: the audit takes some %s of memory, for %s in the window, and there are %s: the system may end it; run it "+
		"where there is more", terminal.Gibibytes(needed), terminal.Several(int(s.Documents), "document"), terminal.Gibibytes(has))
}

// interruptedOr returns an error after which nothing is known.
func interruptedOr(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return exit.Undone(errors.New("interrupted: nothing is proven, and nothing was left behind"))
	}
	return exit.Undone(err)
}

func auditInputs(cmd *cobra.Command, s *target.Service) (in audit.Inputs, err error) {
	c := s.Config
	memory, err := cmdline.Size(cmd, "memory")
	if err != nil {
		return in, err
	}
	findings := cmdline.Int(cmd, "findings")
	if findings < 1 {
		return in, exit.Usage(errors.New("--findings: write a number from 1"))
	}
	in = audit.Inputs{
		Options: s.Kafka, Journal: s.Journal(), Outputs: c.Sink.Topics, Verdicts: c.Sink.VerdictsTopic, Clusters: c.Sink.ClustersTopic,
		Params: c.Judge, Settings: c.Settings(), Index: c.Consumer.Group,
		MaxBatchBytes: int(c.Consumer.MaxBatchBytes), JournalParams: c.Journal,
		Group: c.Consumer.Group, Owner: c.Consumer.Group, AcceptSkipped: cmdline.Bool(cmd, "accept-skipped"), Memory: int(memory), Findings: findings,
		Directory: cmdline.Text(cmd, "temp-dir"),
		Snapshots: snapshots.Existing(c),
	}
	if cmdline.Bool(cmd, "all") {
		in.Group = ""
	}
	return in, nil
}

func topicsThere(ctx context.Context, s *target.Service, in *audit.Inputs) (err error) {
	c := s.Config
	if in.Sources, err = s.Sources(ctx); err != nil {
		return err
	}
	brought := map[string][]string{} // by the pattern, with their outputs
	for _, source := range in.Sources {
		if !slices.Contains(document.Named(c.Sources), source) {
			brought[source] = c.Sink.All(source)
		}
	}
	if in.Untaken, err = audit.Untaken(ctx, in.Options, c.Consumer.Group, brought); err != nil {
		return err
	}
	names := append([]string{in.Journal}, in.Sources...)
	for _, source := range in.Sources {
		if !slices.Contains(in.Untaken, source) {
			names = append(names, c.Sink.All(source)...)
		}
	}
	return topic.Reach(ctx, in.Options, names...)
}
