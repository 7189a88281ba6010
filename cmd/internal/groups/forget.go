package groups

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/report"
	"github.com/unecho/unecho/cmd/internal/snapshots"
	"github.com/unecho/unecho/cmd/internal/target"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/consumer/removal"
)

// ForgetCommand is the verb forget.
func ForgetCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "forget [ID|TOPIC/PARTITION/OFFSET]...",
		Short: "Let all members forget documents, and erase what they were recognised by",
		Long: "Let all members forget documents: no later document matches them, and their evidence, ids and content " +
			"hashes are\n" +
			"overwritten in memory, and in the snapshots that are taken from then on. It goes through the journal, so it needs no\n" +
			"member to be at work. A document is named by its id, or by its coordinates. What was forwarded stays where it is.\n\n" +
			"It reads the newest snapshot and the journal behind it to find the documents, which takes as much memory as a member.\n\n" +
			"The exit code is 0 if every name was found, 1 if some were not remembered (the others are forgotten), 2 if it could not be\n" +
			"done.",
		Example: "  unecho forget --config unecho.yaml --dry-run article-4711\n" +
			"  unecho forget --config unecho.yaml news/3/81723 --copies\n" +
			"  unecho forget --config unecho.yaml --file ids.txt --json",
		RunE: target.OnService(forget),
	}
	target.AddFlags(cmd, "kafka.brokers", "sources.topics", "group",
		"snapshots.directory.path", "snapshots.postgres.url", "snapshots.s3.bucket")
	cmdline.Add(cmd, cmdline.Input, func(f cmdline.Flags) {
		f.Text("file", "file", "", "a list of names, one a line; - is standard input")
		f.Bool("copies", false, "also the remembered copies of the documents (with duplicates.compare_copies: true)")
	})
	cmdline.Add(cmd, cmdline.Output, func(f cmdline.Flags) {
		f.Bool("dry-run", false, "only say what would be forgotten")
	})
	cmdline.AddJSON(cmd, "the report as one JSON object")
	return cmd
}

// errNotRemembered ends forget after it has named what was not found.
var errNotRemembered = errors.New(
	"not everything that was named is remembered: it may have left the window, or is a copy that was not kept")

func forget(ctx context.Context, cmd *cobra.Command, s *target.Service, names []string) error {
	names, err := forgetNames(cmd, names)
	if err != nil {
		return exit.Usage(err)
	}
	if err := s.AsBegun(ctx); err != nil {
		return exit.Undone(err)
	}
	c := s.Config
	group := removal.Group{
		Options: s.Kafka, Name: c.Consumer.Group, Journal: c.Journal, Params: c.Judge, Settings: c.Settings(),
		Snapshots: snapshots.Existing(c),
	}
	shown := terminal.NewStages(cmd.ErrOrStderr())
	group.Progress = func(done, total int64) { shown.Stage("journal", done, total) }
	w, err := removal.Open(ctx, &group)
	shown.End()
	if err != nil {
		return exit.Undone(err)
	}
	defer w.Close()
	found := w.Find(names, cmdline.Bool(cmd, "copies"))
	r := report.NewForgotten(&found, report.RemainsOf(c))
	r.DryRun = cmdline.Bool(cmd, "dry-run")
	if !r.DryRun && len(found.Documents) > 0 {
		r.Offset, err = w.Erase(ctx, found.Targets())
	}
	if err == nil {
		err = cmdline.Print(cmd, r)
	}
	if err == nil && len(found.Unknown) > 0 {
		return errNotRemembered
	}
	return exit.Undone(err)
}

func forgetNames(cmd *cobra.Command, names []string) ([]string, error) {
	if path := cmdline.Text(cmd, "file"); path != "" {
		in, err := cmdline.OpenInput(cmd, path)
		if err != nil {
			return nil, err
		}
		more, err := readNames(in)
		if err = errors.Join(err, in.Close()); err != nil {
			return nil, fmt.Errorf("--file %s: %w", path, err)
		}
		names = append(names, more...)
	}
	return names, checkNames(names)
}

// maxName bounds a line of a list, in bytes: no id is longer.
const maxName = 1 << 20

// readNames reads one name a line. It passes over empty lines.
func readNames(from io.Reader) (names []string, err error) {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, maxName)
	for n := 1; lines.Scan(); n++ {
		if line := bytes.TrimSuffix(lines.Bytes(), []byte("\r")); len(line) > 0 {
			names = append(names, string(line))
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return nil, fmt.Errorf("line %d is longer than a mebibyte: write one id or TOPIC/PARTITION/OFFSET a line",
			len(names)+1)
	}
	return names, lines.Err()
}

func checkNames(names []string) error {
	switch {
	case len(names) == 0:
		return errors.New("name the documents: an id, TOPIC/PARTITION/OFFSET, or --file LIST")
	case slices.Contains(names, ""):
		return errors.New("a name is empty: write an id, or TOPIC/PARTITION/OFFSET")
	}
	return nil
}
