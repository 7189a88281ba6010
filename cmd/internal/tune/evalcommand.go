package tune

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/outfile"
	"github.com/unecho/unecho/cmd/internal/report"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/eval"
	"github.com/unecho/unecho/sink"
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
	d.rejected.Report(cmd.ErrOrStderr(), ", and so like no other")
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
		if err = errors.Join(err, files.SpareFiles(c.Judge.Duplicates.Ignore)); err == nil {
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

// Documents are the documents of eval, as far as they are compared.
type Documents struct {
	judge    index.Params
	signer   *index.Signer
	empty    *document.Rejection // rejection of a document without text; nil if it is not rejected
	numbers  Numbers
	refs     []Ref
	entries  []entry.Entry // that of a rejected document is empty
	rejected report.Rejections
	raw      [][]byte // documents as they came in, if they are kept
	keepsRaw bool
}

// New builds an empty Documents for documents that are judged by these settings, as `unecho dedup` does.
func New(judge index.Params, p document.Params) (*Documents, error) {
	judge, err := judge.ForFiles(nil)
	if err != nil {
		return nil, err
	}
	signer, err := index.NewSigner(judge)
	if err != nil {
		return nil, err
	}
	reader, err := document.New(p)
	if err != nil {
		return nil, err
	}
	return &Documents{judge: judge, signer: signer, empty: reader.EmptyRejection("")}, nil
}

// KeepTexts has the documents that come be kept as they come in, to be shown.
func (d *Documents) KeepTexts() { d.keepsRaw = true }

// Len returns the number of documents.
func (d *Documents) Len() int { return len(d.refs) }

// Add takes the next document.
func (d *Documents) Add(name string, r *corpus.Record) {
	ref := RefOf(name, r)
	if d.numbers.Add(ref, len(d.refs)); len(d.refs) == 0 {
		d.numbers.First = name
	}
	d.refs = append(d.refs, ref)
	e := entry.Entry{Scope: r.Scope}
	d.rejected.Add(name, r.Number, d.sign(&e, r))
	e = e.Clone()
	d.signer.Reset()
	d.entries = append(d.entries, e)
	if d.keepsRaw {
		d.raw = append(d.raw, slices.Clone(r.Text))
	}
}

func (d *Documents) sign(e *entry.Entry, r *corpus.Record) *document.Rejection {
	switch {
	case r.Bad != nil:
		return r.Bad
	case !d.signer.Sign(e, r.Text):
		return &document.Rejection{Reason: sink.TooLarge, Detail: "the text is too long when normalised"}
	case e.Empty():
		return d.empty
	}
	return nil
}

//go:embed eval.html
var evalPage string

// shown is a wrong pair with both texts.
type shown struct {
	Wrong
	Left, Right []report.Words
}

// WritePage writes the result as one page, with the listed pairs side by side. KeepTexts must have been called before
// the documents were added. labels names where the known pairs are from.
func (d *Documents) WritePage(out io.Writer, about report.About, e Result, labels string) error {
	return report.Write(out, about, evalPage, nil, struct {
		Result
		Settings, Labels            string
		PositivesShown, MissedShown []shown
	}{e, d.settings(), labels, d.sides(e.Positives), d.sides(e.Missed)})
}

func (d *Documents) settings() string {
	p := d.judge.Duplicates
	return fmt.Sprintf("threshold %v, shingle %s, verify %s, %s", p.Threshold, p.Shingle, p.Verify, p.Described())
}

func (d *Documents) sides(pairs []Wrong) []shown {
	all := make([]shown, 0, len(pairs))
	for _, w := range pairs {
		s := shown{Wrong: w}
		s.Left, s.Right = report.Sides(string(d.raw[w.a]), string(d.raw[w.b]), d.judge.Normalize)
		all = append(all, s)
	}
	return all
}
