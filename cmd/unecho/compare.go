package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/embedded"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/named"
	"github.com/unecho/unecho/cmd/internal/reports"
	"github.com/unecho/unecho/cmd/internal/snapshots"
	"github.com/unecho/unecho/cmd/internal/successions"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer/comparison"
	"github.com/unecho/unecho/index/snapshot"
)

// compareCommand compares the verdicts of a shadow with those of the group that it follows.
func compareCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "compare",
		Short: "Compare the verdicts of a shadow with those of the group that it follows",
		Long: "Show what a takeover would change: the verdicts of the group of a configuration beside those of the group that " +
			"it follows\n" +
			"(consumer.succeeds), of the newest documents that both have committed. The new group's verdicts are those of its journal, and\n" +
			"the old group's are those in its outputs. It counts where they agree and where they differ, by similarity too, and names\n" +
			"documents on which they differ. That the groups judge partitions in another order, so that another of two copies comes first,\n" +
			"is counted apart.\n\n" +
			"It only reads, and may run beside both. The journal is replayed as a member does it: that takes as\n" +
			"much memory as a member of the new group has, and besides 48 bytes for each document that is compared, and up to 100 MB for\n" +
			"earlier ones. Where the journal is trimmed it begins with the oldest snapshot that the journal still continues; of documents\n" +
			"that were judged before, the new verdict is not known.\n\n" +
			"The exit code is 0 if it was done, whether they differ or not, 2 if it could not be done, and 130 if it was interrupted.",
		Example: "  unecho compare --config new.yaml\n" +
			"  unecho compare --config new.yaml --documents 1000000 --examples 50\n" +
			"  unecho compare --config new.yaml --json | jq .only_old",
		Args: cmdline.AtMost(0, ""),
		RunE: named.OnService(runCompare),
	}
	named.AddFlags(cmd, "kafka.brokers", "source.topics", "consumer.group", "journal.topic", "index.name",
		"snapshot.store", "snapshot.directory")
	cmdline.Add(cmd, cmdline.Output, func(f cmdline.Flags) {
		f.Bool("json", false, "the report as one JSON object")
		f.Int64("documents", 100_000, "how many documents are compared at most, the newest ones")
		f.Int("examples", 10, "how many documents that differ are named at most")
	})
	return cmd
}

func runCompare(ctx context.Context, cmd *cobra.Command, c config.Config) error {
	c, err := named.AsBegun(ctx, cmd, c)
	if err != nil {
		return exit.Undone(err)
	}
	in, err := comparisonInputs(cmd, c)
	if err != nil {
		return err
	}
	if in.Kafka, err = named.Kafka(cmd, c); err != nil {
		return exit.Undone(err)
	}
	shown := terminal.NewStages(cmd.ErrOrStderr())
	in.Progress = shown.Stage
	report, err := comparison.Run(ctx, in)
	shown.End()
	switch {
	case ctx.Err() != nil:
		return exit.Undone(errors.New("interrupted: nothing is known, and nothing was left behind"))
	case err != nil:
		return exit.Undone(err)
	}
	return reports.WriteComparison(cmd.OutOrStdout(), &report, cmdline.Bool(cmd, "json"))
}

// comparisonInputs are the values of the flags and the configuration.
func comparisonInputs(cmd *cobra.Command, c config.Config) (in comparison.Inputs, err error) {
	in = comparison.Inputs{
		Params: c.Judge, Settings: c.Settings(), Journal: c.Journal,
		Snapshots: func(ctx context.Context) (snapshot.Store, error) { return snapshots.Open(ctx, c, true) },
	}
	if in.Documents, err = cmd.Flags().GetInt64("documents"); err != nil || in.Documents < 1 {
		return in, exit.Usage(errors.New("--documents: write a number from 1"))
	}
	if in.Examples, err = cmd.Flags().GetInt("examples"); err != nil || in.Examples < 0 {
		return in, exit.Usage(errors.New("--examples: write a number from 0"))
	}
	if in.Old, in.New, err = successions.Groups(c); err != nil {
		return in, exit.Undone(err)
	}
	if in.ProducerTime, err = embedded.Runs(cmd.Flag("dir").Value.String(), c); err != nil {
		return in, exit.Undone(err)
	}
	return in, nil
}
