package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/index/snapshot"
)

// snapshotCommand holds the verbs about stored snapshots. They work beside a running service, and without Kafka.
func snapshotCommand() *cobra.Command {
	cmd := cmdline.GroupCommand(&cobra.Command{
		Use:   "snapshot",
		Short: "List, check, carry over and clear away snapshots",
		Long: "Look at the snapshots that a service keeps, check them, carry them from one store to another, clear old ones away. These\n" +
			"verbs need the store only: name it by the service's configuration (--config), or by flags such as --directory. They may\n" +
			"run beside the service.",
	})
	cmd.AddCommand(snapshotListCommand(), snapshotShowCommand(), snapshotVerifyCommand(), snapshotPruneCommand(),
		snapshotExportCommand(), snapshotImportCommand())
	return cmd
}

// storeVerb is one run of a verb on an open store.
type storeVerb struct {
	cmd    *cobra.Command
	store  snapshot.Store
	config config.Config
	named  bool // the configuration comes from a file: its settings are those of a service
}

// addStoreFlags names the store.
func addStoreFlags(cmd *cobra.Command) {
	cmdline.AddSettings(cmd, "snapshot", "index.name")
	for _, unused := range []string{"every", "keep", "shared", "preset"} {
		if cmd.Name() != "prune" || unused != "keep" {
			cmd.Flag(unused).Hidden = true
		}
	}
}

// onStore runs a verb on the store that its flags name.
func onStore(must mustExist, do func(ctx context.Context, v *storeVerb, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) (err error) {
		ctx, stop := exit.UntilSignal(cmd.Context(), cmd.ErrOrStderr())
		defer stop()
		defer exit.MarkInterrupted(ctx, &err)
		c, named, err := storeConfig(cmd)
		if err != nil {
			return err
		}
		store, err := openStore(ctx, c, must)
		if err != nil {
			return err
		}
		err = do(ctx, &storeVerb{cmd: cmd, store: store, config: c, named: named}, args)
		return errors.Join(err, store.Close())
	}
}

// storeConfig returns the part of the configuration that concerns the store. If nothing names one, it is that of an
// embedded service.
func storeConfig(cmd *cobra.Command) (c config.Config, named bool, err error) {
	base := config.Default()
	if err := onlyFlag(cmd); err != nil {
		return c, false, err
	}
	named = cmd.Flag("config").Value.String() != "" || cmdline.ConfigPath(nil) != ""
	unnamed := !named && !cmd.Flag("store").Changed && !slices.ContainsFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "UNECHO_SNAPSHOT_") })
	embedded := filepath.Join(embeddedDir, "snapshots")
	if _, err := os.Stat(embedded); err == nil && unnamed {
		base.Snapshot.Directory, unnamed = embedded, false
	}
	c, err = cmdline.Sections(cmd, base, "snapshot", "index")
	if err != nil && unnamed {
		fmt.Fprintln(cmd.ErrOrStderr(), "name the store: by --config FILE, or by --directory DIR, or by UNECHO_SNAPSHOT_STORE=postgres and UNECHO_SNAPSHOT_POSTGRES_URL")
	}
	return c, named, err
}

// onlyFlag selects the kind of store that a flag names: what the configuration says about the other kind is ignored.
func onlyFlag(cmd *cobra.Command) error {
	directory, url := cmd.Flag("directory").Changed, cmd.Flag("postgres-url").Changed
	switch {
	case cmd.Flag("store").Changed || directory == url:
		return nil
	case directory:
		return errors.Join(cmd.Flags().Set("store", snapshot.Directory), cmd.Flags().Set("postgres-url", ""))
	}
	return errors.Join(cmd.Flags().Set("store", snapshot.Postgres), cmd.Flags().Set("directory", ""))
}

// addJournalFlag adds --journal, for verbs that take OFFSET.
func addJournalFlag(cmd *cobra.Command) {
	cmdline.Add(cmd, cmdline.Service, func(f cmdline.Flags) {
		f.Text("journal", "id", "", "the journal topic's id, or how it begins, where the store holds snapshots of several")
	})
}

// listed returns the snapshots of the store, newest first; with --journal only those of that journal.
func (v *storeVerb) listed(ctx context.Context) ([]snapshot.Info, error) {
	infos, err := v.store.Manifests(ctx)
	journal := ""
	if f := v.cmd.Flag("journal"); f != nil {
		journal = f.Value.String()
	}
	var kept []snapshot.Info
	for _, i := range infos {
		if strings.HasPrefix(i.Position.Journal(), journal) {
			kept = append(kept, i)
		}
	}
	return kept, err
}

// pick finds the snapshot of an OFFSET, or the newest.
func (v *storeVerb) pick(ctx context.Context, args []string) (snapshot.Info, error) {
	infos, err := v.listed(ctx)
	if err != nil {
		return snapshot.Info{}, err
	}
	if len(infos) == 0 {
		return snapshot.Info{}, fmt.Errorf("pick snapshot: %w yet", snapshot.ErrNoStore)
	}
	if len(args) == 0 {
		return infos[0], nil
	}
	offset, err := strconv.ParseInt(args[0], 10, 64)
	if err != nil {
		return snapshot.Info{}, exit.Usage(fmt.Errorf("%q is no journal offset; `unecho snapshot list` shows those of the snapshots", args[0]))
	}
	var found []snapshot.Info
	for _, i := range infos {
		if i.Position.Offset == offset {
			found = append(found, i)
		}
	}
	switch {
	case len(found) == 0:
		return snapshot.Info{}, fmt.Errorf("there is no snapshot at offset %d; `unecho snapshot list` shows those there are", offset)
	case len(found) > 1 && !found[0].Position.SameJournal(found[1].Position):
		return snapshot.Info{}, exit.Usage(fmt.Errorf("there is one at offset %d of each of several journals: add --journal %s or --journal %s",
			offset, found[0].Position.Journal(), found[1].Position.Journal()))
	}
	return found[0], nil
}
