package explain

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/config"
)

// PlanCommand is the verb.
func PlanCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "plan [FILE...]",
		Short: "Say how many documents the window holds in its memory, or how much memory so many take",
		Long: "Say how many documents the window holds in duplicates.remember.memory, or with --documents how many bytes so many take, " +
			"for given\n" +
			"settings. What is the same for all documents is exact; how much their ids and evidence take is measured on the\n" +
			"documents in FILEs, or given by flags. With verify: estimate the evidence is the same for all, too.",
		Example: "  unecho plan --verify estimate --memory 4GiB\n" +
			"  unecho plan --config unecho.yaml --documents 10000000 sample.jsonl",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return runPlan(cmd, args) },
	}
	cmdline.AddFileFlags(cmd)
	cmdline.Add(cmd, cmdline.Input, func(f cmdline.Flags) {
		f.Int64("documents", 0, "say what so many documents take")
		f.Int("id-bytes", 16, "bytes of an id, where no FILE tells")
		f.Int("evidence-bytes", 0, "bytes of evidence, where no FILE tells")
	})
	cmdline.AddJSON(cmd, "the plan as one JSON object")
	cmdline.AddSettings(cmd, "duplicates", "normalize", "duplicates.remember", "advanced.max_document_bytes", "sources.reject")
	return cmd
}

func runPlan(cmd *cobra.Command, args []string) error {
	return cmdline.RunFiles(cmd, args, config.Default(), PlanRules(), func(ctx context.Context, c config.Config) error {
		documents := cmdline.Int64(cmd, "documents")
		if documents < 0 {
			return exit.Usage(fmt.Errorf("--documents %d: write a number above 0", documents))
		}
		if documents == 0 && c.Judge.Duplicates.Remember.Memory == 0 {
			return exit.Usage(errors.New("duplicates.remember.memory is 0: name --memory, or --documents"))
		}
		p, err := New(c.Judge)
		if err != nil {
			return err
		}
		if err := measure(ctx, cmd, args, c, p); err != nil {
			return err
		}
		if err := p.Finish(documents); err != nil {
			return err
		}
		return cmdline.Print(cmd, p)
	})
}

// measure finds what a document takes: the mean of those in the files, or what the flags say.
func measure(ctx context.Context, cmd *cobra.Command, args []string, c config.Config, p *Plan) error {
	if len(args) == 0 && cmdline.Text(cmd, "files-from") == "" {
		return p.Assume(cmdline.Int(cmd, "id-bytes"), cmdline.Int(cmd, "evidence-bytes"))
	}
	err := cmdline.EachRecord(ctx, cmd, args, c, nil, func(r *corpus.Record) error {
		p.Add(r)
		return nil
	})
	if err != nil {
		return err
	}
	return p.Measured()
}

// PlanRules say when each flag decides something: by what is measured in files or by what flags say.
func PlanRules() []cmdline.Rule {
	measured := func(g *cmdline.Asked) bool { return len(g.Paths) > 0 || g.Has("files-from") }
	return slices.Concat([]cmdline.Rule{
		{
			Flags: "format fields id delimiter lenient-quotes strict include null max-document-bytes reject", When: measured,
			Why: "is about files, and none is named: leave it out",
		},
		{Flags: "id-bytes evidence-bytes", When: func(g *cmdline.Asked) bool { return !measured(g) }, Why: "is measured in the files: leave it out"},
		{Flags: "max-candidates max-work", When: cmdline.Never, Why: "is about how documents are compared, and none are: leave it out"},
		{Flags: "documents json html age memory duplicates-remember-documents clock keys refresh reemit-every compare-copies"},
	}, cmdline.SettingRules(), cmdline.JudgeRules(), cmdline.FileRules())
}
