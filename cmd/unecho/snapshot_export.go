package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/cmd/internal/written"
	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/index/snapshot/archive"
)

func snapshotExportCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "export [OFFSET]",
		Short: "Write a snapshot to one file",
		Long: "Write the snapshot at OFFSET (default the newest) to one file, for `unecho snapshot import`: to keep it, or to carry it to\n" +
			"another store. The file is a tar of the manifest and the segments. It holds what the index remembers of documents, their\n" +
			"texts included where similarity.verify needs them.",
		Example: "  unecho snapshot export -o unecho.tar\n" +
			"  unecho snapshot export -c old.yaml | unecho snapshot import -c new.yaml -",
		Args: cmdline.AtMost(1, "one OFFSET"),
		RunE: onStore(true, exportSnapshot),
	}
	cmdline.Add(cmd, cmdline.Output, func(f cmdline.Flags) {
		f.TextP("output", "o", "file", "-", "the file to write, which must not exist; - is standard output")
	})
	addJournalFlag(cmd)
	addStoreFlags(cmd)
	return cmd
}

func exportSnapshot(ctx context.Context, v *storeVerb, args []string) error {
	info, err := v.pick(ctx, args)
	if err != nil {
		return err
	}
	m, err := v.store.Manifest(ctx, info.Position)
	if err != nil {
		return err
	}
	path := v.cmd.Flag("output").Value.String()
	if path == "-" {
		err = exportTo(ctx, v, v.cmd.OutOrStdout(), &m)
	} else {
		err = written.Create(path, func(out io.Writer) error { return exportTo(ctx, v, out, &m) })
	}
	if errors.Is(err, written.ErrExists) {
		return fmt.Errorf("write %s: it %w", path, err)
	}
	if err != nil {
		return err
	}
	documents, bytes := m.Totals()
	fmt.Fprintf(v.cmd.ErrOrStderr(), "exported the snapshot at offset %d: %s documents, %s\n", m.Position.Offset, terminal.Grouped(int(documents)), terminal.Mebibytes(bytes))
	return nil
}

func exportTo(ctx context.Context, v *storeVerb, out io.Writer, m *snapshot.Manifest) error {
	if terminal.Is(out) {
		return exit.Usage(errors.New("a snapshot is no text for a terminal: name a file with --output, or redirect"))
	}
	buffered := bufio.NewWriterSize(out, 1<<20)
	shown := terminal.NewStages(v.cmd.ErrOrStderr())
	defer shown.End()
	done := int64(0)
	read := func() {
		done++
		shown.Stage("exporting segments", done, int64(len(m.Segments)))
	}
	if err := archive.Write(ctx, buffered, counting{v.store, read}, m); err != nil {
		return err
	}
	return buffered.Flush()
}

// counting counts the segments that are read.
type counting struct {
	snapshot.Store
	read func()
}

func (c counting) Segment(ctx context.Context, name string) ([]byte, error) {
	c.read()
	return c.Store.Segment(ctx, name)
}
