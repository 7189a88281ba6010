package dedup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/corpus/columnar"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/memory"
	"github.com/unecho/unecho/cmd/internal/outfile"
	"github.com/unecho/unecho/cmd/internal/parts"
	"github.com/unecho/unecho/cmd/internal/report"
	"github.com/unecho/unecho/cmd/internal/terminal"
)

// Command is the verb.
func Command(version string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "dedup FILE...",
		Short: "Find the near-duplicates in files, without Kafka",
		Long: "Find the near-duplicates in files: Parquet, JSONL, JSON, CSV, TSV, plain lines, directories of .txt; gzip, zstd and\n" +
			"xz; - is standard input. Documents are judged in their order as in the service, on all cores. Without an output flag\n" +
			"the unique ones go to standard output, unchanged. Tables keep their first line; it is written again if that of the\n" +
			"next file differs.\n\n" +
			"Each document is compared with the unique ones before it, and its match is the most similar of them. With --matches\n" +
			"all it is compared with all before it, copies too, and has all its matches. Documents that a chain of matches connects\n" +
			"are one cluster, and one document of it is unique. Equal texts are compared as one. A text is compared with 4,096\n" +
			"others at most, apart from those known to be in its cluster (--max-candidates); the summary says how many documents\n" +
			"that cuts. The unique documents are then known only at the end, as with --representative last or longest; until then\n" +
			"the documents are in a temporary file ($TMPDIR).\n\n" +
			"An output that is named .gz or .zst is compressed, one that is named .parquet is Parquet: --duplicates, --pairs,\n" +
			"--clusters, --rejected and --cut have columns as in JSON, and --unique and --annotated have all columns of the rows, if the\n" +
			"files are Parquet.\n\n" +
			"New documents against old ones: --index OLD --query NEW judges those of NEW only, against OLD and each other, and says\n" +
			"in which of them the match is. --save-index keeps what was indexed in a file, and --index-file takes it in place of\n" +
			"OLD: build once, query daily. The settings must be the same.\n\n" +
			"--method simhash --distance also finds pairs beyond the distance that blocks guarantee: up to 16 of 64 bits and 32 of\n" +
			"128. When all documents are read, it compares each with each. It prints the expected time before it begins, which\n" +
			"grows with the square of the documents. It implies --matches all.\n\n" +
			"--unit paragraph, sentence or line compares the parts of documents, by their normal form: the first one stays, and\n" +
			"later ones are taken out of their documents, wherever they are (boilerplate, disclaimers). --removed has them. All\n" +
			"other fields, columns and bytes stay; a document of which nothing is left is in --duplicates in place of --unique.\n\n" +
			"The index is in memory (--memory). --directory DIR is for more: when that is full, old documents go to files in DIR, and\n" +
			"memory keeps some 60 bytes of each. All outputs are the same. One run at a time may use DIR; its files go when the run\n" +
			"ends, or stay where a checkpoint goes on from them.\n\n" +
			"--checkpoint DIR is for long runs: after Ctrl-C, a crash or a full disk the same command goes on, and its outputs are\n" +
			"those of a run that was never stopped. Documents that were judged are read again, but not judged. One run at a time\n" +
			"may use DIR.\n\n" +
			"For more than one machine can take, or for a stream without end, use the service: see `unecho run --help`.\n\n" +
			"Exit codes: 0 done, 1 failed, or all documents rejected, 2 a mistake in flags or configuration, or a file that is not\n" +
			"there, 130 stopped by Ctrl-C, 141 nobody reads the output any more.",
		Example: "  unecho dedup articles.jsonl > unique.jsonl\n" +
			"  unecho dedup --annotated annotated.jsonl articles.jsonl\n" +
			"  unecho dedup --fields 'Title,Short Description' --threshold 0.8 --pairs pairs.tsv ads.tsv\n" +
			"  find texts -name '*.md' | unecho dedup --files-from - --duplicates -\n" +
			"  unecho dedup --unit sentence --removed removed.jsonl articles.jsonl > cleaned.jsonl\n" +
			"  unecho dedup --directory old --checkpoint state --unique unique.jsonl articles.jsonl\n" +
			"  unecho dedup --index 2025.jsonl --query today.jsonl --duplicates -\n" +
			"  unecho dedup --index 2025.jsonl --save-index 2025.index\n" +
			"  unecho dedup --index-file 2025.index --query today.jsonl --duplicates -",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return runDedup(cmd, args, version) },
	}
	cmdline.AddFileFlags(cmd)
	addDedupFlags(cmd)
	parts.AddFlags(cmd)
	cmdline.AddFileSettings(cmd, "duplicates", "normalize", "advanced.max_document_bytes", "sources.reject", "sources.scope")
	return cmd
}

