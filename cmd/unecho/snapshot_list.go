package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/index/snapshot"
)

func snapshotListCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the snapshots, newest first",
		Long:  "List the snapshots, newest first: at which offset of the journal each was taken, when, and how much it holds.",
		Example: "  unecho snapshot list --config unecho.yaml\n" +
			"  unecho snapshot list --directory /var/lib/unecho/snapshots --json",
		Args: atMost(0, ""),
		RunE: onStore(openExisting, listSnapshots),
	}
	cmd.Flags().Bool("json", false, "write one JSON object per line")
	addJournalFlag(cmd)
	addStoreFlags(cmd)
	return cmd
}

// snapshotLine is a snapshot in a listing. Its JSON is a promise to scripts.
type snapshotLine struct {
	Offset      int64  `json:"offset"`
	Journal     string `json:"journal"`
	LeaderEpoch int32  `json:"leader_epoch"`
	Taken       string `json:"taken"` // empty where the manifest cannot be read
	Published   string `json:"published"`
	Documents   int64  `json:"documents"`
	Bytes       int64  `json:"bytes"`
}

func lineOf(i snapshot.Info) snapshotLine {
	l := snapshotLine{
		Offset: i.Position.Offset, Journal: i.Position.Journal(), LeaderEpoch: i.Position.LeaderEpoch,
		Published: moment(i.Published), Documents: i.Documents, Bytes: i.Bytes,
	}
	if i.Taken != 0 {
		l.Taken = moment(i.Taken)
	}
	return l
}

// moment writes ms since 1970 as all outputs do.
func moment(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z07:00") }

func listSnapshots(ctx context.Context, v *storeVerb, _ []string) error {
	infos, err := v.listed(ctx)
	if err != nil {
		return err
	}
	if len(infos) == 0 {
		fmt.Fprintln(v.cmd.ErrOrStderr(), "no snapshots")
		return nil
	}
	if flagBool(v.cmd, "json") {
		return listJSON(v.cmd.OutOrStdout(), infos)
	}
	return listText(v.cmd.OutOrStdout(), infos)
}

func listJSON(out io.Writer, infos []snapshot.Info) error {
	lines := json.NewEncoder(out)
	for _, i := range infos {
		if err := lines.Encode(lineOf(i)); err != nil {
			return err
		}
	}
	return nil
}

func listText(out io.Writer, infos []snapshot.Info) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "OFFSET\tTAKEN\tDOCUMENTS\tSIZE\t  JOURNAL")
	for _, i := range infos {
		l := lineOf(i)
		if l.Taken == "" {
			fmt.Fprintf(table, "%d\tdamaged\t\t\t  %s\n", l.Offset, l.Journal)
			continue
		}
		fmt.Fprintf(table, "%d\t%s\t%s\t%s\t  %s\n", l.Offset, l.Taken, terminal.Grouped(int(l.Documents)), terminal.Mebibytes(l.Bytes), l.Journal)
	}
	return table.Flush()
}
