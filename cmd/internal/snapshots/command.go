package snapshots

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/target"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/index/snapshot"
)

// Command holds the verbs about stored snapshots. They work beside a running service, and without Kafka.
func Command() *cobra.Command {
	cmd := cmdline.GroupCommand(&cobra.Command{
		Use:   "snapshot",
		Short: "List, check, carry over and clear away snapshots",
		Long: "Look at the snapshots that a service keeps, check them, carry them from one store to another, clear old " +
			"ones away. These\n" +
			"verbs need the store only: name it by the service's configuration (--config), or by flags such as --directory. They may\n" +
			"run beside the service.",
	})
	cmd.AddCommand(snapshotListCommand(), snapshotShowCommand(), snapshotVerifyCommand(), snapshotPruneCommand(),
		snapshotExportCommand(), snapshotImportCommand())
	return cmd
}

// storeVerb is one run of a verb on an open store.
type storeVerb struct {
	*Shelf
	cmd    *cobra.Command
	at     string // the OFFSET that was given, or nothing
	config config.Config
	named  bool // the configuration comes from a file: its settings are those of a service
}

func addStoreFlags(cmd *cobra.Command) {
	cmdline.AddSettings(cmd, "group")
	for _, f := range setting.Fields(config.Default()) {
		store, ok := strings.CutPrefix(f.Key, "snapshots.")
		if ok && f.Depth() == 2 && f.Name() != "for" {
			cmdline.AddSettingCalled(cmd, f, strings.TrimSuffix(strings.ReplaceAll(store, ".", "-"), "-path"))
		}
	}
}

// opening is snapshot.Opener.Open, or OpenExisting for a verb that makes no store.
type opening func(snapshot.Opener, context.Context, string) (snapshot.Store, error)

// onStore runs a verb on the store that its flags name.
func onStore(open opening, do func(context.Context, *storeVerb) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) (err error) {
		ctx, stop := exit.UntilSignal(cmd.Context(), cmd.ErrOrStderr())
		defer stop()
		defer exit.MarkInterrupted(ctx, &err)
		c, named, err := storeConfig(cmd)
		if err != nil {
			return err
		}
		store, err := open(c.Snapshot.Opener(), ctx, c.Consumer.Group)
		if err != nil {
			return err
		}
		v := &storeVerb{
			Shelf: &Shelf{Store: store, Out: cmd.OutOrStdout(), Log: cmd.ErrOrStderr()}, cmd: cmd,
			config: c, named: named,
		}
		if len(args) > 0 {
			v.at = args[0]
		}
		return errors.Join(do(ctx, v), store.Close())
	}
}

// storeConfig returns the part of the configuration that concerns the store.
func storeConfig(cmd *cobra.Command) (c config.Config, named bool, err error) {
	base := config.Default()
	base.Consumer.Group = target.Group
	named = cmdline.Text(cmd, "config") != "" || cmdline.ConfigPath(nil) != ""
	unnamed := !named &&
		!slices.ContainsFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "UNECHO_SNAPSHOTS_") })
	c, err = cmdline.Sections(cmd, base, "snapshots", "group")
	if err != nil && unnamed {
		fmt.Fprintln(cmd.ErrOrStderr(), "name the store: by --config FILE, or by --directory DIR, or by the flags or variables "+
			"(UNECHO_SNAPSHOTS_...) of another kind")
	}
	return c, named, err
}

// ofStore completes a verb about a store that is there: it does that, and has the flags that name the store.
func ofStore(cmd *cobra.Command, do func(context.Context, *storeVerb) error) *cobra.Command {
	cmd.RunE = onStore(snapshot.Opener.OpenExisting, do)
	addStoreFlags(cmd)
	return cmd
}
