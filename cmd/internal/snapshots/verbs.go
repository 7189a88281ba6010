package snapshots

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/index/snapshot"
)

func snapshotListCommand() *cobra.Command {
	cmd := ofStore(&cobra.Command{
		Use:   "list",
		Short: "List the snapshots, newest first",
		Long:  "List the snapshots, newest first: at which offset of the journal each was taken, when, and how much it holds.",
		Example: "  unecho snapshot list --config unecho.yaml\n" +
			"  unecho snapshot list --directory /var/lib/unecho/snapshots --json",
		Args: cmdline.AtMost(0, ""),
	}, func(ctx context.Context, v *storeVerb) error { return v.List(ctx, cmdline.Bool(v.cmd, "json")) })
	cmdline.AddJSON(cmd, "write one JSON object per line")
	return cmd
}

func snapshotShowCommand() *cobra.Command {
	cmd := ofStore(&cobra.Command{
		Use:   "show [OFFSET]",
		Short: "Show a snapshot: settings, source partitions, segments",
		Long: "Show what the snapshot at OFFSET (default the newest) holds: settings, source partitions, segments. It " +
			"reads the manifest only.",
		Example: "  unecho snapshot show --config unecho.yaml\n" +
			"  unecho snapshot show 128 --directory /var/lib/unecho/snapshots --json",
		Args: cmdline.AtMost(1, "one OFFSET"),
	}, func(ctx context.Context, v *storeVerb) error { return v.Show(ctx, v.at, cmdline.Bool(v.cmd, "json")) })
	cmdline.AddJSON(cmd, "write one JSON object")
	return cmd
}

func snapshotVerifyCommand() *cobra.Command {
	return ofStore(&cobra.Command{
		Use:   "verify [OFFSET]",
		Short: "Read and decode snapshots whole, and say what a start would do",
		Long: "Read and decode the snapshot at OFFSET, or all of them, whole: checksums, documents, and whether the parts " +
			"belong together.\n" +
			"It says which segment of which snapshot is damaged, and which one a member that starts would restore. A few segments are\n" +
			"in memory at a time. The exit code is 1 if anything is damaged.",
		Example: "  unecho snapshot verify --config unecho.yaml\n" +
			"  unecho snapshot verify 128 --directory /var/lib/unecho/snapshots",
		Args: cmdline.AtMost(1, "one OFFSET"),
	}, func(ctx context.Context, v *storeVerb) error { return v.Verify(ctx, v.at) })
}

func snapshotPruneCommand() *cobra.Command {
	cmd := ofStore(&cobra.Command{
		Use:   "prune",
		Short: "Delete all but the newest snapshots, and segments that none needs",
		Long: "Delete all but the newest snapshots (--keep) of each journal, and segments that none of them needs.\n" +
			"Segments stored within the last hour stay: a member may be about to name them. The service does the same after each\n" +
			"snapshot it takes. Room in PostgreSQL is free for new rows once its autovacuum has passed.",
		Example: "  unecho snapshot prune --config unecho.yaml\n" +
			"  unecho snapshot prune --directory /var/lib/unecho/snapshots --keep 2",
		Args: cmdline.AtMost(0, ""),
	}, func(ctx context.Context, v *storeVerb) error {
		keep := cmdline.Int(v.cmd, "keep")
		if keep < 2 {
			return exit.Usage(fmt.Errorf("--keep %d is too few: keep one to restore, and one to fall back on", keep))
		}
		return v.Prune(ctx, keep)
	})
	cmdline.Add(cmd, cmdline.Service, func(f cmdline.Flags) {
		f.Int("keep", snapshot.Kept, "how many snapshots of each journal are kept")
	})
	return cmd
}

func snapshotExportCommand() *cobra.Command {
	cmd := ofStore(&cobra.Command{
		Use:   "export [OFFSET]",
		Short: "Write a snapshot to one file",
		Long: "Write the snapshot at OFFSET (default the newest) to one file, for `unecho snapshot import`: to keep it, or " +
			"to carry it to\n" +
			"another store. The file is a tar of the manifest and the segments. It holds what the index remembers of documents, their\n" +
			"texts included where duplicates.verify needs them.",
		Example: "  unecho snapshot export -o unecho.tar\n" +
			"  unecho snapshot export -c old.yaml | unecho snapshot import -c new.yaml -",
		Args: cmdline.AtMost(1, "one OFFSET"),
	}, func(ctx context.Context, v *storeVerb) error {
		return v.Export(ctx, v.at, cmdline.Text(v.cmd, "output"))
	})
	cmdline.Add(cmd, cmdline.Output, func(f cmdline.Flags) {
		f.TextP("output", "o", "file", "-", "the file to write, which must not exist; - is standard output")
	})
	return cmd
}

func snapshotImportCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Put an exported snapshot into a store",
		Long: "Put the snapshot in FILE (- is standard input) into the store, which is made where it is missing. " +
			"Everything is checked and\n" +
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
func importSnapshot(cmd *cobra.Command, args []string) (err error) {
	file, err := OpenExported(args[0])
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return onStore(snapshot.Opener.Open, func(ctx context.Context, v *storeVerb) error { return v.Import(ctx, file, v.config, v.named) })(
		cmd, args)
}
