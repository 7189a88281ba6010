package inspect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/terminal"
)

// TopCommand is the verb top.
func TopCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "top",
		Short: "Watch a running member: what goes through, what it remembers, and what needs a look",
		Long: "Watch a running member at a terminal: throughput and the share of duplicates, lag and delay, the window " +
			"beside its bounds,\n" +
			"the journal, snapshots, the group, warnings with what to do, and the last copies. It is drawn anew each second, until q or\n" +
			"Ctrl-C. Where the output is no terminal, or with --once, it is written once.",
		Example: "  unecho top\n" +
			"  unecho top --server https://filter-0:9464 --token-file token --ca ca.pem\n" +
			"  unecho top --json | jq .window",
		Args: cmdline.AtMost(0, ""),
		RunE: OnMember(top),
	}
	AddMemberFlags(cmd)
	cmdline.Add(cmd, cmdline.Output, func(f cmdline.Flags) {
		f.Bool("once", false, "one picture, and no more")
	})
	cmdline.AddJSON(cmd, "one JSON object, and no more")
	return cmd
}

func top(ctx context.Context, cmd *cobra.Command, c *Client, _ []string) error {
	out := cmd.OutOrStdout()
	t := &Top{Server: c.Server(), Zone: time.Local, Colour: terminal.Coloured(out)}
	if screen, ok := out.(*os.File); ok && terminal.Is(out) && !cmdline.Bool(cmd, "once") && !cmdline.Bool(cmd, "json") {
		return t.Watch(ctx, c, screen, cmd.InOrStdin())
	}
	if err := t.Look(ctx, c); err != nil {
		return exit.Undone(err)
	}
	if cmdline.Bool(cmd, "json") {
		return terminal.WriteJSON(out, t.Status())
	}
	const width, height = 100, 40
	_, err := fmt.Fprintln(out, strings.Join(t.Frame(width, height), "\n"))
	return err
}

// topCopies is how many copies are asked for: as many as a tall terminal shows.
const topCopies = 50

// Look asks the member once.
func (t *Top) Look(ctx context.Context, c *Client) error {
	s, err := c.Status(ctx)
	if err != nil {
		return err
	}
	last, err := c.Recent(ctx, Filter{Last: topCopies})
	if err != nil {
		return err
	}
	t.Answer(s, last.Copies)
	return nil
}

// Watch draws until a person has seen enough. A member that does not answer is asked again; one that says no is not.
func (t *Top) Watch(ctx context.Context, c *Client, screen *os.File, in io.Reader) error {
	stage, ctx, err := terminal.NewStage(ctx, screen, in)
	if err != nil {
		return exit.Undone(err)
	}
	defer stage.Close()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		err := t.Look(ctx, c)
		var refused *Error
		if errors.As(err, &refused) && refused.Status < 429 {
			return exit.Undone(err)
		}
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			t.Lost(err)
		}
		if err := stage.Draw(t.Frame); err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}
