package inspect

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/api/shape"
	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/terminal"
)

// RecentCommand is the verb recent.
func RecentCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "recent",
		Short: "Show the last copies that a running member knows of, and with --follow those that come",
		Long: "Show the last copies that the group found, as a running member knows them: which document is like which, " +
			"and how close.\n" +
			"The newest is the last line. A member remembers a bounded number of them since it started. To read what was forwarded,\n" +
			"from whenever you like, use unecho tail.",
		Example: "  unecho recent\n" +
			"  unecho recent --last 200 --min-similarity 0.95 --json | jq .match.id\n" +
			"  unecho recent --follow --topic news --server http://filter-0:9464",
		Args: cmdline.AtMost(0, ""),
		RunE: OnMember(recent),
	}
	AddMemberFlags(cmd)
	cmdline.Add(cmd, cmdline.Input, func(f cmdline.Flags) {
		f.Text("topic", "topic", "", "only copies in this source topic")
		f.Text("scope", "scope", "", "only copies in this scope, if the service has sources.scope")
		f.Float64("min-similarity", 0, "only copies at least as close, from 0 to 1")
	})
	cmdline.Add(cmd, cmdline.Output, func(f cmdline.Flags) {
		f.Int("last", 20, "so many, at most")
		f.BoolP("follow", "f", false, "also those that come, until Ctrl-C")
	})
	cmdline.AddJSON(cmd, "a JSON object for each copy, a line each")
	return cmd
}

// recent writes the last copies, the newest as the last. If the member could not be asked, its error is marked as undone.
func recent(ctx context.Context, cmd *cobra.Command, c *Client, _ []string) error {
	filter := Filter{
		Topic: cmdline.Text(cmd, "topic"), Scope: cmdline.Text(cmd, "scope"),
		Least: cmdline.Float(cmd, "min-similarity"), Last: cmdline.Int(cmd, "last"),
	}
	out, notes := cmd.OutOrStdout(), cmd.ErrOrStderr()
	show := func(found shape.Copy) error { return WriteCopy(out, &found, time.Local) }
	if cmdline.Bool(cmd, "json") {
		show = func(found shape.Copy) error { return terminal.WriteJSON(out, found) }
	} else if _, err := fmt.Fprintln(out, copyHead()); err != nil {
		return err
	}
	last, err := c.Recent(ctx, filter)
	if err != nil {
		return exit.Undone(err)
	}
	for _, found := range slices.Backward(last.Copies) {
		if err := show(found); err != nil {
			return err
		}
	}
	if !cmdline.Bool(cmd, "follow") {
		return nil
	}
	return exit.Undone(c.Follow(ctx, filter, last.After, Stream{
		Copy:      show,
		Missed:    func(n uint64) { fmt.Fprintf(notes, "unecho: %d more were too many to show\n", n) },
		Restarted: func() { fmt.Fprintln(notes, "unecho: the member has begun anew") },
		Unread: func(err error) {
			fmt.Fprintf(notes, "unecho: one copy is left out: %v; is the member of another version?\n", err)
		},
		Lost: func(err error) { fmt.Fprintf(notes, "unecho: %v; asking again\n", err) },
	}))
}

// Widths of the columns of copies.
const (
	copyFormat = "%-8s  %-10s  %-4s  "
	clock      = "15:04:05"
)

// copyHead is the head of a list of copies.
func copyHead() string {
	return fmt.Sprintf(copyFormat+"document is like document", "judged", "similarity", "copy")
}

// WriteCopy writes one line for a copy. Times are those of zone.
func WriteCopy(out io.Writer, c *shape.Copy, zone *time.Location) error {
	_, err := io.WriteString(out, lineOf(c, zone, named)+"\n")
	return err
}

func lineOf(c *shape.Copy, zone *time.Location, name func(*shape.Coordinates) string) string {
	var notes []string
	if c.Reemitted {
		notes = append(notes, "let through all the same")
	}
	if c.LateS > 0 {
		notes = append(notes, fmt.Sprint(time.Duration(c.LateS)*time.Second, " late"))
	}
	note := ""
	if len(notes) > 0 {
		note = " [" + strings.Join(notes, ", ") + "]"
	}
	return fmt.Sprintf(copyFormat+"%s is like %s%s", c.Judged.In(zone).Format(clock),
		fmt.Sprintf("%.4f", c.Match.Similarity), fmt.Sprint(c.Match.Copy), name(&c.Document), name(&c.Match.Coordinates), note)
}
