package tune

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/outfile"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/index/eval"
)

// EvalCommand is the verb eval.
func EvalCommand(version string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "eval FILE...",
		Short: "Hold verdicts against pairs or clusters that you know",
		Long: "Hold the verdicts about the documents of FILE against pairs or clusters that you know. The documents are judged in\n" +
			"their order, as `unecho dedup` judges them, with its bounds. Precision is the share of the duplicates that are\n" +
			"labelled with what they are taken for; recall is the share of the documents with a labelled one before, which stays,\n" +
			"that are duplicates of such a one; ARI is the adjusted Rand index of the clusters. Documents that pairs connect are\n" +
			"the same. Labels call documents by their ids (--id), or else by their numbers; they are read as `unecho dedup` writes\n" +
			"--pairs and --clusters: in an id, \\t, \\n, \\r and \\\\ stand for tab, line breaks and backslash, and file and row tell\n" +
			"documents of one id apart. Rejected documents match nothing; they are counted, and the first is named.",
		Example: "  unecho eval --pairs labels.tsv articles.jsonl\n" +
			"  unecho eval --pairs labels.tsv --list 20 --html wrong.html articles.jsonl\n" +
			"  unecho eval --clusters clusters.tsv --threshold 0.7 --shingle char:5 --json articles.jsonl",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return runEval(cmd, args, version) },
	}
	cmdline.AddFileFlags(cmd)
	cmdline.Add(cmd, cmdline.Input, func(f cmdline.Flags) {
		f.Text("pairs", "file", "", "the pairs: two ids on each line, separated by a tab; what follows, and a first line "+
			"of names, is passed over")
		f.Text("clusters", "file", "", "the clusters: an id and the name of its cluster on each line, separated by a tab")
	})
	cmdline.Add(cmd, cmdline.Output, func(f cmdline.Flags) {
		f.Int("list", 0, "list so many of the duplicates that are not labelled, and of those labelled that are no duplicates "+
			"(default 7, and 100 in --json and --html)")
		f.Text("html", "file", "", "write a page with these pairs side by side here (- is standard output)")
	})
	cmdline.AddJSON(cmd, "the result as one JSON object")
	cmdline.AddFileSettings(cmd, "duplicates", "normalize", "advanced.max_document_bytes", "sources.reject",
		"sources.scope")
	return cmd
}

func runEval(cmd *cobra.Command, args []string, version string) error {
	pairs, clusters := cmdline.Text(cmd, "pairs"), cmdline.Text(cmd, "clusters")
	if (pairs == "") == (clusters == "") {
		return exit.Usage(errors.New("give what you know by --pairs or by --clusters"))
	}
	if err := cmdline.SpareFromStdout(cmd, pairs, clusters); err != nil {
		return err
	}
	texts, list, err := mostListed(cmd)
	if err != nil {
		return err
	}
	page := outfile.Single{Flag: "html", Path: cmdline.Text(cmd, "html"), Stdout: cmd.OutOrStdout()}
	files, err := cmdline.WrittenBy(cmd, "html")
	if err != nil {
		return err
	}
	if err := errors.Join(files.SpareFiles(cmdline.ConfigFile(cmd), pairs+clusters), page.Ready(cmdline.Bool(cmd, "json"))); err != nil {
		return err
	}
	d, err := readEvaluated(cmd, args, files)
	if err != nil {
		return err
	}
	result, err := d.evaluate(cmd, pairs, clusters, list)
	if err != nil {
		return err
	}
	result.texts = texts
	err = page.Write(func(out io.Writer) error {
		return d.WritePage(out, cmdline.AboutFiles(cmd, args, "unecho eval", version), result, pairs+clusters)
	})
	if err != nil || page.OnStdout() {
		return err
	}
	err = cmdline.Print(cmd, result)
	if result.Rejected == result.Documents {
		err = errors.Join(err, errors.New("all documents are rejected: they are like no other"))
	}
	return err
}

// evaluate holds the documents against what is known of them.
func (d *Documents) evaluate(cmd *cobra.Command, pairs, clusters string, list int) (result Result, err error) {
	if d.Len() == 0 {
		return result, errors.New("there is no document to hold against labels")
	}
	d.ReportRejected(cmd.ErrOrStderr())
	var truth []eval.Pair
	if pairs != "" {
		truth, err = d.Pairs(pairs, cmd.ErrOrStderr())
	} else {
		truth, err = d.Clusters(clusters, cmd.ErrOrStderr())
	}
	if err != nil {
		return result, err
	}
	return d.Against(truth, list)
}

// mostListed returns how many pairs of each kind are listed as text, and how many in all.
func mostListed(cmd *cobra.Command) (texts, all int, err error) {
	switch all = cmdline.Int(cmd, "list"); {
	case all < 0:
		return 0, 0, exit.Usage(fmt.Errorf("--list %d: write a number of pairs, or 0 for none", all))
	case cmd.Flag("list").Changed:
		return all, all, nil
	}
	return 7, 100, nil // a screen, and a page
}

func readEvaluated(cmd *cobra.Command, args []string, files outfile.Files) (d *Documents, err error) {
	err = cmdline.RunFiles(cmd, args, config.ForFiles(), EvalRules(), func(ctx context.Context, c config.Config) (err error) {
		read, err := c.Reading()
		if err == nil {
			d, err = New(c.Judge, read)
		}
		if err != nil {
			return err
		}
		if cmd.Flag("html").Changed {
			d.KeepTexts()
		}
		return cmdline.EachRecord(ctx, cmd, args, c, files, func(r *corpus.Record) error {
			d.Add(string(r.Name(nil, len(args) != 1)), r)
			return nil
		})
	})
	return d, err
}

// EvalRules say when each flag decides something.
func EvalRules() []cmdline.Rule {
	return slices.Concat(cmdline.SettingRules(), cmdline.PairRules(), cmdline.JudgeRules(), cmdline.FileRules(), []cmdline.Rule{{Flags: "pairs clusters list html json"}})
}
