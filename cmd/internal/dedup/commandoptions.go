package dedup

import (
	"errors"
	"runtime"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/index"
)

// dedupOptionsOf returns what a command line of dedup asks for.
func dedupOptionsOf(cmd *cobra.Command, args []string) (o Options, err error) {
	if err := readDedupConfig(cmd, &o); err != nil {
		return o, err
	}
	if o.Memory, err = cmdline.Size(cmd, "memory"); err != nil {
		return o, err
	}
	if o.Workers = cmdline.Int(cmd, "workers"); o.Workers < 1 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	o.Old, o.Query = cmdline.Texts(cmd, "index"), append(cmdline.Texts(cmd, "query"), args...)
	text := func(flag string) string { return cmdline.Text(cmd, flag) }
	o.List, o.Load, o.Save = text("files-from"), text("index-file"), text("save-index")
	o.Verbose, o.JSON, o.Pairs = cmdline.Bool(cmd, "verbose"), cmdline.Bool(cmd, "json"), text("pairs") != ""
	o.HTML, o.Duplicates, o.Keep = text("html"), text("duplicates") != "", cmdline.Bool(cmd, "keep-rejected")
	if err := o.Choose(text("representative"), text("matches")); err != nil {
		return o, err
	}
	return o, o.Check()
}

// readDedupConfig resolves the settings. A distance that is refused may still be one for sorted rotations.
func readDedupConfig(cmd *cobra.Command, o *Options) (err error) {
	o.Config, err = cmdline.Settings(cmd, config.ForFiles())
	flag := cmd.Flag("distance")
	if err == nil || !flag.Changed {
		return err
	}
	asked := flag.Value.String()
	distance, notNumber := strconv.Atoi(asked)
	if notNumber != nil || flag.Value.Set("0") != nil { // no distance is refused less than 0
		return err
	}
	c, still := cmdline.Settings(cmd, config.ForFiles())
	var mistakes config.Mistakes
	if errors.As(still, &mistakes) && !slices.ContainsFunc(mistakes, func(m config.Mistake) bool { return m.Key == "similarity.distance" }) {
		return errors.Join(still, flag.Value.Set(asked)) // the distance is possible by rotations
	}
	if still != nil || c.Judge.Similarity.EstimatedBy() != index.Hamming {
		return errors.Join(err, flag.Value.Set(asked))
	}
	o.Config = c
	return o.Rotate(distance)
}