func addDedupFlags(cmd *cobra.Command) {
	cmdline.Add(cmd, cmdline.Input, func(f cmdline.Flags) {
		f.Texts("index", "file", "compare with the documents of this file, which are not judged themselves; may be repeated")
		f.Texts("query", "file", "judge the documents of this file: the same as FILE; may be repeated")
		f.Text("index-file", "file", "", "compare with the documents of this index, which --save-index wrote")
	})
	cmdline.Add(cmd, cmdline.Output, func(f cmdline.Flags) {
		f.Text("save-index", "file", "", "write the index, with all documents that entered it, to this file")
		f.Text("unique", "file", "", "write the unique documents here, unchanged (- is standard output)")
		f.Text("duplicates", "file", "", "write a JSON line for each duplicate: id, match_id, similarity, method, cluster, and the file and row of each")
		f.Text("pairs", "file", "", "write a line for each verified match: a, b, similarity, and file and row of a and b, separated by tabs")
		f.Text("clusters", "file", "", "write a line for each document: id, cluster, and file and row of both, separated by tabs")
		f.Text("groups", "file", "", "write the ids of each cluster of several, a line each, and an empty line behind, as fdupes does; where documents are rows, file and row stand behind a tab")
		f.Text("rejected", "file", "", "write a JSON line for each document that cannot be compared: id, reason, detail, file, row, line")
		f.Text("cut", "file", "", "write a JSON line for each document that was not compared with all that may be like it, for --max-candidates and its like: id, file, row")
		f.Text("annotated", "file", "", "write each row of JSON or Parquet, with fields or columns for its verdict, its cluster, file and row: unecho_verdict and more")
		f.Bool("keep-rejected", false, "write documents that cannot be compared to --unique as well, which then is the input without its duplicates")
		f.Text("html", "file", "", "write a page for a browser: counts, similarities, clusters, and pairs side by side")
		f.Text("representative", "choice", "first",
			"which document of a cluster is its unique one: first, last or longest; one of the index, if there is one")
		f.Bool("verbose", false, "show each verified pair on standard error, with both sketches in bits (of a MinHash the "+
			"lowest of each slot)")
	})
	cmdline.AddJSON(cmd, "the summary as one JSON object on the last line")
	cmdline.Add(cmd, cmdline.Similarity, func(f cmdline.Flags) {
		f.Text("matches", "choice", "best",
			"best: the most similar unique document before; all: all documents before that are similar enough")
	})
	cmdline.Add(cmd, cmdline.Advanced, func(f cmdline.Flags) {
		f.Text("memory", "size", "4GiB", "memory of the index (the process takes some 50 MiB more, and 100 MiB with --directory); without --directory the run fails if it does not suffice")
		f.Int("workers", 0, "goroutines that read and sign; 0 is one for each core")
		f.Text("directory", "dir", "", "when --memory is full, old documents lie in files of this directory, for the time of the run")
		f.Text("checkpoint", "dir", "", "keep the state of the run in this directory; after any stop the same command goes on")
		f.Duration("checkpoint-every", time.Minute, "time between checkpoints; longer if they would take more than a twentieth of the time")
	})
	cmdline.Offer(cmd, "matches", "best", "all")
	cmdline.Offer(cmd, "representative", "first", "last", "longest")
}

