package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer/backfill"
)

func backfillRemoveCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "remove NAME",
		Short: "Delete what a backfill keeps: its group, its journal, its snapshots",
		Long: "Delete what a backfill keeps: its group, its journal, its topic of files, and its snapshots in the configured store. What it\n" +
			"has written to its outputs stays. One at work is refused: stop its processes first. A removal that was interrupted is\n" +
			"finished by the same command.",
		Example: "  unecho backfill remove news --config unecho.yaml",
		Args:    cmdline.Exactly("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return onService(func(ctx context.Context, cmd *cobra.Command, c config.Config) error {
				return removeBackfill(ctx, cmd, c, args[0])
			})(cmd, nil)
		},
	}
	addServiceFlags(cmd, "kafka.brokers")
	cmdline.Add(cmd, cmdline.Service, func(f cmdline.Flags) { f.Bool("yes", false, "do not ask") })
	return cmd
}

func removeBackfill(ctx context.Context, cmd *cobra.Command, c config.Config, name string) error {
	if err := backfill.CheckName(name); err != nil {
		return exit.Usage(err)
	}
	options, err := kafkaOf(cmd, c)
	if err != nil {
		return err
	}
	if sure, err := confirmed(ctx, cmd, fmt.Sprintf("delete group, journal and snapshots of backfill %s? Its outputs stay.", name)); err != nil || !sure {
		return err
	}
	c.Judge.Index.Name = backfill.IndexOf(name)
	snapshots := false
	done, err := backfill.Remove(ctx, options, name, func(ctx context.Context) (err error) {
		snapshots, err = removeSnapshots(ctx, c)
		return err
	})
	if err != nil {
		return err
	}
	gone := done.Topics
	if done.Group {
		gone = append(gone, "group "+backfill.GroupOf(name))
	}
	if snapshots {
		gone = append(gone, "its snapshots")
	}
	if len(gone) == 0 {
		return fmt.Errorf("there is no backfill %s; `unecho backfill list` shows those there are", name)
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "removed backfill %s: %s\n", name, strings.Join(gone, ", "))
	return err
}

// confirmed asks a person, unless --yes says so already. Where nobody can be asked, nothing is done. Ctrl-C ends the question.
func confirmed(ctx context.Context, cmd *cobra.Command, question string) (bool, error) {
	if cmdline.Bool(cmd, "yes") {
		return true, nil
	}
	in, _ := cmd.InOrStdin().(*os.File)
	if in == nil || !terminal.Is(in) || !terminal.Is(cmd.ErrOrStderr()) {
		return false, exit.Usage(errors.New("nobody is here to be asked: add --yes"))
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "%s [y/N] ", question)
	answered := make(chan string, 1) // who was not answered reads on until the program ends
	go func() {
		answer, _ := bufio.NewReader(in).ReadString('\n') // a terminal that is closed says no
		answered <- answer
	}()
	select {
	case answer := <-answered:
		switch strings.ToLower(strings.TrimSpace(answer)) {
		case "y", "yes":
			return true, nil
		}
		_, err := fmt.Fprintln(cmd.ErrOrStderr(), "nothing was removed")
		return false, err
	case <-ctx.Done():
		fmt.Fprintln(cmd.ErrOrStderr())
		return false, errors.New("nothing was removed")
	}
}
