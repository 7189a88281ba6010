package snapshots

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/index/snapshot"
)

// Line is a snapshot in a listing. Its JSON is a promise to scripts.
type Line struct {
	Offset      int64  `json:"offset"`
	Journal     string `json:"journal"`
	LeaderEpoch int32  `json:"leader_epoch"`
	Taken       string `json:"taken"` // empty if the manifest cannot be read
	Published   string `json:"published"`
	Documents   int64  `json:"documents"`
	Bytes       int64  `json:"bytes"`
}

// LineOf returns the line of a snapshot.
func LineOf(i snapshot.Info) Line {
	l := Line{
		Offset: i.Position.Offset, Journal: i.Position.Journal(), LeaderEpoch: i.Position.LeaderEpoch,
		Published: moment(i.Published), Documents: i.Documents, Bytes: i.Bytes,
	}
	if i.Taken != 0 {
		l.Taken = moment(i.Taken)
	}
	return l
}

// moment writes a time in ms since 1970 in the form of all outputs.
func moment(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z07:00") }

// ListJSON writes a JSON object for each snapshot, one on each line.
func ListJSON(out io.Writer, infos []snapshot.Info) error {
	for _, i := range infos {
		if err := terminal.WriteJSON(out, LineOf(i)); err != nil {
			return err
		}
	}
	return nil
}

// ListText writes a table.
func ListText(out io.Writer, infos []snapshot.Info) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "OFFSET\tTAKEN\tDOCUMENTS\tSIZE\t  JOURNAL")
	for _, i := range infos {
		l := LineOf(i)
		if l.Taken == "" {
			fmt.Fprintf(table, "%d\tdamaged\t\t\t  %s\n", l.Offset, l.Journal)
			continue
		}
		fmt.Fprintf(table, "%d\t%s\t%s\t%s\t  %s\n", l.Offset, l.Taken, terminal.Grouped(int(l.Documents)),
			terminal.Mebibytes(l.Bytes), l.Journal)
	}
	return table.Flush()
}