type dedupRun struct {
	Options
	cmd     *cobra.Command
	version string // of the program
	out     *Outputs
	report  *Report          // what the page shows; nil without one
	schema  *columnar.Schema // of all rows, where some are written as Parquet
	ids     corpus.IDs       // what kind they are of, where an output is Parquet
}

func runDedup(cmd *cobra.Command, args []string, version string) (err error) {
	ctx, stop := exit.UntilSignal(cmd.Context(), cmd.ErrOrStderr())
	defer stop()
	defer exit.MarkInterrupted(ctx, &err)
	began := time.Now()
	memory.SetGarbage(0)
	if cmd.Flag("unit").Changed {
		return parts.Run(ctx, cmd, args, Rules(&Options{}))
	}
	r := &dedupRun{cmd: cmd, version: version}
	if r.Options, err = dedupOptionsOf(cmd, args); err != nil {
		return err
	}
	g := cmdline.Asked{Command: cmd, Paths: slices.Concat(r.Old, r.Query), Config: r.Config}
	if err := cmdline.RefuseIdle(&g, Rules(&r.Options)); err != nil {
		return err
	}
	old, query, err := r.open()
	if err != nil {
		return err
	}
	checkpoint, err := r.checkpoint(args)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, checkpoint.Close()) }()
	if err := r.openDirectory(checkpoint); err != nil {
		return err
	}
	done := false
	defer func() { err = errors.Join(err, r.Directory.End(checkpoint.stands() && !done)) }()
	judge, err := r.judge(ctx, checkpoint)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.report.Close()) }()
	if r.out, err = OpenOutputs(r.outputs()); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.out.Close()) }()
	if err := r.resumable(checkpoint); err != nil {
		return err
	}
	params := r.Params()
	params.Whole, params.Strict = r.out.unique != nil, cmdline.Bool(cmd, "strict")
	p := Pass{Params: params, Judge: judge, Out: r.out, Notes: cmd.ErrOrStderr(), Quiet: r.Verbose ||
		r.out.OnTerminal(), SaveIndex: r.Save, Checkpoint: checkpoint}
	if err := p.Run(ctx, old, query); err != nil {
		return err
	}
	done = true
	return errors.Join(r.printSummary(p.Summary(time.Since(began))), p.Rejected())
}

func (r *dedupRun) printSummary(summary Summary) error {
	r.out.refused.Report(r.cmd.ErrOrStderr(), report.Left(r.out.unique != nil, r.Keep, r.out.left))
	summary.ReportShort(r.cmd.ErrOrStderr(), r.Config.Judge.Duplicates)
	r.out.repeats.Report(r.cmd.ErrOrStderr(), &r.out.places)
	if err := r.writeReport(summary); err != nil {
		return err
	}
	return cmdline.Summarise(r.cmd, summary)
}

// judge makes the judge, and begins what the page shows.
func (r *dedupRun) judge(ctx context.Context, c *Checkpoint) (Judge, error) {
	bar := terminal.NewStages(r.cmd.ErrOrStderr())
	defer bar.End()
	r.Shown = bar.Stage
	judge, err := r.NewJudge(ctx, c)
	if err != nil {
		return nil, err
	}
	if x, ok := judge.(*Index); ok { // it knows what the settings leave open
		r.Config.Judge = x.Params()
	}
	return judge, r.beginReport(judge)
}

