package tune

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/outfile"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/index/eval"
)

// Command is the verb.
func Command(version string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tune FILE... | --topic TOPIC",
		Short: "Try settings on your own documents, and recommend one",
		Long: "Try settings on your own documents, each held against the exact truth, and recommend one. Flags take lists, and each\n" +
			"combination is tried. It recommends the cheapest setting (--by) whose own curve finds --recall of the pairs at the\n" +
			"threshold. The truth is the exact Jaccard similarity of all pairs; each shingle has one of its own, and --pairs is one\n" +
			"for all: it then recommends one with nearly the best F1 of whose duplicates --min-precision are true. Each\n" +
			"setting judges the documents in their order, as the service does. If no setting fits, the exit code is 1, and the\n" +
			"reason is printed.\n\n" +
			"Documents come from files, or from a topic: its newest (--documents), those of a time range (--from, --to), or all, of\n" +
			"which --sample are taken at random. --grid published tries the grid of a published comparison on 4,000 documents:\n" +
			"three thresholds, sizes and shingles, four bands and hashes.\n\n" +
			"With --ignore, which is of the first --shingle, settings are tried without the list and with it (-list).",
		Example: "  unecho tune articles.jsonl\n" +
			"  unecho tune --shingle word:2,char:5 --threshold 0.7,0.8,0.9 --html report.html articles.jsonl\n" +
			"  unecho tune --method minhash,simhash --by memory --yaml tuned.yaml --budget 2m articles.jsonl\n" +
			"  unecho tune --pairs labels.tsv articles.jsonl\n" +
			"  unecho tune --tokens words --shingle word:1 tokens.jsonl\n" +
			"  unecho tune --config unecho.yaml --topic news --from 24h --html report.html\n" +
			"  unecho tune --grid published sentences.txt",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return runTune(cmd, args, version) },
	}
	cmdline.AddFileFlags(cmd)
	addSampleFlags(cmd)
	cmdline.Add(cmd, cmdline.Input, func(f cmdline.Flags) {
		f.Text("tokens", "field", "",
			"the field of a JSON document with an array of tokens, which are taken as they are instead of a text")
		f.Text("pairs", "file", "", "tune for these pairs, whatever their similarity: two ids on each line, as for eval; their "+
			"documents are all in the sample")
	})
	addGridFlags(cmd)
	cmdline.Add(cmd, cmdline.Output, func(f cmdline.Flags) {
		f.Text("by", "choice", ByCost, "of the settings that keep recall recommend the best by "+
			strings.Join(Bys(), ", "))
		f.Float64("min-precision", 0.95, "recommend only what is right about so many of the documents that leave")
		f.Text("html", "file", "", "write a page with plots here (- is standard output)")
		f.Text("yaml", "file", "", "write the recommended settings here (- is standard output)")
		f.Bool("all", false, "all settings and figures before the table of the best")
	})
	cmdline.AddJSON(cmd, "the report as one JSON object instead of the table")
	cmdline.Add(cmd, cmdline.Advanced, func(f cmdline.Flags) {
		f.Duration("budget", 0, "try settings in a random order until this time is over; 0 tries all")
	})
	cmdline.AddSettings(cmd, "duplicates.recall", "duplicates.weighted", "duplicates.ignore", "normalize",
		"advanced.max_document_bytes", "sources.reject", "sources.scope")
	cmdline.Offer(cmd, "by", Bys()...)
	return cmd
}

