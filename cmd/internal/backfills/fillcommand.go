package backfills

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/assembly"
	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/target"
	"github.com/unecho/unecho/consumer/backfill"
)

// FillCommand fills the window of a new group.
func FillCommand(version string) *cobra.Command {
	cmd := cmdline.Works(&cobra.Command{
		Use:   "fill [FILE...]",
		Short: "Fill the window of a new group with what a topic or files hold, before the group begins",
		Long: "Let the group of a configuration remember documents of topics or files before it judges its first one. Copies of them\n" +
			"are duplicates from the beginning. Nothing is forwarded. Each document is remembered as it is, and its age counts from\n" +
			"its own time.\n\n" +
			"Run it before the group's members are started; members that are started meanwhile wait. When it is done the group\n" +
			"forwards. Without files and --topic it takes the topics that the group reads: the group then begins where this ends. A\n" +
			"group that is to take over from another one (succeeds) is filled by its own members, and a group that forwards already\n" +
			"is refused.\n\n" +
			"If anything is killed meanwhile, the same command goes on. The exit code is 0 when the window is filled, 130 when a\n" +
			"signal came before.",
		Example: "  unecho fill --config unecho.yaml --topic archive\n" +
			"  unecho fill --config unecho.yaml --from -30d\n" +
			"  unecho fill --config unecho.yaml --time published 2024.jsonl.gz 2025.jsonl.gz",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return fillWindow(cmd, args, version) },
	})
	target.AddFlags(cmd)
	cmdline.Add(cmd, cmdline.Input, func(f cmdline.Flags) {
		f.Texts("topic", "topic", "what is remembered; repeatable (default sources.topics)")
		f.Text("from", "when", "", "where the range begins (default duplicates.remember.age ago)")
		f.Text("to", "when", backfill.End().Text, "where the range ends; end is where the topics end when this is first started")
		f.Text("format", "choice", corpus.Auto, "of files: "+corpus.FormatsHelp())
		f.Text("time", "field", "", "of files: the field or column with a document's time (RFC 3339, or seconds or ms "+
			"since 1970); without it documents are as old as the moment they are copied")
	})
	cmdline.Offer(cmd, "format", corpus.Formats()...)
	cmdline.Add(cmd, cmdline.Service, func(f cmdline.Flags) {
		f.Int("max-rate", 0, "documents a second at most; 0 is no bound")
		assembly.AddAcceptLost(f)
	})
	cmdline.AddJSON(cmd, "the summary as one JSON object")
	return cmd
}

// fillWindow is the verb.
func fillWindow(cmd *cobra.Command, args []string, version string) error {
	f, err := readFlags(cmd, args, time.Now())
	if err != nil {
		return err
	}
	return fill(cmd.Context(), f, &shell{cmd: cmd, version: version})
}