// outputs returns the outputs that the flags ask for. By default the unique documents go to standard output.
func (r *dedupRun) outputs() OutputParams {
	p := OutputParams{
		Paths: map[string]string{}, Stdout: r.cmd.OutOrStdout(), Similarity: r.Config.Judge.Duplicates, All: r.All,
		Representative: r.Representative, Schema: r.schema, Report: r.report, Keep: r.Keep,
		IntegerIDs: r.ids == corpus.IntegerIDs,
	}
	for _, name := range OutputNames() {
		if path := cmdline.Text(r.cmd, name); path != "" {
			p.Paths[name] = path
		}
	}
	if len(p.Paths) == 0 && r.Save == "" && r.HTML == "" && !r.JSON {
		p.Paths["unique"] = corpus.Stdin
	}
	if r.Verbose {
		p.Shown = r.cmd.ErrOrStderr()
	}
	return p
}

// open checks all named files before anything is written. old is nil if there is no --index, query if there are no
// other files.
func (r *dedupRun) open() (old, query *Input, err error) {
	spared, err := r.willWrite()
	if err != nil {
		return nil, nil, err
	}
	if err := r.pageReady(); err != nil {
		return nil, nil, err
	}
	if r.Save != "" {
		if err := outfile.Replaceable(r.Save); err != nil {
			return nil, nil, fmt.Errorf("save index: %w", err)
		}
	}
	if r.Load != "" || !outfile.AnyTable(r.outputs().Paths) { // an index file has names of any kind
		r.ids = corpus.OtherIDs
	}
	if len(r.Old) > 0 {
		if old, err = r.openFiles("", r.Old, spared, nil); err != nil {
			return nil, nil, err
		}
	}
	if r.Only() {
		return old, nil, nil
	}
	query, err = r.openFiles(r.List, r.Query, spared, r.outputs().Paths)
	return old, query, err
}

// openFiles opens files of which whole rows are written to these paths.
func (r *dedupRun) openFiles(list string, paths []string, spared outfile.Files, written map[string]string) (*Input, error) {
	p, err := cmdline.FileParams(r.cmd, r.Config)
	if err != nil {
		return nil, err
	}
	p.Rows, p.Kept, p.Objects = corpus.RowsWanted, r.Keep, written["annotated"] != ""
	named := cmdline.NamedFiles(r.cmd, list, paths)
	sources, size, err := spared.Sources(named)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"unique", "annotated"} {
		switch path := written[name]; {
		case path == "":
		case !outfile.IsTable(path):
			p.Rows = corpus.RowsWhole
		case r.schema == nil:
			if sources, r.schema, err = OneSchema(name, sources); err != nil {
				return nil, err
			}
		}
	}
	if outfile.IsTable(written["annotated"]) {
		if err := annotatable(r.schema); err != nil {
			return nil, err
		}
	}
	if r.ids != corpus.OtherIDs {
		var ids corpus.IDs
		if sources, ids, err = sources.IDs(p.ID); err != nil {
			return nil, err
		}
		r.ids = max(r.ids, ids)
	}
	in := &Input{Size: size, Params: p, Named: r.Params().Named}
	if size >= 0 && list == "" {
		if in.Files, err = sources.All(); err != nil {
			return nil, err
		}
		sources = corpus.Those(in.Files)
	}
	writes := func(info fs.FileInfo) bool { return r.out.Writes(info) }
	in.Reader, err = corpus.NewReader(p, corpus.Except(sources, writes))
	return in, err
}

// willWrite returns all files that will be written. None of them may be read, except for an index that a new one
// replaces.
func (r *dedupRun) willWrite() (outfile.Files, error) {
	all, err := cmdline.WrittenBy(r.cmd, append(OutputNames(), "html", "save-index")...)
	if err != nil {
		return nil, err
	}
	all.Stdout(r.cmd.OutOrStdout())
	outputs, err := cmdline.WrittenBy(r.cmd, append(OutputNames(), "html")...)
	if err != nil {
		return nil, err
	}
	return all, errors.Join(outputs.SpareFiles(r.Load), all.SpareFiles(cmdline.ConfigFile(r.cmd), r.Config.Judge.Duplicates.Ignore))
}