func runTune(cmd *cobra.Command, args []string, version string) error {
	if shingle, _, _ := strings.Cut(strings.Trim(cmdline.Text(cmd, "shingle"), "[]"), ","); cmd.Flag("ignore").Changed && cmd.Flag("shingle").Changed {
		if err := cmd.Flags().Set("set", "duplicates.shingle="+shingle); err != nil { // that of the list
			return err
		}
	}
	return cmdline.RunFiles(cmd, args, config.Default(), Rules(), func(ctx context.Context, c config.Config) error {
		single := func(flag string) outfile.Single {
			return outfile.Single{Flag: flag, Path: cmdline.Text(cmd, flag), Stdout: cmd.OutOrStdout()}
		}
		out := Outputs{
			Page: single("html"), YAML: single("yaml"), JSON: cmdline.Bool(cmd, "json"),
			All: cmdline.Bool(cmd, "all"), About: cmdline.AboutFiles(cmd, args, "unecho tune", version),
			Stdout: cmd.OutOrStdout(), Stderr: cmd.ErrOrStderr(),
		}
		report, err := tuneFiles(ctx, cmd, args, c, &out)
		if err != nil {
			return err
		}
		return out.Finish(ctx, report, c)
	})
}

// tuneFiles tries settings on the documents that the command line names, once it is known that the outputs can be written.
func tuneFiles(ctx context.Context, cmd *cobra.Command, args []string, c config.Config, out *Outputs) (*Report, error) {
	p, err := tuneParams(cmd, c)
	if err != nil {
		return nil, err
	}
	files, err := cmdline.WrittenBy(cmd, "html", "yaml")
	if err != nil {
		return nil, err
	}
	pairs := cmdline.Text(cmd, "pairs")
	if err := files.SpareFiles(cmdline.ConfigFile(cmd), pairs, c.Judge.Duplicates.Ignore); err != nil {
		return nil, err
	}
	if err := out.Ready(); err != nil {
		return nil, err
	}
	var labels *Labels
	if pairs != "" {
		if labels, err = ReadLabels(pairs); err != nil {
			return nil, err
		}
	}
	sample, numbers, err := readSample(ctx, cmd, args, c, files, labels)
	if err != nil {
		return nil, err
	}
	tuner := &Tuner{Params: p, Sample: sample}
	if labels != nil {
		if tuner.Labels, err = labels.Pairs(numbers, cmd.ErrOrStderr()); err != nil {
			return nil, err
		}
		if len(tuner.Labels) == 0 {
			return nil, fmt.Errorf("read %s: it has no labels of copies: label some pairs as copies, too", pairs)
		}
	}
	bar := terminal.NewStages(cmd.ErrOrStderr())
	defer bar.End()
	tuner.Progress = func(what string, done, all int) { bar.Stage(what, int64(done), int64(all)) }
	return tuner.Run(ctx)
}

func tuneParams(cmd *cobra.Command, c config.Config) (Params, error) {
	p := Params{
		Judge: c.Judge, Precision: cmdline.Float(cmd, "min-precision"),
		By: cmdline.Text(cmd, "by"), Budget: cmdline.Duration(cmd, "budget"), Seed: cmdline.Uint64(cmd, "seed"),
		Workers: runtime.GOMAXPROCS(0), MostPairs: eval.MostPairs,
	}
	if c.Judge.Duplicates.Verify == "levenshtein" {
		return p, exit.Usage(errors.New(
			"verify: levenshtein: no exact join finds all pairs of that ratio, so there is no truth to hold settings against; " +
				"tune with --verify jaccard, then hold --verify levenshtein against pairs that you know: `unecho eval --pairs`"))
	}
	var err error
	if p.Grid, err = gridOf(cmd, c.Judge.Duplicates); err != nil {
		return p, err
	}
	if listed := p.Grid.Listed; listed.ignores && !slices.Contains(p.Grid.sources(), listed) {
		fmt.Fprintf(cmd.ErrOrStderr(), "unecho: duplicates.ignore is left out: its list is of %s %s, which is not tried\n", listed.shingle, listed.hash)
	}
	if cmdline.Text(cmd, "pairs") == "" && len(p.Grid.Thresholds) > 0 {
		p.At = Preferred(p.Grid.Thresholds, c.Judge.Duplicates.Threshold)
	}
	if err := p.Validate(); err != nil {
		return p, exit.Usage(err)
	}
	return p, nil
}
