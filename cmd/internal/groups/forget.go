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
	"github.com/unecho/unecho/cmd/internal/memory"
	"github.com/unecho/unecho/cmd/internal/report"
	"github.com/unecho/unecho/cmd/internal/snapshots"
	"github.com/unecho/unecho/cmd/internal/target"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/consumer/removal"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/files"
	"github.com/unecho/unecho/index/snapshot"
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
			"It reads the newest snapshot and the journal behind it to find the documents. That takes as much memory as a member that\n" +
			"has all documents in memory, and with --directory as one that keeps old ones in files. A window that is larger than\n" +
			"memory is refused. Do not run it in a member's container, whose memory it would take: POST /api/v1/forget asks a member.\n\n" +
			"The exit code is 0 if every name was found, 1 if some were not remembered (the others are forgotten), 2 if it could not be\n" +
			"done.",
		Example: "  unecho forget --config unecho.yaml --dry-run article-4711\n" +
			"  unecho forget --config unecho.yaml news/3/81723 --copies\n" +
			"  unecho forget --config unecho.yaml --directory old --file ids.txt --json",
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
	target.AddDirectory(cmd)
	cmdline.AddJSON(cmd, "the report as one JSON object")
	return cmd
}

// errNotRemembered ends forget after it has named what was not found.
var errNotRemembered = errors.New(
	"not everything that was named is remembered: it may have left the window, or is a copy that was not kept")

func forget(ctx context.Context, cmd *cobra.Command, s *target.Service, names []string) (err error) {
	if names, err = forgetNames(cmd, names); err != nil {
		return exit.Usage(err)
	}
	if err := s.AsBegun(ctx); err != nil {
		return exit.Undone(err)
	}
	if err := target.CheckDirectory(cmd, &s.Config.Judge); err != nil {
		return err
	}
	directory, err := files.OpenRun(cmdline.Text(cmd, "directory"), "unecho forget", false)
	if err != nil {
		return exit.Undone(err)
	}
	defer func() { err = ended(cmd.ErrOrStderr(), directory, err) }()
	r, err := forgetIn(ctx, cmd, s, names, directory)
	if err == nil {
		err = cmdline.Print(cmd, r)
	}
	if err == nil && len(r.Unknown) > 0 {
		return errNotRemembered
	}
	return exit.Undone(files.Mend(err, "run it again"))
}

// ended ends the directory, and returns the error of the run. A directory that stays is no failure of what was done.
func ended(warnings io.Writer, directory *files.Directory, err error) error {
	left := directory.End(false)
	if left != nil && (err == nil || errors.Is(err, errNotRemembered)) {
		fmt.Fprintf(warnings, "unecho: %v; delete what is in it\n", left) // nobody to report an error to
		return err
	}
	return errors.Join(err, exit.Undone(left))
}

// forgetIn finds documents, with those of the window that are old in a directory, if there is one, and has them forgotten.
func forgetIn(
	ctx context.Context, cmd *cobra.Command, s *target.Service, names []string, directory *files.Directory,
) (r report.Forgotten, err error) {
	c := s.Config
	group := removal.Group{
		Options: s.Kafka, Name: c.Consumer.Group, Journal: c.Journal, Params: c.Judge, Settings: c.Settings(),
		Snapshots: snapshots.Existing(c), Directory: directory,
		Restoring: func(s snapshot.Info) error { return fits(c.Judge, s, directory, memory.Total()) },
	}
	shown := terminal.NewStages(cmd.ErrOrStderr())
	group.Progress = func(done, total int64) { shown.Stage("journal", done, total) }
	w, err := removal.Open(ctx, &group)
	shown.End()
	if err != nil {
		return r, err
	}
	defer w.Close()
	found, err := w.Find(ctx, names, cmdline.Bool(cmd, "copies"))
	if err != nil {
		return r, err
	}
	r = report.NewForgotten(&found, report.RemainsOf(c))
	r.DryRun = cmdline.Bool(cmd, "dry-run")
	if !r.DryRun && len(found.Documents) > 0 {
		r.Offset, err = w.Erase(ctx, found.Targets())
	}
	return r, err
}

// fits sets the collector for a window that is to be restored, and refuses one for which there is not enough memory, or
// room in the directory. has is the memory that there is; 0: nobody knows.
func fits(p index.Params, s snapshot.Info, directory *files.Directory, has int64) error {
	if directory != nil {
		free, err := directory.Free()
		// Files of a snapshot that was tried before are there already.
		_, there, listed := directory.Usage()
		if room := free + there; err == nil && listed == nil && room < s.Bytes { // else writing will tell
			return fmt.Errorf("--directory: old documents take %s and more, and there is room for %s: make room, or name another directory",
				terminal.Gibibytes(s.Bytes), terminal.Gibibytes(room))
		}
	}
	needed, err := index.RestoredBytes(p, s.Documents, s.Bytes)
	if err != nil {
		return err
	}
	if directory == nil && has > 0 && needed > has {
		return fmt.Errorf("what the group remembers takes %s of memory, and there are %s: add --directory DIR to keep old "+
			"documents in files, or ask a member: POST /api/v1/forget", terminal.Gibibytes(needed), terminal.Gibibytes(has))
	}
	memory.SetGarbage(needed)
	return nil
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
	switch {
	case len(names) == 0:
		return nil, errors.New("name the documents: an id, TOPIC/PARTITION/OFFSET, or --file LIST")
	case slices.Contains(names, ""):
		return nil, errors.New("a name is empty: write an id, or TOPIC/PARTITION/OFFSET")
	}
	return names, nil
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
