package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/snapshots"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/index/snapshot/archive"
)

func snapshotImportCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Put an exported snapshot into a store",
		Long: "Put the snapshot in FILE (- is standard input) into the store, which is made where it is missing. Everything is checked and\n" +
			"read back before the snapshot is listed. It is refused if it is of another index or of other settings, or if the store\n" +
			"has a newer one of the same journal. A service restores it only beside the journal it was taken from.",
		Args: cmdline.Exactly("FILE"),
		Example: "  unecho snapshot import --config unecho.yaml unecho.tar\n" +
			"  unecho snapshot export --config old.yaml | unecho snapshot import --config new.yaml -",
		RunE: importSnapshot,
	}
	addStoreFlags(cmd)
	return cmd
}

// importSnapshot reads the file before it opens the store, so that a wrong name does not create a store.
func importSnapshot(cmd *cobra.Command, args []string) error {
	in, err := openExported(args[0])
	if err != nil {
		return fmt.Errorf("import snapshot: %w", err)
	}
	defer in.Close()
	file, err := archive.NewReader(bufio.NewReaderSize(in, 1<<20))
	if err != nil {
		return fmt.Errorf("import %s: %w", args[0], err)
	}
	do := func(ctx context.Context, v *storeVerb, _ []string) error {
		if err := v.take(ctx, file); err != nil {
			return fmt.Errorf("import %s: %w", args[0], err)
		}
		return nil
	}
	return onStore(false, do)(cmd, args)
}

func openExported(path string) (io.ReadCloser, error) {
	if path == "-" {
		return io.NopCloser(os.Stdin), nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, exit.NotThere(err)
	}
	if info.IsDir() {
		return nil, fmt.Errorf("%s is a directory; name the file that `unecho snapshot export` wrote", path)
	}
	return os.Open(path)
}

// take puts a snapshot into the store.
func (v *storeVerb) take(ctx context.Context, file *archive.Reader) error {
	m := file.Manifest()
	if err := v.fits(ctx, &m); err != nil {
		return err
	}
	if err := v.put(ctx, file, &m); err != nil {
		return err
	}
	documents, bytes := m.Totals()
	_, err := fmt.Fprintf(v.cmd.OutOrStdout(), "imported the snapshot at offset %d: %s documents, %s\n", m.Position.Offset, terminal.Grouped(int(documents)), terminal.Mebibytes(bytes))
	return err
}

// fits returns why a snapshot does not belong into this store.
func (v *storeVerb) fits(ctx context.Context, m *snapshot.Manifest) error {
	if m.Index != v.config.Judge.Index.Name {
		return fmt.Errorf("it is of index %q, and the store is opened for %q: set --name, or index.name", m.Index, v.config.Judge.Index.Name)
	}
	settings, err := index.CapturedSettings(m.State)
	if err != nil {
		return err
	}
	if v.named && settings != nil && m.Fingerprint != index.Fingerprint(v.config.Settings()) {
		return fmt.Errorf("its settings differ from those of this configuration, and no service would restore it:\n    %s",
			strings.Join(setting.Diff(v.config.Settings(), settings), "\n    "))
	}
	return archive.Follows(ctx, v.store, m)
}

// put stores the snapshot and shows the progress.
func (v *storeVerb) put(ctx context.Context, file *archive.Reader, m *snapshot.Manifest) error {
	state, err := snapshots.RestoreOf(m)
	if err != nil {
		return err
	}
	shown := terminal.NewStages(v.cmd.ErrOrStderr())
	defer shown.End()
	done := int64(0)
	return file.Put(ctx, v.store, state, func() {
		done++
		shown.Stage("importing segments", done, int64(len(m.Segments)))
	})
}
